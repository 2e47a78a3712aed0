// Recently finished games.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";

/** @import {GameEntry} from "../wire.js" */
/** @import {App} from "../app.js" */

const t = strings.home;

/** Games in the list. */
const SHOWN_MAX = 8;

/** How often the list is requested, in milliseconds. */
const EVERY_MS = 15_000;

export class FinishedGames {
  element = html("section", { class: "finished" });
  #app;
  #unsubscribe;
  #timer;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#unsubscribe = app.connection.onSession(() => this.#load());
    this.#timer = setInterval(() => this.#load(), EVERY_MS);
  }

  close() {
    this.#unsubscribe();
    clearInterval(this.#timer);
  }

  async #load() {
    if (document.visibilityState === "hidden") return;
    const limit = SHOWN_MAX;
    try {
      const { games } = await this.#app.connection.request({ type: "games", state: "finished", limit });
      this.#draw(games);
    } catch {
      // The timer requests it again.
    }
  }

  /** @param {GameEntry[]} games */
  #draw(games) {
    this.element.hidden = games.length === 0;
    update(this.element, html("h2", {}, t.finished), html("ul", { class: "rows" }, games.map(gameRow)), html("a", { class: "all", href: "/games" }, t.allFinished));
  }
}

/**
 * A row for a game.
 * @param {GameEntry} entry
 */
function gameRow(entry) {
  const users = entry.seats.map((seat) => strings.player(seat.user));
  return html(
    "li",
    {},
    html("span", { class: "what" }, strings.gameName(entry.rules)),
    html("a", { class: "who", href: `/game/${entry.game}` }, t.versus(users)),
    html("span", { class: "about" }, entry.result ? strings.result(entry.result, users) : t.ply(entry.ply)),
    entry.ply > 0 && html("a", { class: "soft", href: `/analysis/game/${entry.game}`, "aria-label": strings.analysis.analyseGame(t.versus(users)) }, strings.analysis.analyse),
  );
}
