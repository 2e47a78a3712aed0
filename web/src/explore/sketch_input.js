// Turns picked cells into a move of an explored position. The server answers each sketch; picks
// wait for the answer to the one before. A wrong pick changes nothing. This module knows no rules.

import { canAddPiece, dropPieces, isComplete, isOpen, pickCell, sketchOf, unpickCell } from "../game/sketch.js";
import { strings } from "../strings/strings.js";

/** @import {Explored, Sketch, SketchAnswer} from "../wire.js" */
/** @import {Position} from "../board/changes.js" */
/** @import {Role} from "../game/sketch.js" */
/** @import {Exploration} from "./exploration.js" */

/**
 * @typedef {object} InputCallbacks
 * @property {() => void} onChange
 * @property {(move: string) => void} onMove called with a complete move
 * @property {(why: string) => void} onRefused called with the server's reason against a pick, or with none
 * @property {(error: unknown) => void} onError
 */

/** The sketch, and the position with it. @typedef {{ answer: SketchAnswer, position: Position | undefined }} State */

export class SketchInput {
  #exploration;
  #callbacks;
  /** @type {State} */
  #blank = { answer: { move: null, from: [], to: [], next: [] }, position: undefined };
  #state = this.#blank;
  /** @type {State[]} */
  #before = [];
  #queue = Promise.resolve();
  /** Rises when earlier picks no longer count. */
  #version = 0;
  /** The cell that pieces are dragged from, and the sketch before. @type {{ cell: string, state: State } | undefined} */
  #drag;

  /** Whether a complete move with nothing left to decide is made without confirmation. */
  autoPlay = true;
  /** Whether picks have an effect. */
  active = false;

  /**
   * @param {Exploration} exploration
   * @param {InputCallbacks} callbacks
   */
  constructor(exploration, callbacks) {
    this.#exploration = exploration;
    this.#callbacks = callbacks;
  }

  get answer() {
    return this.#state.answer;
  }

  /** The position with the sketch, if there is one. */
  get position() {
    return this.#state.position;
  }

  get started() {
    return this.answer.from.length + this.answer.to.length > 0;
  }

  /** Moves without cells, such as a swap. @type {readonly string[]} */
  words = [];

  /** Cells that pieces can be dragged from. @returns {ReadonlySet<string>} */
  get movable() {
    const sources = this.active ? this.#blank.answer.next.filter((next) => next.as === "from") : [];
    return new Set(sources.map((next) => next.cell));
  }

  /** The pieces that are dragged along, if the game names them. */
  get draggedPieces() {
    return this.answer.from.find((each) => each.cell === this.#drag?.cell)?.choice ?? "";
  }

  /** The cell whose amount can be changed. @returns {{ role: Role, entry: SketchAnswer["from"][number] } | undefined} */
  get open() {
    for (const role of /** @type {const} */ (["to", "from"])) {
      const entry = this.answer[role].findLast(isOpen);
      if (entry !== undefined) return { role, entry };
    }
    return undefined;
  }

  /**
   * Begins a turn.
   * @param {Explored} explored
   */
  begin({ steps, result }) {
    const next = (steps?.first ?? []).map(({ cell, as }) => ({ cell, as }));
    this.#blank = { answer: { move: null, from: [], to: [], next }, position: undefined };
    this.words = steps?.words ?? [];
    this.active = result == null;
    this.clear();
  }

  /** Drops the sketch. */
  clear() {
    this.#version += 1;
    this.#queue = Promise.resolve();
    this.#state = this.#blank;
    this.#before = [];
    this.#drag = undefined;
    this.#callbacks.onChange();
  }

  /** Takes the last pick back. */
  undo() {
    this.#version += 1;
    this.#queue = Promise.resolve();
    this.#state = this.#before.pop() ?? this.#blank;
    this.#callbacks.onChange();
  }

  /** Makes the composed move. */
  play() {
    return this.#enqueue(async () => this.#make());
  }

  #make() {
    const { move } = this.answer;
    if (move == null || !this.active) return;
    this.active = false;
    this.#callbacks.onMove(move);
  }

  /**
   * Picks a cell.
   * @param {string} cell
   * @param {string} [part] the pieces of its stack from the clicked one upwards
   * @param {boolean} [other] whether the second of two roles is meant
   */
  pick(cell, part = "", other = false) {
    return this.#enqueue(() => this.#pick(cell, part, other));
  }

