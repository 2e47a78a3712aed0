// A move in the making. Every choice is put to the server, which says what it leads to: the move, what
// can be pointed at next, and how many pieces go. Here is no rule of any game.

import { Refused } from "../net/pending.js";

/** @import {Sketch, SketchAnswer} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {Position} from "../board/changes.js" */

/** @typedef {"from" | "to"} Role */

/** A chosen cell as the server has understood it. @typedef {SketchAnswer["from"][number]} Chosen */

export class Composer {
  #connection;
  #game;
  #heard;
  /** The turn that is composed for. @type {number | undefined} */
  #turn;
  /** What the server says of the empty sketch. @type {SketchAnswer | undefined} */
  #blank;
  /** Choices are put one after the other, each on the answer to the one before. */
  #queue = Promise.resolve();

  /** What the server says of the sketch. @type {SketchAnswer | undefined} */
  answer;
  /** Moves that are only said. @type {string[]} */
  words = [];
  /** The position that the move would lead to. @type {Position | undefined} */
  preview;
  /** What the server said last against something. */
  complaint = "";
  /** Choices that are under way. */
  busy = 0;
  /** The cell whose amount was decided last. @type {{ role: Role, cell: string } | undefined} */
  latest;

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {() => void} heard
   */
  constructor(connection, game, heard) {
    this.#connection = connection;
    this.#game = game;
    this.#heard = heard;
  }

  /** Whether anything has been chosen. */
  get begun() {
    return this.answer !== undefined && this.answer.from.length + this.answer.to.length > 0;
  }

  /** Whether the move is one and nothing could be added to it. */
  get complete() {
    return (
      this.answer?.move != null &&
      this.answer.next.every((next) => next.instead_of != null) &&
      [...this.answer.from, ...this.answer.to].every((chosen) => !isOpen(chosen))
    );
  }

  /**
   * Begins for a turn; a turn that was begun goes on.
   * @param {number} turn
   */
  begin(turn) {
    if (turn === this.#turn && this.#blank !== undefined) return;
    this.#turn = turn;
    this.#blank = undefined;
    this.complaint = "";
    this.#next(() => this.#ask({ from: [], to: [] }));
  }

  /** It is nobody's turn here. */
  end() {
    if (this.#turn === undefined) return;
    this.#turn = undefined;
    this.#blank = undefined;
    this.#reset();
  }

  #reset() {
    this.answer = this.#blank;
    this.preview = undefined;
    this.latest = undefined;
    if (this.#blank === undefined) this.words = [];
  }

  /** Takes everything back. */
  clear() {
    this.complaint = "";
    this.#next(async () => this.#reset());
  }

  /**
   * Points at a cell.
   * @param {string} cell
   * @param {string} part the pieces of its stack from the one that was pointed at upwards, if one was
   * @param {boolean} other whether the less usual of two roles is meant
   */
  pick(cell, part, other) {
    this.complaint = "";
    this.#next(async () => {
      if (this.answer === undefined) return;
      const chosen = this.#chosen(cell);
      const joined = join(this.answer, cell, part, other);
      if (joined !== undefined) await this.#choose(joined, cell);
      else if (chosen === undefined) await this.#anew(cell, part, other);
      else if (chosen.role === "to" && isOpen(chosen.entry) && more(chosen.entry)) {
        await this.#setAmount(chosen.role, cell, (chosen.entry.pieces ?? 0) + 1);
      } else await this.#choose(without(sketchOf(this.answer), cell), undefined);
    });
  }

