// The live games of one player as boards.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { WatchedGame } from "../watch/watched_game.js";

/** @import {App} from "../app.js" */

const t = strings.users;

/** The largest number of boards. */
const SHOWN_MAX = 6;

/** How often the list is requested, in milliseconds. */
const EVERY_MS = 15_000;

export class CurrentGames {
  element = html("section", { class: "current-games", hidden: true });
  #app;
  #user;
  /** The boards, also of games that have ended meanwhile. @type {Map<string, { watched: WatchedGame, element: Element }>} */
  #boards = new Map();
  #timer;

  /**
   * @param {App} app
   * @param {string} user
   */
  constructor(app, user) {
    this.#app = app;
    this.#user = user;
    this.#timer = setInterval(() => {
      if (document.visibilityState === "visible") this.load();
    }, EVERY_MS);
  }

  close() {
    clearInterval(this.#timer);
    for (const { watched } of this.#boards.values()) watched.close();
  }

  async load() {
    try {
      const { games } = await this.#app.connection.request({ type: "games", user: this.#user, state: "live", limit: SHOWN_MAX });
      for (const entry of games) {
        if (this.#boards.size >= SHOWN_MAX || this.#boards.has(entry.game)) continue;
        const watched = new WatchedGame(this.#app, entry);
        const link = html("a", { class: "mini-board", href: `/game/${entry.game}` }, ...watched.content);
        this.#boards.set(entry.game, { watched, element: html("li", { "data-key": entry.game }, link) });
      }
    } catch {
      // The timer requests it again.
    }
    const boards = [...this.#boards.values()];
    this.element.hidden = boards.length === 0;
    update(this.element, html("h2", {}, t.current), html("ul", { class: "mini-boards" }, boards.map(({ element }) => element)));
  }
}
