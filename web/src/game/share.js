// What a player can share or keep of a game: its address, a picture of a position, the game within another
// page, and its record in two formats.

import { strings } from "../strings/strings.js";
import { fill, html } from "../ui/element.js";

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
function shareLinks(origin, game, ply) {
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
 * Copies a text, or shows it to be copied by hand.
 * @param {App} app
 * @param {string} text
 * @param {string} said when it is copied
 */
export async function copyText(app, text, said) {
  try {
    await navigator.clipboard.writeText(text);
    app.showToast(said);
  } catch {
    // Without a secure connection the browser gives no access to the clipboard.
    app.showToast(text);
  }
}

/**
 * A menu with everything that can be shared of a game.
 * @param {App} app
 * @param {string} game
 * @param {() => number | undefined} ply the shown ply, unless it is the current one
 */
export function shareMenu(app, game, ply) {
  const copy = (/** @type {string} */ text) => copyText(app, text, t.copied);
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

const texts = strings.download;

/** How long the page says that the link was copied, in milliseconds. */
const COPIED_MS = 2_000;

/** Ways to keep a game: a link, and its record in two formats. */
export class DownloadBar {
  element;
  #game;
  #saving = false;
  #link = html("button", { class: "quiet" }, texts.link);
  #journal = html("button", { class: "quiet" }, texts.journal);

  /** @param {string} game */
  constructor(game) {
    this.#game = game;
    this.#link.addEventListener("click", () => this.#copy());
    this.#journal.addEventListener("click", () => this.#save());
    const record = { class: "button quiet", href: `/v1/games/${game}/record`, download: `${game}.txt` };
    const downloads = [this.#link, html("a", record, texts.record), this.#journal];
    this.element = html("section", { class: "download-bar" }, ...downloads);
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      fill(this.#link, texts.copied);
    } catch {
      // Browsers offer the clipboard only to secure origins. Show the address to copy by hand.
      fill(this.#link, location.href);
    }
    setTimeout(() => fill(this.#link, texts.link), COPIED_MS);
  }

  /** Saves the events byte for byte, with the server's signature of the last one. */
  async #save() {
    if (this.#saving) return;
    this.#saving = true;
    try {
      const signature = await read(`/v1/games/${this.#game}/signature`);
      const log = await read(`/v1/games/${this.#game}/log`);
      // The game may have gone on since. Leave out what is not signed.
      const events = log.split("\n").slice(0, JSON.parse(signature).seq);
      const record = new Blob([events.join("\n"), "\n", signature], { type: "application/x-ndjson" });
      const url = URL.createObjectURL(record);
      html("a", { href: url, download: `${this.#game}.jsonl` }).click();
      URL.revokeObjectURL(url);
      fill(this.#journal, texts.journal);
    } catch {
      fill(this.#journal, texts.failed);
    }
    this.#saving = false;
  }
}

/** @param {string} path */
async function read(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(String(response.status));
  return response.text();
}
