// A position with moves tried on it. The server judges the moves and keeps nothing; an answer is
// asked for once.

/** @import {Connection} from "../net/connection.js" */
/** @import {Source} from "../game/draft.js" */
/** @import {BoardLayout, Explored, HouseLevel, Options, Sketch} from "../wire.js" */

/**
 * The position that moves are tried on: after some plies of a game, or at the start of one.
 * @typedef {{ game: string, ply: number } | { rules: string, options: Options, players: number }} Base
 */

/** Number of answers that an exploration remembers. */
const ANSWERS_MAX = 64;

/**
 * A position: the moves tried on a base.
 * @typedef {{ base: Base, moves: readonly string[] }} Place
 */

export class Exploration {
  #connection;
  /** @type {Map<string, Promise<Explored>>} */
  #answers = new Map();

  /** @type {Base} */
  base;
  /** The moves tried so far. @type {readonly string[]} */
  moves;

  /**
   * @param {Connection} connection
   * @param {Base} base
   * @param {readonly string[]} [moves]
   */
  constructor(connection, base, moves = []) {
    this.#connection = connection;
    this.base = base;
    this.moves = moves;
  }

  /** @returns {Promise<BoardLayout>} */
  layout() {
    const base = "game" in this.base ? { game: this.base.game } : this.base;
    return this.#connection.request({ type: "layout", ...base });
  }

  /** Returns the position before the first move. */
  start() {
    return this.at({ base: "game" in this.base ? { ...this.base, ply: 0 } : this.base, moves: [] });
  }

  /**
   * Returns the position after moves, and what can be picked first in it.
   * @param {readonly string[]} [moves]
   * @returns {Promise<Explored>}
   */
  after(moves = this.moves) {
    return this.at({ base: this.base, moves });
  }

  /**
   * Returns a position, and what can be picked first in it.
   * @param {Place} place
   */
  at(place) {
    return this.#ask(place, { steps: true });
  }

  /**
   * Returns who judges the moves that are composed on the present position.
   * @param {Source["play"]} play called with a complete move
   * @returns {Source}
   */
  source(play) {
    const judge = async (/** @type {Sketch} */ sketch) => {
      const explored = await this.#ask(this, { sketch });
      return explored.sketch == null ? undefined : { sketch: explored.sketch };
    };
    return { judge, play };
  }

  /**
   * Returns what a bot of the server thinks of the position.
   * @param {HouseLevel} level
   */
  opinion(level) {
    return this.#ask(this, { opinion: level });
  }

  /** Returns what perfect play comes to, where the server knows it. */
  oracle() {
    return this.#ask(this, { oracle: true });
  }

  /**
   * @param {Place} place
   * @param {{ steps?: boolean, sketch?: Sketch, opinion?: HouseLevel, oracle?: boolean }} what
   * @returns {Promise<Explored>}
   */
  #ask({ base, moves }, what) {
    const key = JSON.stringify([base, moves, what]);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = this.#connection.request({ type: "explore", ...base, moves: [...moves], ...what });
    this.#answers.set(key, answer);
    // A refusal is not remembered: it may be the network's.
    answer.catch(() => this.#answers.delete(key));
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= ANSWERS_MAX) break;
      this.#answers.delete(oldest);
    }
    return answer;
  }
}
