// Positions of a game by ply. They are loaded a page at a time on demand, and kept up to a limit.

import { changes } from "../board/changes.js";

/** @import {PlyPosition} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {LastMove} from "./game_sync.js" */

/** Positions on one page: the server's limit. */
const PAGE = 100;

/** Positions that are kept. Beyond that those furthest from the shown ply are evicted. */
export const CACHED_MAX = 1_000;

export class PositionCache {
  #connection;
  #game;
  #onChange;
  /** @type {Map<number, PlyPosition>} */
  #positions = new Map();
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
    for (const ply of this.#positions.keys()) if (ply > same) this.#positions.delete(ply);
    this.#moves = moves;
  }

  /**
   * Returns the position after a ply and what that ply changed. Unknown positions are requested.
   * @param {number} ply
   * @returns {{ board: PlyPosition, lastMove: LastMove } | undefined}
   */
  at(ply) {
    const [before, board] = [this.#positions.get(Math.max(ply - 1, 0)), this.#positions.get(ply)];
    if (before === undefined || board === undefined) {
      this.#request(Math.max(ply - 1, 0), ply);
      this.#request(ply, ply);
      return undefined;
    }
    const captured = board.captures.map((capture) => capture.cell);
    return { board, lastMove: { ...changes(before.position, board.position), captured } };
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
