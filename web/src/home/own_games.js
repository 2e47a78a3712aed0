// The user's live games as boards: those that wait for the user's move first, with the time left.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { ownGameCount } from "./own_game_count.js";
import { OwnGameTile, emptyTile } from "./own_game_tile.js";
import { canNotify, notificationsOn, turnOn } from "../notify/push.js";

/** @import {App} from "../app.js" */

const t = strings.home;

/** Boards that are shown until the user asks for all. */
const SHOWN_MAX = 8;

/** How often the times are drawn, in milliseconds. */
const TICK_MS = 1_000;

export class OwnGames {
  element = html("section", { class: "own-games" });
  #app;
  /** @type {Map<string, OwnGameTile>} */
  #tiles = new Map();
  #shownMax = SHOWN_MAX;
  /** Whether the boards of all games that there were at first have come. */
  #isComplete = false;
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
    const { games, connection, identity } = this.#app;
    const isVisitor = connection.welcome === undefined ? identity.auth() === undefined : connection.welcome.user === null;
    if (isVisitor) return update(this.element);
    if (connection.welcome === undefined) return this.#show(roomFor(Math.min(ownGameCount(), this.#shownMax)), ownGameCount());
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
      return tile;
    });
    // The order is known when all have come, and no board changes its place before.
    this.#isComplete ||= tiles.every((tile) => tile.isComplete);
    const elements = this.#isComplete ? tiles.map((tile) => tile.element) : roomFor(tiles.length);
    return this.#show(elements, sorted.length);
  }

  /**
   * @param {HTMLElement[]} tiles
   * @param {number} count how many games there are, shown or not
   */
  #show(tiles, count) {
    const showAll = () => {
      this.#shownMax = Number.POSITIVE_INFINITY;
      this.#draw();
    };
    update(
      this.element,
      tiles.length > 0 && html("div", { class: "heading" }, html("h2", {}, t.yours), this.#notifyButton()),
      tiles.length > 0 && html("ul", { class: "own-boards" }, tiles),
      count > tiles.length && html("button", { class: "quiet", onclick: showAll }, `${t.showAll} (${count})`),
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

/**
 * Places for boards that have not come yet.
 * @param {number} number
 */
function roomFor(number) {
  return Array.from({ length: number }, emptyTile);
}