  /**
   * @param {string} cell
   * @param {string} part
   * @param {boolean} other
   */
  async #pick(cell, part, other) {
    const { answer } = this;
    const joined = pickCell(answer, cell, part, other);
    if (joined !== undefined) return this.#change(joined, true);
    const picked = [...answer.from, ...answer.to].find((each) => each.cell === cell);
    if (picked !== undefined) {
      const goes = answer.to.includes(picked);
      if (goes && isOpen(picked) && canAddPiece(picked)) return this.#setAmount("to", cell, { pieces: (picked.pieces ?? 0) + 1 });
      return this.#change(unpickCell(sketchOf(answer), cell), false);
    }
    const fresh = pickCell(this.#blank.answer, cell, part, other);
    if (fresh !== undefined && answer.from.length + answer.to.length <= 1) return this.#change(fresh, true);
    return this.#refuse(cell);
  }

  /**
   * Puts a piece of the reserve on a cell.
   * @param {string} cell
   * @param {string} piece
   */
  place(cell, piece) {
    return this.#enqueue(async () => {
      const explored = await this.#exploration.sketch({ from: [], to: [{ cell, choice: piece }] });
      if (explored.sketch?.move == null) return this.#callbacks.onRefused(strings.why(explored.sketch));
      this.#before.push(this.#state);
      this.#state = { answer: explored.sketch, position: explored.sketch.position };
      if (this.autoPlay) this.#make();
      return undefined;
    });
  }

  /** Reports why a cell cannot be picked. @param {string} cell */
  async #refuse(cell) {
    const version = this.#version;
    const { from = [], to = [] } = sketchOf(this.answer);
    const wanted = this.started ? { from, to: [...(from.length > 0 ? [] : to), { cell }] } : undefined;
    const answered = wanted && (await this.#exploration.sketch(wanted));
    if (version === this.#version) this.#callbacks.onRefused(strings.why(answered?.sketch));
  }

  /**
   * Sets an amount, or which pieces go.
   * @param {Role} role
   * @param {string} cell
   * @param {{ pieces: number } | { choice: string }} amount
   */
  setAmount(role, cell, amount) {
    return this.#enqueue(() => this.#setAmount(role, cell, amount));
  }

  /**
   * @param {Role} role
   * @param {string} cell
   * @param {{ pieces: number } | { choice: string }} amount
   */
  async #setAmount(role, cell, amount) {
    const sketch = sketchOf(this.answer);
    const entry = sketch[role]?.find((each) => each.cell === cell);
    if (entry === undefined) return;
    Object.assign(entry, amount);
    await this.#change(sketch, false);
    // The last choice is made: the amounts of the game are the reader's.
    if ("choice" in amount && this.autoPlay && this.answer.next.every((each) => each.instead_of != null)) this.#make();
  }

  /**
   * @param {string} cell
   * @param {string} part
   */
  grab(cell, part) {
    return this.#enqueue(async () => {
      this.#drag = { cell, state: this.#state };
      if (this.answer.from.some((each) => each.cell === cell)) return;
      const joined = pickCell(this.#blank.answer, cell, part, false);
      if (joined !== undefined) await this.#change(joined, false);
    });
  }

  /**
   * @param {string} cell
   * @param {number} pieces
   * @param {boolean} all whether they are the whole stack
   */
  drop(cell, pieces, all) {
    return this.#enqueue(async () => {
      const drag = this.#drag;
      this.#drag = undefined;
      if (drag === undefined) return;
      const dropped = dropPieces({ cell: drag.cell, answer: drag.state.answer }, this.answer, cell, pieces, all);
      if (dropped !== undefined) return this.#change(dropped, true);
      await this.#refuse(cell);
      this.#state = drag.state;
    });
  }

  /** Cancels a drag. */
  release() {
    return this.#enqueue(async () => {
      if (this.#drag !== undefined) this.#state = this.#drag.state;
      this.#drag = undefined;
    });
  }

  /**
   * @param {Sketch} sketch
   * @param {boolean} last whether it may be the last pick of a move
   */
  async #change(sketch, last) {
    const version = this.#version;
    const isBlank = (sketch.from ?? []).length + (sketch.to ?? []).length === 0;
    const explored = isBlank ? undefined : await this.#exploration.sketch(sketch);
    if (version !== this.#version) return;
    this.#before.push(this.#state);
    const answer = explored?.sketch;
    this.#state = answer == null ? this.#blank : { answer, position: answer.position };
    if (last && this.autoPlay && this.#drag === undefined && isComplete(this.answer)) this.#make();
  }

  /** @param {() => Promise<void>} work */
  #enqueue(work) {
    const version = this.#version;
    this.#queue = this.#queue
      .then(async () => {
        if (version === this.#version && this.active) await work();
      })
      .catch((error) => this.#callbacks.onError(error))
      .finally(() => this.#callbacks.onChange());
    return this.#queue;
  }
}
