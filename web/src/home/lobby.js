// The open seeks of all users, as the server reports them. It draws nothing.

/** @import {LobbyChange, SeekEntry} from "../wire.js" */
/** @import {App} from "../app.js" */

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
      app.connection.on("welcome", () => this.#watch()),
      app.connection.on("lobby", (/** @type {LobbyChange} */ change) => this.#onChange(change)),
    ];
    if (app.connection.welcome !== undefined) this.#watch();
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
