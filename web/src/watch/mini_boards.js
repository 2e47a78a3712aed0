// Live games as small boards. However many games there are, each frame draws for a limited time:
// only visible boards that have changed, and the rest in the next frame.

import { changes } from "../board/changes.js";
import { StillBoard } from "../game/watched_board.js";
import { html } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { visibilityObserver } from "../ui/observers.js";

/** @import {BoardLayout, GameEntry, GameResult, LiveChange, LiveGame, Snapshot} from "../wire.js" */
/** @import {App} from "../app.js" */

/** Drawing time in one frame, in milliseconds: a quarter of a frame at 60 frames a second. */
const DRAWING_MAX_MS = 4;

/**
 * How far outside the window a board counts as visible, so that no empty board scrolls into view.
 */
const SEEN_MARGIN = "200px";

/** A game without a move for so long, in milliseconds, comes after those that move. */
const IDLE_AFTER_MS = 120_000;

/** How long the result of a game stays on its board, in milliseconds. */
const RESULT_MS = 5_000;

/** Results that are requested at the same time. */
const RESULTS_MAX = 4;

/**
 * The games to show.
 * @typedef {object} Selection
 * @property {string} [rules] only of this kind
 * @property {boolean} [many] whether to request as many as the server lists
 * @property {number} [shown] the largest number of boards
 * @property {() => string | undefined} [except] a game that is shown elsewhere
 * @property {(game: LiveGame) => boolean} [filter] which games to show
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
  /** Games that are over, whose result is still shown. @type {Map<string, ReturnType<typeof setTimeout>>} */
  #ending = new Map();
  #frame = 0;
  #observer = visibilityObserver((entries) => this.#onIntersection(entries), SEEN_MARGIN);

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
      connection.onSession(() => this.#load()),
      connection.on("live", (/** @type {LiveChange} */ change) => this.#changed(change)),
    ];
  }

  /** Number of boards. */
  get size() {
    return this.#miniBoards.size;
  }

  /** Whether there are more games than boards. */
  get overflows() {
    const elsewhere = this.#games.has(this.#selection.except?.() ?? "") ? 1 : 0;
    return this.#games.size - elsewhere > this.#miniBoards.size - this.#ending.size;
  }

  close() {
    for (const stop of this.#unsubscribe) stop();
    for (const timer of this.#ending.values()) clearTimeout(timer);
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
    for (const game of change.remove) {
      if (this.#games.delete(game)) this.#end(game);
    }
    for (const each of change.add) {
      this.#games.set(each.entry.game, each);
      const miniBoard = this.#miniBoards.get(each.entry.game);
      if (miniBoard?.update(each)) this.#dirty.add(miniBoard);
    }
    this.update();
  }

  /**
   * Shows the result of a game that has left the list for a while.
   * @param {string} game
   */
  async #end(game) {
    const miniBoard = this.#miniBoards.get(game);
    if (miniBoard?.visible !== true || this.#ending.size >= RESULTS_MAX) return;
    this.#ending.set(game, setTimeout(() => this.#onEnded(game), RESULT_MS));
    try {
      const response = await fetch(`/v1/games/${game}`);
      const { result, seats } = /** @type {Snapshot} */ (await response.json());
      // The game may only have left the list.
      if (result) miniBoard.end(result, seats.map(({ user }) => strings.player(user)));
      else this.#onEnded(game);
    } catch {
      this.#onEnded(game);
    }
  }

  /** @param {string} game */
  #onEnded(game) {
    clearTimeout(this.#ending.get(game));
    if (this.#ending.delete(game)) this.update();
  }

  /** Assigns games to boards. A game keeps its board until it ends, or until one moves. */
  update() {
    const { except, filter = () => true, shown = Number.POSITIVE_INFINITY } = this.#selection;
    const elsewhere = except?.();
    const wanted = [...this.#games.values()].filter((live) => live.entry.game !== elsewhere && filter(live));
    const names = new Set(wanted.map(({ entry }) => entry.game));
    for (const [game, miniBoard] of this.#miniBoards) {
      if (!names.has(game) && (!this.#ending.has(game) || game === elsewhere)) this.#remove(game, miniBoard);
    }
    const now = this.#app.connection.time.now();
    const isIdle = (/** @type {LiveGame} */ { entry }) => now - entry.last_at > IDLE_AFTER_MS;
    const waiting = wanted.filter(({ entry }) => !this.#miniBoards.has(entry.game));
    waiting.sort((one, other) => other.entry.last_at - one.entry.last_at);
    const moving = waiting.filter((live) => !isIdle(live));
    const idleShown = wanted.filter((live) => this.#miniBoards.has(live.entry.game) && isIdle(live));
    for (const { entry } of idleShown.slice(0, Math.max(0, this.#miniBoards.size + moving.length - shown))) {
      const miniBoard = this.#miniBoards.get(entry.game);
      if (miniBoard !== undefined) this.#remove(entry.game, miniBoard);
    }
    for (const live of waiting.slice(0, Math.max(0, shown - this.#miniBoards.size))) this.#add(live);
    this.#sort(isIdle);
    this.#onChange();
    this.#scheduleDraw();
  }

  /**
   * Moves the boards of games that do not move behind the others.
   * @param {(live: LiveGame) => boolean} isIdle
   */
  #sort(isIdle) {
    for (const [game, miniBoard] of this.#miniBoards) {
      const live = this.#games.get(game);
      miniBoard.element.classList.toggle("idle", live !== undefined && isIdle(live));
    }
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

  /** @param {Pick<IntersectionObserverEntry, "target" | "isIntersecting">[]} entries */
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
  #board = new StillBoard();
  #caption;
  #live;
  /** The drawn state. @type {LiveGame | undefined} */
  #drawn;

  /** @param {LiveGame} live */
  constructor(live) {
    this.#live = live;
    const { entry } = live;
    this.#caption = captionOf(entry);
    this.element = html(
      "li",
      {},
      html("a", { class: "mini-board", href: `/game/${entry.game}` }, html("div", { class: "frame", "aria-hidden": "true" }, this.#board.element), this.#caption),
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
    const [before, { position, entry }] = [this.#drawn?.position, this.#live];
    if (this.layout === undefined) return;
    this.#drawn = this.#live;
    this.#board.show(this.layout, position, before && changes(before, position), { noAnimation: true });
    markTurn(this.#caption, entry.to_move);
  }

  /**
   * Shows the result.
   * @param {GameResult} result
   * @param {string[]} users
   */
  end(result, users) {
    markTurn(this.#caption, undefined);
    this.element.firstElementChild?.append(html("span", { class: "result" }, strings.result(result, users)));
  }
}

/**
 * The players of a game, each with the colour of the seat.
 * @param {GameEntry} entry
 */
export function captionOf(entry) {
  const caption = html(
    "span",
    { class: "players" },
    html("small", {}, strings.gameName(entry.rules)),
    entry.seats.map((seat, index) =>
      html("span", { class: `player seat${index}` }, html("span", { class: "name" }, strings.player(seat.user)), seat.rating != null && html("small", {}, seat.rating)),
    ),
  );
  markTurn(caption, entry.to_move);
  return caption;
}

/**
 * Marks the player who is to move.
 * @param {Element} caption
 * @param {number | null | undefined} seat
 */
function markTurn(caption, seat) {
  [...caption.querySelectorAll(".player")].forEach((player, index) => player.classList.toggle("to-move", index === seat));
}
