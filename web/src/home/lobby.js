// Who looks for a game, and joining them. One's own seeks stand here too.

import { fill, html, refill } from "../ui/element.js";
import { reason } from "../ui/error_text.js";
import { words } from "../strings.js";
import { accept } from "./matchmaking.js";

/** @import {LobbyChange, SeekEntry} from "../wire.js" */
/** @import {App} from "../main.js" */

const say = words.home;

export class Lobby {
  element = html("section");
  #app;
  /** @type {Map<string, SeekEntry>} */
  #seeks = new Map();
  #complaint = html("p", { class: "complaint", role: "alert" });
  #stops;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#stops = [
      app.connection.on("welcome", () => this.#watch()),
      app.connection.on("lobby", (/** @type {LobbyChange} */ change) => this.#take(change)),
    ];
    if (app.connection.welcome !== undefined) this.#watch();
    this.#draw();
  }

  close() {
    for (const stop of this.#stops) stop();
    this.#app.connection.request({ type: "lobby", watch: false }).catch(() => {});
  }

  async #watch() {
    try {
      const lobby = await this.#app.connection.request({ type: "lobby", watch: true });
      this.#seeks.clear();
      this.#take(lobby);
    } catch {
      // The next welcome asks again.
    }
  }

  /** @param {LobbyChange} change */
  #take(change) {
    for (const seek of change.add) this.#seeks.set(seek.seek, seek);
    for (const seek of change.remove) this.#seeks.delete(seek);
    this.#draw();
  }

  #draw() {
    const me = this.#app.connection.welcome?.user?.name;
    const rows = [...this.#seeks.values()].map((seek) => this.#row(seek, me));
    refill(
      this.element,
      html("h2", {}, say.seeks),
      rows.length > 0 ? html("ul", { class: "rows" }, rows) : html("p", { class: "empty" }, say.noSeeks),
      this.#complaint,
    );
  }

  /**
   * @param {SeekEntry} seek
   * @param {string | undefined} me
   */
  #row(seek, me) {
    const mine = me !== undefined && seek.joined.includes(me);
    const about = [
      words.clock(seek.clock),
      words.options(seek.options),
      seek.players > 2 && say.seated(seek.joined.length, seek.players),
      seek.rated && say.rated,
      seek.bot && words.game.bot,
    ];
    return html(
      "li",
      { "data-seek": seek.seek },
      html("span", { class: "what" }, words.gameName(seek.rules)),
      html("span", { class: "who" }, mine && seek.joined.length === 1 ? say.waiting : say.versus(seek.joined)),
      html("span", { class: "about" }, about.filter(Boolean).join(" · ")),
      html(
        "button",
        { class: mine ? "quiet" : "", onclick: () => this.#act(seek.seek, mine) },
        mine ? say.withdraw : say.join,
      ),
    );
  }

  /**
   * @param {string} seek
   * @param {boolean} mine
   */
  async #act(seek, mine) {
    fill(this.#complaint);
    try {
      if (mine) await this.#app.connection.request({ type: "unseek", seek });
      else await accept(this.#app, { seek });
    } catch (error) {
      fill(this.#complaint, reason(error));
    }
  }
}
