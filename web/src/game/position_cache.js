// Positions of a game by ply, and what each move changed. They come with snapshots and turns, or
// are loaded a page at a time on demand, and are kept up to a limit.

import { changes } from "../board/changes.js";

/** @import {Capture, PlyPosition} from "../wire.js" */
/** @import {Changes, Position} from "../board/changes.js" */
/** @import {Connection} from "../net/connection.js" */

/**
 * What a move changed.
 * @typedef {Changes & { captured: string[] }} LastMove
 */

/**
 * A position that did not come from a request for positions.
 * @typedef {object} SeenPosition
 * @property {number} ply
 * @property {Position} position
 * @property {readonly string[] | undefined} threatened
 * @property {string[] | undefined} winning
 * @property {readonly Capture[] | undefined} captures what the move before it captured, if known
 */

/** Positions on one page: the server's limit. */
const PAGE = 100;

/** Positions that are kept. Beyond that those furthest from the shown ply are evicted. */
export const CACHED_MAX = 1_000;

/** Positions that are kept although they were not asked for: the last ones. */
const SEEN_MAX = 8;

export class PositionCache {
  #connection;
  #game;
  #onChange;
  /** Loaded positions. @type {Map<number, PlyPosition>} */
  #positions = new Map();
  /** @type {Map<number, SeenPosition>} */
  #seen = new Map();
  /** @type {(SeenPosition & { move: string }) | undefined} */
  #expected;
  /** The moves that the positions belong to. @type {readonly string[]} */
  #moves = [];
  /** Pages that are being loaded. @type {Set<number>} */
  #requestedPages = new Set();

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {() => void} onChange called when positions have been loaded
   */
  constructor(connection, game, onChange) {
    this.#connection = connection;
    this.#game = game;
    this.#onChange = onChange;
  }

  /**
   * Sets the moves of the game. Positions of undone moves are evicted.
   * @param {readonly string[]} moves
   */
  setMoves(moves) {
    let same = 0;
    while (same < moves.length && moves[same] === this.#moves[same]) same += 1;
    for (const known of [this.#positions, this.#seen]) for (const ply of known.keys()) if (ply > same) known.delete(ply);
    this.#moves = moves;
    if (this.#expected !== undefined && moves[this.#expected.ply - 1] === this.#expected.move) this.add(this.#expected);
    this.#expected = undefined;
  }

  /** @param {SeenPosition} seen */
  add(seen) {
    const { captures } = seen.captures === undefined ? { ...this.#seen.get(seen.ply) } : seen;
    this.#seen.set(seen.ply, { ...seen, captures });
    for (const ply of this.#seen.keys()) if (ply < seen.ply - SEEN_MAX) this.#seen.delete(ply);
  }

  /**
   * Remembers the position after a move that is about to appear among the moves.
   * @param {SeenPosition & { move: string }} next
   */
  expect(next) {
    this.#expected = next;
  }

  /**
   * Returns the position after a ply and what that ply changed, if they are known.
   * @param {number} ply
   */
  known(ply) {
    const board = this.#positions.get(ply) ?? this.#seen.get(ply);
    const before = ply === 0 ? undefined : (this.#positions.get(ply - 1) ?? this.#seen.get(ply - 1));
    const captures = ply === 0 ? [] : board?.captures;
    if (board === undefined || captures === undefined || (ply > 0 && before === undefined)) return undefined;
    const captured = captures.map((capture) => capture.cell);
    return { board, lastMove: before && { ...changes(before.position, board.position), captured } };
  }

  /**
   * Returns the position after a ply and what that ply changed. Unknown positions are requested.
   * @param {number} ply
   */
  at(ply) {
    const known = this.known(ply);
    if (known !== undefined) return known;
    this.#request(Math.max(ply - 1, 0), ply);
    this.#request(ply, ply);
    return undefined;
  }

  /**
   * Requests the page of a ply, except for its known beginning.
   * @param {number} ply
   * @param {number} near the shown ply
   */
  async #request(ply, near) {
    const first = ply - (ply % PAGE);
    if (this.#positions.has(ply) || this.#requestedPages.has(first)) return;
    let from = first;
    while (this.#positions.has(from)) from += 1;
    this.#requestedPages.add(first);
    const [asked, limit] = [this.#moves, first + PAGE - from];
    try {
      const question = /** @type {const} */ ({ type: "positions", game: this.#game, from_ply: from, limit });
      const { positions } = await this.#connection.request(question);
      // A newer move extends the line. A takeback changes it, so the page is requested again.
      const holds = asked.every((move, at) => move === this.#moves[at]);
      if (holds) for (const board of positions) this.#positions.set(board.ply, board);
      this.#evict(near);
    } catch {
      // The next call requests it again.
      return;
    } finally {
      this.#requestedPages.delete(first);
    }
    this.#onChange();
  }

  /** @param {number} near */
  #evict(near) {
    const excess = this.#positions.size - CACHED_MAX;
    if (excess <= 0) return;
    const away = [...this.#positions.keys()].sort((one, other) => Math.abs(other - near) - Math.abs(one - near));
    for (const ply of away.slice(0, excess)) this.#positions.delete(ply);
  }
}
