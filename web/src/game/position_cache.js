// The boards that a game went through, by ply: asked for a page at a time as they are needed, and kept
// as far as there is room. Which one is looked at is not known here.

import { changes } from "../board/changes.js";

/** @import {PlyPosition} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {LastMove} from "./game_sync.js" */

/** Boards on one page: the server's most. */
const PAGE = 100;

/** Boards that are kept; beyond that those furthest from where one looks are asked for again. */
export const KEPT_MAX = 1_000;

export class Boards {
  #connection;
  #game;
  #heard;
  /** @type {Map<number, PlyPosition>} */
  #known = new Map();
  /** The moves that the boards belong to. @type {readonly string[]} */
  #moves = [];
  /** Pages that were asked for, until they come. @type {Set<number>} */
  #asked = new Set();

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {() => void} heard told that further boards are known
   */
  constructor(connection, game, heard) {
    this.#connection = connection;
    this.#game = game;
    this.#heard = heard;
  }

  /**
   * Takes note of the moves that stand. Boards of moves that were taken back are forgotten.
   * @param {readonly string[]} moves
   */
  follow(moves) {
    let same = 0;
    while (same < moves.length && moves[same] === this.#moves[same]) same += 1;
    for (const ply of this.#known.keys()) if (ply > same) this.#known.delete(ply);
    this.#moves = moves;
  }

  /**
   * The board after a ply, and what that ply did. What is not known yet is asked for.
   * @param {number} ply
   * @returns {{ board: PlyPosition, lastMove: LastMove } | undefined}
   */
  at(ply) {
    const [before, board] = [this.#known.get(Math.max(ply - 1, 0)), this.#known.get(ply)];
    if (before === undefined || board === undefined) {
      this.#ask(Math.max(ply - 1, 0), ply);
      this.#ask(ply, ply);
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
  async #ask(ply, near) {
    const first = ply - (ply % PAGE);
    if (this.#known.has(ply) || this.#asked.has(first)) return;
    let from = first;
    while (this.#known.has(from)) from += 1;
    this.#asked.add(first);
    const [asked, limit] = [this.#moves, first + PAGE - from];
    try {
      const question = /** @type {const} */ ({ type: "positions", game: this.#game, from_ply: from, limit });
      const { positions } = await this.#connection.request(question);
      // A move that came meanwhile adds to the line; one that was taken back changes it: ask again.
      const holds = asked.every((move, at) => move === this.#moves[at]);
      if (holds) for (const board of positions) this.#known.set(board.ply, board);
      this.#forget(near);
    } catch {
      // Whoever looks again asks again.
      return;
    } finally {
      this.#asked.delete(first);
    }
    this.#heard();
  }

  /** @param {number} near */
  #forget(near) {
    const excess = this.#known.size - KEPT_MAX;
    if (excess <= 0) return;
    const away = [...this.#known.keys()].sort((one, other) => Math.abs(other - near) - Math.abs(one - near));
    for (const ply of away.slice(0, excess)) this.#known.delete(ply);
  }
}
