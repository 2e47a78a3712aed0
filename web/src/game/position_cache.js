// The boards that a game went through, by ply: asked for a page at a time as they are needed, and kept
// as far as there is room. Which one is looked at is not known here.

import { changes } from "../board/changes.js";

/** @import {PlyPosition} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {LastMove} from "./game_sync.js" */

/** Boards on one page: the server's most. */
const PAGE = 100;

/** Boards that are kept; beyond that those furthest from where one looks are asked for again. */
export const CACHED_MAX = 1_000;

export class PositionCache {
  #connection;
  #game;
  #onChange;
  /** @type {Map<number, PlyPosition>} */
  #positions = new Map();
  /** The moves that the boards belong to. @type {readonly string[]} */
  #moves = [];
  /** Pages that were asked for, until they come. @type {Set<number>} */
  #requestedPages = new Set();

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {() => void} onChange told that further boards are known
   */
  constructor(connection, game, onChange) {
    this.#connection = connection;
    this.#game = game;
    this.#onChange = onChange;
  }

  /**
   * Takes note of the moves that stand. Boards of moves that were taken back are forgotten.
   * @param {readonly string[]} moves
   */
  setMoves(moves) {
    let same = 0;
    while (same < moves.length && moves[same] === this.#moves[same]) same += 1;
    for (const ply of this.#positions.keys()) if (ply > same) this.#positions.delete(ply);
    this.#moves = moves;
  }

  /**
   * The board after a ply, and what that ply did. What is not known yet is asked for.
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
   * Asks for the page that a ply is on, but for what is known at its beginning.
   * @param {number} ply
   * @param {number} near the ply that is looked at
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
      // A move that came meanwhile adds to the line; one that was taken back changes it: ask again.
      const holds = asked.every((move, at) => move === this.#moves[at]);
      if (holds) for (const board of positions) this.#positions.set(board.ply, board);
      this.#evict(near);
    } catch {
      // Whoever looks again asks again.
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
