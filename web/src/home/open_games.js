// The games that wait for an opponent: anybody may join.

import { accept, seekInWords } from "../set_up/challenges.js";
import { strings } from "../strings/strings.js";
import { html, update } from "../ui/element.js";
import { emblem } from "../ui/emblems.js";
import { errorText } from "../ui/error_text.js";
import { loadingLine } from "../ui/loading.js";

/** @import {App} from "../app.js" */
/** @import {LobbyChange, SeekEntry} from "../wire.js" */

const t = strings.home;

/** The open seeks of all users, as the server reports them. It draws nothing. */
export class Lobby {
  #app;
  /** @type {Map<string, SeekEntry>} */
  #seeks = new Map();
  /** @type {Set<() => void>} */
  #listeners = new Set();
  #unsubscribe;
  /** Whether the list has come. */
  loaded = false;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#unsubscribe = [
      app.connection.onSession(() => this.#watch()),
      app.connection.on("lobby", (/** @type {LobbyChange} */ change) => this.#onChange(change)),
    ];
  }

  close() {
    for (const stop of this.#unsubscribe) stop();
    this.#app.connection.request({ type: "lobby", watch: false }).catch(() => {});
  }

  /** @param {() => void} listener */
  onChange(listener) {
    this.#listeners.add(listener);
  }

  /** The seeks that the user has joined, their own included. */
  get own() {
    const me = this.#app.connection.welcome?.user?.name;
    return [...this.#seeks.values()].filter((seek) => me !== undefined && seek.joined.includes(me));
  }

  /** The seeks of others. */
  get others() {
    const me = this.#app.connection.welcome?.user?.name;
    return [...this.#seeks.values()].filter((seek) => me === undefined || !seek.joined.includes(me));
  }

  async #watch() {
    try {
      const lobby = await this.#app.connection.request({ type: "lobby", watch: true });
      this.#seeks.clear();
      this.loaded = true;
      this.#onChange(lobby);
    } catch {
      // The next welcome requests it again.
    }
  }

  /** @param {LobbyChange} change */
  #onChange(change) {
    for (const seek of change.add) this.#seeks.set(seek.seek, seek);
    for (const seek of change.remove) this.#seeks.delete(seek);
    for (const listener of this.#listeners) listener();
  }
}

export class OpenGames {
  element = html("section", { class: "open-games" });
  #app;
  #lobby;
  #open;

  /**
   * @param {App} app
   * @param {Lobby} lobby
   * @param {() => void} open opens the dialog for a new game
   */
  constructor(app, lobby, open) {
    this.#app = app;
    this.#lobby = lobby;
    this.#open = open;
    lobby.onChange(() => this.#draw());
    this.#draw();
  }

  #draw() {
    const seeks = this.#lobby.others;
    update(
      this.element,
      html("div", { class: "heading" }, html("h2", {}, t.seeks), html("button", { class: "quiet open-game", onclick: () => this.#open() }, t.open)),
      seeks.length > 0
        ? html("ul", { class: "rows" }, seeks.map((seek) => this.#row(seek)))
        : this.#lobby.loaded ? html("p", { class: "empty" }, t.noSeeks) : loadingLine(),
    );
  }

  /** @param {SeekEntry} seek */
  #row(seek) {
    const join = async () => {
      try {
        await accept(this.#app, { seek: seek.seek });
      } catch (error) {
        this.#app.showToast(errorText(error));
      }
    };
    return html(
      "li",
      { "data-seek": seek.seek, "data-key": seek.seek },
      emblem(seek.rules),
      html("span", { class: "who" }, seek.joined.join(", ")),
      html("span", { class: "about", id: `about-${seek.seek}` }, seekInWords(seek)),
      html("button", { "aria-describedby": `about-${seek.seek}`, onclick: join }, t.join),
    );
  }
}
