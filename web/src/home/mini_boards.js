// Live games as small boards. However many games there are, each frame draws for a limited time:
// only visible boards that have changed, and the rest in the next frame.

import { Board } from "../board/board.js";
import { changes } from "../board/changes.js";
import { lastMoveHighlights } from "../board/markers.js";
import { html } from "../ui/element.js";
import { strings } from "../strings/strings.js";

/** @import {BoardLayout, GameEntry, LiveChange, LiveGame} from "../wire.js" */
/** @import {App} from "../app.js" */

/** Drawing time in one frame, in milliseconds: a quarter of a frame at 60 frames a second. */
const DRAWING_MAX_MS = 4;

/**
 * How far outside the window a board counts as visible, so that no empty board scrolls into view.
 */
const SEEN_MARGIN = "200px";

/**
 * The games to show.
 * @typedef {object} Selection
 * @property {string} [rules] only of this kind
 * @property {boolean} [many] whether to request as many as the server lists
 * @property {number} [shown] the largest number of boards
 * @property {() => string | undefined} [except] a game that is shown elsewhere
 */

export class MiniBoards {
  element = html("ul", { class: "mini-boards" });
  #app;
  #selection;
  #onChange;
  #unsubscribe;
  /** Live games by id. @type {Map<string, LiveGame>} */
  #games = new Map();
  /** The boards by game. @type {Map<string, MiniBoard>} */
  #miniBoards = new Map();
  /** Boards with changes to draw, oldest first. @type {Set<MiniBoard>} */
  #dirty = new Set();
  /**
   * Layouts by rules, options and number of seats: many games share one.
   * @type {Map<string, Promise<BoardLayout>>}
   */
  #layouts = new Map();
  #frame = 0;
  #observer = new IntersectionObserver((entries) => this.#onIntersection(entries), { rootMargin: SEEN_MARGIN });