  /**
   * @param {string} cell
   * @param {string} part
   * @param {boolean} other
   */
  async #anew(cell, part, other) {
    const joined = this.#blank && join(this.#blank, cell, part, other);
    if (joined !== undefined) await this.#choose(joined, cell);
    else this.#reset();
  }

  /** @param {string} cell */
  #chosen(cell) {
    for (const role of /** @type {const} */ (["from", "to"])) {
      const entry = this.answer?.[role].find((each) => each.cell === cell);
      if (entry !== undefined) return { role, entry };
    }
    return undefined;
  }

  /**
   * Decides how many pieces go from or to a chosen cell.
   * @param {Role} role
   * @param {string} cell
   * @param {number} pieces
   */
  amount(role, cell, pieces) {
    this.#next(() => this.#setAmount(role, cell, pieces));
  }

  /**
   * Changes the amount that was decided last.
   * @param {number} by
   */
  nudge(by) {
    this.#next(async () => {
      if (this.latest === undefined) return;
      const { role, cell } = this.latest;
      const entry = this.answer?.[role].find((each) => each.cell === cell);
      if (entry?.pieces != null) await this.#setAmount(role, cell, entry.pieces + by);
    });
  }

  /**
   * @param {Role} role
   * @param {string} cell
   * @param {number} pieces
   */
  async #setAmount(role, cell, pieces) {
    if (this.answer === undefined) return;
    const sketch = sketchOf(this.answer);
    const entry = sketch[role]?.find((each) => each.cell === cell);
    if (entry === undefined) return;
    entry.pieces = Math.max(0, pieces);
    await this.#choose(sketch, cell);
  }

  /**
   * Decides which pieces go, where they are named.
   * @param {Role} role
   * @param {string} cell
   * @param {string} choice
   */
  choice(role, cell, choice) {
    this.#next(async () => {
      if (this.answer === undefined) return;
      const sketch = sketchOf(this.answer);
      const entry = sketch[role]?.find((each) => each.cell === cell);
      if (entry === undefined) return;
      entry.choice = choice;
      await this.#choose(sketch, cell);
    });
  }

  /**
   * @param {Sketch} sketch
   * @param {string | undefined} cell the one that the choice was about
   */
  async #choose(sketch, cell) {
    await this.#ask(sketch);
    const chosen = cell === undefined ? undefined : this.#chosen(cell);
    this.latest =
      chosen && isOpen(chosen.entry) ? { role: chosen.role, cell: chosen.entry.cell } : this.#anyOpen();
  }

  #anyOpen() {
    for (const role of /** @type {const} */ (["to", "from"])) {
      const entry = this.answer?.[role].findLast((each) => each.pieces != null && isOpen(each));
      if (entry !== undefined) return { role, cell: entry.cell };
    }
    return undefined;
  }

  /** @param {Sketch} sketch */
  async #ask(sketch) {
    const [turn, game] = [this.#turn, this.#game];
    const hints = await this.#connection.request({ type: "hints", game, sketch });
    if (turn === undefined || hints.turn !== turn || turn !== this.#turn || !hints.sketch) return;
    const isBlank = (sketch.from ?? []).length + (sketch.to ?? []).length === 0;
    if (isBlank) this.#blank = hints.sketch;
    this.words = hints.words ?? [];
    const { move } = hints.sketch;
    const tried =
      move == null ? undefined : await this.#connection.request({ type: "try", game, turn, move });
    if (turn !== this.#turn) return;
    this.answer = hints.sketch;
    this.preview = tried?.position ?? undefined;
  }

  /**
   * Makes a move.
   * @param {string} notation
   */
  play(notation) {
    const turn = this.#turn;
    if (turn === undefined) return;
    const game = this.#game;
    this.complaint = "";
    this.#next(async () => {
      await this.#connection.request({ type: "move", id: `${game}:${turn}`, game, turn, move: notation });
    });
  }

  /** @param {() => Promise<void>} work */
  #next(work) {
    this.busy += 1;
    this.#queue = this.#queue
      .then(work)
      .catch((error) => this.#complain(error))
      .finally(() => {
        this.busy -= 1;
        this.#heard();
      });
  }

  /** @param {unknown} error */
  #complain(error) {
    // Without an answer the connection says what is wrong, and the next welcome begins anew.
    if (error instanceof Refused && error.failed.retry !== "resync") this.complaint = error.message;
    this.#reset();
  }
}

/** @param {Chosen} chosen */
function isOpen(chosen) {
  if ((chosen.choices?.length ?? 0) > 1) return true;
  return chosen.least != null && chosen.most != null && chosen.least < chosen.most;
}

/** @param {Chosen} chosen */
function more(chosen) {
  return chosen.pieces != null && chosen.most != null && chosen.pieces < chosen.most;
}

/**
 * What an answer understood, to be changed and sent again.
 * @param {SketchAnswer} answer
 * @returns {Sketch}
 */
function sketchOf(answer) {
  const plain = (/** @type {Chosen} */ { cell, pieces, choice }) => ({
    cell,
    ...(pieces == null ? {} : { pieces }),
    ...(choice == null ? {} : { choice }),
  });
  return { from: answer.from.map(plain), to: answer.to.map(plain) };
}

/**
 * @param {Sketch} sketch
 * @param {string} cell
 * @returns {Sketch}
 */
function without(sketch, cell) {
  const others = (/** @type {{ cell: string }} */ each) => each.cell !== cell;
  return { from: sketch.from?.filter(others) ?? [], to: sketch.to?.filter(others) ?? [] };
}

/**
 * The sketch with a cell in the role that the answer has for it.
 * @param {SketchAnswer} answer
 * @param {string} cell
 * @param {string} part
 * @param {boolean} other
 * @returns {Sketch | undefined}
 */
function join(answer, cell, part, other) {
  const roles = answer.next.filter((next) => next.cell === cell);
  const next = (other ? roles[1] : undefined) ?? roles[0];
  if (next === undefined) return undefined;
  let sketch = without(sketchOf(answer), cell);
  if (next.instead_of != null) sketch = without(sketch, next.instead_of);
  const entry = part === "" || next.as !== "from" ? { cell } : { cell, choice: part };
  const list = sketch[next.as] ?? [];
  return { ...sketch, [next.as]: [...list, entry] };
}
