// The user's live games as boards: those that wait for the user's move first, with the time left.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { OwnGameTile } from "./own_game_tile.js";
import { canNotify, notificationsOn, turnOn } from "./push.js";

/** @import {App} from "../app.js" */

const t = strings.home;

/** Boards that are shown until the user asks for all. */
const SHOWN_MAX = 8;

/** The key under which the browser stores how many games there were, to leave room for them. */
const KEY = "adamant.own-games";

/** How often the times are drawn, in milliseconds. */
const TICK_MS = 1_000;

export class OwnGames {
  element = html("section", { class: "own-games" });
  #app;
  /** @type {Map<string, OwnGameTile>} */
  #tiles = new Map();
  #shownMax = SHOWN_MAX;
  #unsubscribe;
  #tick;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#unsubscribe = [app.games.onChange(() => this.#draw()), app.connection.on("welcome", () => this.#draw())];
    this.#tick = setInterval(() => {
      for (const tile of this.#tiles.values()) tile.tick();
    }, TICK_MS);
    this.#draw();
  }

  close() {
    for (const stop of this.#unsubscribe) stop();
    clearInterval(this.#tick);
    for (const tile of this.#tiles.values()) tile.close();
  }

  #draw() {
    const { games, connection } = this.#app;
    const { welcome } = connection;
    if (welcome === undefined) return this.#reserve();
    localStorage.setItem(KEY, String(games.live.size));
    const sorted = [...games.live].sort((one, other) => this.#rank(one) - this.#rank(other));
    const shown = sorted.slice(0, this.#shownMax);
    for (const [game, tile] of this.#tiles) {
      if (shown.includes(game)) continue;
      tile.close();
      this.#tiles.delete(game);
    }
    const tiles = shown.map((game) => {
      const tile = this.#tiles.get(game) ?? new OwnGameTile(this.#app, game, () => this.#draw());
      this.#tiles.set(game, tile);
      return tile.element;
    });
    const showAll = () => {
      this.#shownMax = Number.POSITIVE_INFINITY;
      this.#draw();
    };
    return update(
      this.element,
      tiles.length > 0 && html("div", { class: "heading" }, html("h2", {}, t.yours), this.#notifyButton()),
      tiles.length > 0 && html("ul", { class: "own-boards" }, tiles),
      sorted.length > shown.length && html("button", { class: "quiet", onclick: showAll }, `${t.showAll} (${sorted.length})`),
    );
  }

  /**
   * The games that wait for the user come first, those with the least time left first of all.
   * @param {string} game
   */
  #rank(game) {
    const left = this.#tiles.get(game)?.timeLeft ?? Number.MAX_SAFE_INTEGER / 2;
    return this.#app.games.toMove.has(game) ? left - Number.MAX_SAFE_INTEGER / 2 : 0;
  }

  /** Leaves room for as many boards as there were last time. */
  #reserve() {
    const number = Math.min(Number(localStorage.getItem(KEY)) || 0, this.#shownMax);
    if (number === 0 || this.#app.identity.auth() === undefined) return;
    const room = Array.from({ length: number }, () => html("li", { class: "own-game" }, html("div", { class: "frame" }), html("span", { class: "room" })));
    update(this.element, html("div", { class: "heading" }, html("h2", {}, t.yours)), html("ul", { class: "own-boards", "aria-busy": "true" }, room));
  }

  /** Offers notifications to those who have games to be told about. */
  #notifyButton() {
    if (!canNotify() || notificationsOn()) return null;
    const ask = async () => {
      const isOn = await turnOn(this.#app.connection);
      this.#app.showToast(isOn ? strings.notify.on : strings.notify.refused);
      this.#draw();
    };
    return html("button", { class: "quiet notify", title: strings.notify.about, onclick: ask }, strings.notify.ask);
  }
}
