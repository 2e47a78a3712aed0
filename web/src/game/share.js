// What a player can share of a game: its address, a picture of a position, and the game within
// another page.

import { html } from "../ui/element.js";
import { strings } from "../strings/strings.js";

/** @import {App} from "../app.js" */

/** Size of the frame in which other pages show a game, in pixels. */
const [FRAME_WIDTH, FRAME_HEIGHT] = [480, 600];

const t = strings.share;

/**
 * Returns the addresses of a game.
 * @param {string} origin of the page
 * @param {string} game
 * @param {number} [ply] an earlier board, unless it is the current one
 */
export function shareLinks(origin, game, ply) {
  const address = `${origin}/game/${game}`;
  const picture = ply === undefined ? "" : `?ply=${ply}`;
  return {
    link: ply === undefined ? address : `${address}#${ply}`,
    svg: `${address}/board.svg${picture}`,
    png: `${address}/board.png${picture}`,
    embed: `<iframe src="${origin}/embed/game/${game}" width="${FRAME_WIDTH}" height="${FRAME_HEIGHT}" loading="lazy"></iframe>`,
  };
}

/**
 * A menu with everything that can be shared of a game.
 * @param {App} app
 * @param {string} game
 * @param {() => number | undefined} ply the shown ply, unless it is the current one
 */
export function shareMenu(app, game, ply) {
  /** @param {string} text */
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      app.showToast(t.copied);
    } catch {
      // Without a secure connection the browser gives no access to the clipboard.
      app.showToast(text);
    }
  };
  const links = () => shareLinks(location.origin, game, ply());
  /** @param {string} text @param {() => void} onclick */
  const item = (text, onclick) => html("li", {}, html("button", { type: "button", class: "quiet", onclick }, text));
  const items = [
    item(t.link, () => copy(links().link)),
    item(t.picture, () => open(links().svg, "_blank", "noopener")),
    item(t.pictureLink, () => copy(links().png)),
    item(t.embed, () => copy(links().embed)),
  ];
  if ("share" in navigator) {
    items.unshift(item(t.send, () => navigator.share({ title: document.title, url: links().link }).catch(() => {})));
  }
  return html("details", { class: "share-menu", "data-key": "share" }, html("summary", {}, t.share), html("ul", {}, items));
}
