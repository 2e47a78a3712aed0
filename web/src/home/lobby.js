// The seeks in the lobby, the user's own included.

import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { accept } from "./matchmaking.js";

/** @import {LobbyChange, SeekEntry} from "../wire.js" */
/** @import {App} from "../app.js" */

const t = strings.home;

export class Lobby {
  element = html("section");
  #app;
  /** @type {Map<string, SeekEntry>} */
  #seeks = new Map();
  #error = html("p", { class: "error", role: "alert" });
  #unsubscribe;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#unsubscribe = [
      app.connection.on("welcome", () => this.#watch()),
      app.connection.on("lobby", (/** @type {LobbyChange} */ change) => this.#onChange(change)),
    ];
    if (app.connection.welcome !== undefined) this.#watch();
    this.#draw();
  }

  close() {
    for (const stop of this.#unsubscribe) stop();
    this.#app.connection.request({ type: "lobby", watch: false }).catch(() => {});
  }

  async #watch() {
    try {
      const lobby = await this.#app.connection.request({ type: "lobby", watch: true });
      this.#seeks.clear();
      this.#onChange(lobby);
    } catch {
      // The next welcome requests it again.
    }
  }

  /** @param {LobbyChange} change */
  #onChange(change) {
    for (const seek of change.add) this.#seeks.set(seek.seek, seek);
    for (const seek of change.remove) this.#seeks.delete(seek);
    this.#draw();
  }

  #draw() {
    const me = this.#app.connection.welcome?.user?.name;
    const rows = [...this.#seeks.values()].map((seek) => this.#row(seek, me));
    update(
      this.element,
      html("h2", {}, t.seeks),
      rows.length > 0 ? html("ul", { class: "rows" }, rows) : html("p", { class: "empty" }, t.noSeeks),
      this.#error,
    );
  }

  /**
   * @param {SeekEntry} seek
   * @param {string | undefined} me
   */
  #row(seek, me) {
    const own = me !== undefined && seek.joined.includes(me);
    const about = [
      strings.clock(seek.clock),
      strings.options(seek.options),
      seek.players > 2 && t.seated(seek.joined.length, seek.players),
      seek.rated && t.rated,
      seek.bot && strings.game.bot,
    ];
    return html(
      "li",
      { "data-seek": seek.seek },
      html("span", { class: "what" }, strings.gameName(seek.rules)),
      html("span", { class: "who" }, own && seek.joined.length === 1 ? t.waiting : t.versus(seek.joined)),
      html("span", { class: "about" }, about.filter(Boolean).join(" · ")),
      html(
        "button",
        { class: own ? "quiet" : "", onclick: () => this.#toggle(seek.seek, own) },
        own ? t.withdraw : t.join,
      ),
    );
  }

  /**
   * @param {string} seek
   * @param {boolean} own
   */
  async #toggle(seek, own) {
    fill(this.#error);
    try {
      if (own) await this.#app.connection.request({ type: "unseek", seek });
      else await accept(this.#app, { seek });
    } catch (error) {
      fill(this.#error, errorText(error));
    }
  }
}