  /**
   * @param {App} app
   * @param {Selection} selection
   * @param {() => void} onChange called when games have come or gone
   */
  constructor(app, selection, onChange) {
    this.#app = app;
    this.#selection = selection;
    this.#onChange = onChange;
    const { connection } = app;
    this.#unsubscribe = [
      connection.on("welcome", () => this.#load()),
      connection.on("live", (/** @type {LiveChange} */ change) => this.#changed(change)),
    ];
    if (connection.welcome !== undefined) this.#load();
  }

  /** Number of boards. */
  get size() {
    return this.#miniBoards.size;
  }

  /** Whether there are more games than boards. */
  get overflows() {
    const elsewhere = this.#games.has(this.#selection.except?.() ?? "") ? 1 : 0;
    return this.#games.size - elsewhere > this.#miniBoards.size;
  }

  close() {
    for (const stop of this.#unsubscribe) stop();
    cancelAnimationFrame(this.#frame);
    this.#observer.disconnect();
    this.#app.connection.request({ type: "live", watch: false }).catch(() => {});
  }

  async #load() {
    const { rules, many } = this.#selection;
    try {
      this.#changed(await this.#app.connection.request({ type: "live", rules, many }));
    } catch {
      // The next welcome requests it again.
    }
  }

  /** @param {LiveChange} change */
  #changed(change) {
    if (change.full) this.#games.clear();
    for (const game of change.remove) this.#games.delete(game);
    for (const each of change.add) {
      this.#games.set(each.entry.game, each);
      const miniBoard = this.#miniBoards.get(each.entry.game);
      if (miniBoard?.update(each)) this.#dirty.add(miniBoard);
    }
    this.update();
  }

  /** Assigns games to boards. A game keeps its board until it ends. */
  update() {
    const except = this.#selection.except?.();
    for (const [game, miniBoard] of this.#miniBoards) {
      if (!this.#games.has(game) || game === except) this.#remove(game, miniBoard);
    }
    const room = (this.#selection.shown ?? Number.POSITIVE_INFINITY) - this.#miniBoards.size;
    if (room > 0) {
      const waiting = [...this.#games.values()].filter(({ entry: { game } }) => game !== except && !this.#miniBoards.has(game));
      waiting.sort((one, other) => other.entry.last_at - one.entry.last_at);
      for (const live of waiting.slice(0, room)) this.#add(live);
    }
    this.#onChange();
    this.#scheduleDraw();
  }

  /**
   * @param {string} game
   * @param {MiniBoard} miniBoard
   */
  #remove(game, miniBoard) {
    this.#observer.unobserve(miniBoard.element);
    miniBoard.element.remove();
    this.#miniBoards.delete(game);
    this.#dirty.delete(miniBoard);
  }

  /** @param {LiveGame} live */
  async #add(live) {
    const { game } = live.entry;
    const miniBoard = new MiniBoard(live);
    this.#miniBoards.set(game, miniBoard);
    this.element.append(miniBoard.element);
    this.#observer.observe(miniBoard.element);
    try {
      miniBoard.layout = await this.#layout(live.entry);
    } catch {
      this.#remove(game, miniBoard);
    }
    // The game may have ended before its layout came.
    if (this.#miniBoards.get(game) !== miniBoard) return;
    this.#dirty.add(miniBoard);
    this.#scheduleDraw();
  }

  /** @param {GameEntry} entry */
  #layout({ game, rules, options, seats }) {
    const key = JSON.stringify([rules, options, seats.length]);
    const known = this.#layouts.get(key) ?? this.#app.connection.request({ type: "layout", game });
    this.#layouts.set(key, known);
    known.catch(() => this.#layouts.delete(key));
    return known;
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #onIntersection(entries) {
    const visible = new Map(entries.map((entry) => [entry.target, entry.isIntersecting]));
    for (const miniBoard of this.#miniBoards.values()) miniBoard.visible = visible.get(miniBoard.element) ?? miniBoard.visible;
    this.#scheduleDraw();
  }

  /** Draws before the next frame. */
  #scheduleDraw() {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#frame = 0;
    const until = performance.now() + DRAWING_MAX_MS;
    for (const miniBoard of this.#dirty) {
      if (!miniBoard.visible || miniBoard.layout === undefined) continue;
      if (performance.now() >= until) return this.#scheduleDraw();
      this.#dirty.delete(miniBoard);
      miniBoard.draw();
    }
  }
}

/** The board of one game. */
class MiniBoard {
  element;
  /** @type {BoardLayout | undefined} */
  layout;
  /** Whether the board is in view. */
  visible = false;
  #board = new Board();
  #live;
  /** The drawn state. @type {LiveGame | undefined} */
  #drawn;

  /** @param {LiveGame} live */
  constructor(live) {
    this.#live = live;
    const { entry } = live;
    this.element = html(
      "li",
      {},
      html("a", { class: "mini-board", href: `/game/${entry.game}` }, html("div", { class: "frame" }, this.#board), players(entry)),
    );
  }

  /**
   * Sets the state of the game. Returns whether there is something to draw.
   * @param {LiveGame} live
   */
  update(live) {
    const isNewer = live.seq !== this.#live.seq;
    this.#live = live;
    return isNewer;
  }

  draw() {
    const [before, { position }] = [this.#drawn?.position, this.#live];
    if (this.layout === undefined) return;
    if (before === undefined) this.#board.setLayout(this.layout, { live: false, labels: false });
    const highlights = before === undefined ? new Map() : lastMoveHighlights(changes(before, position));
    this.#drawn = this.#live;
    this.#board.show({ position, highlights, noAnimation: true });
  }
}

/** @param {GameEntry} entry */
export function players(entry) {
  const users = entry.seats.map((seat) => (seat.rating == null ? seat.user : `${seat.user} ${seat.rating}`));
  return html("span", { class: "players" }, html("b", {}, strings.gameName(entry.rules)), ` ${strings.home.versus(users)}`);
}
