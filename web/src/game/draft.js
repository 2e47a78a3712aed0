// The sketched move of a turn, and the steps that led to it. A change shows at once as far as it is
// known; the server's answer completes it: the move, what can be picked next, the amounts, and the
// position. It knows no rules.

import { blankAnswer, firstAnswer, guessedAnswer, isOpen, sketchOf } from "./sketch.js";

/** @import {Capture, Sketch, SketchAnswer, Steps} from "../wire.js" */
/** @import {Position} from "../board/changes.js" */
/** @import {Role} from "./sketch.js" */

/**
 * The position after the sketched move, or after what there is of it.
 * @typedef {{ position: Position, threatened: readonly string[], captures: readonly Capture[] }} Preview
 */

/** A cell with an amount. @typedef {{ role: Role, cell: string }} AmountAt */

/**
 * A state of the draft.
 * @typedef {object} DraftState
 * @property {SketchAnswer | undefined} answer
 * @property {Preview | undefined} preview
 * @property {AmountAt | undefined} lastAmount
 * @property {boolean} guessed whether the server has not answered it yet
 */

/**
 * How the draft was changed.
 * @typedef {object} Change
 * @property {string} [cell] the cell that was picked
 * @property {boolean} [tentative] whether the change is undone if it leads to no move
 */

/**
 * Who judges the sketches of a turn and takes its move.
 * @typedef {object} Source
 * @property {(sketch: Sketch, turn: number, what: { board: boolean }) => Promise<Answered | undefined>} judge
 *   what the server says about a sketch, with the position if wanted; nothing if the turn is over
 * @property {(move: string, turn: number) => Promise<unknown>} play
 */

/**
 * What the server says about a sketch, and the moves without cells if it says them again.
 * @typedef {{ sketch: SketchAnswer, words?: readonly string[] }} Answered
 */

/**
 * @typedef {object} Callbacks
 * @property {() => void} onChange
 * @property {(answer: SketchAnswer, change: Change) => void} onAnswer called when the server has answered the last change
 * @property {(error: unknown) => void} onError
 */

export class Draft {
  #source;
  #callbacks;
  /** What came with the user's last turn. @type {{ turn: number, steps: Steps } | undefined} */
  #steps;
  /** Counts the changes: answers to earlier ones are dropped. */
  #version = 0;
  /** The states before the last changes. @type {DraftState[]} */
  #history = [];

  /** The turn that the draft belongs to. @type {number | undefined} */
  turn;
  /** The answer to the empty sketch. @type {SketchAnswer | undefined} */
  blank;
  /** The sketch, and what can be picked next. @type {SketchAnswer | undefined} */
  answer;
  /** @type {Preview | undefined} */
  preview;
  /** Moves without cells, such as a swap. @type {readonly string[]} */
  namedMoves = [];
  /** The cell whose amount was set last. @type {AmountAt | undefined} */
  lastAmount;
  /** Whether `answer` is not the server's. */
  guessed = false;
  /** Whether an answer of the server is pending. */
  pending = false;

  /**
   * @param {Source} source
   * @param {Callbacks} callbacks
   */
  constructor(source, callbacks) {
    this.#source = source;
    this.#callbacks = callbacks;
  }

  /** Whether a cell has been picked. */
  get started() {
    return this.answer !== undefined && this.answer.from.length + this.answer.to.length > 0;
  }

  /** The state before the last change. */
  get before() {
    return this.#history.at(-1);
  }

  /**
   * Takes what can be picked first in a turn.
   * @param {number} turn
   * @param {Steps} steps
   */
  setSteps(turn, steps) {
    this.#steps = { turn, steps };
    if (turn === this.turn && this.blank === undefined) this.#beginWithSteps(steps);
  }

  /**
   * @param {number} turn
   * @param {Steps} [steps] what can be picked first, unless it came or comes by itself
   */
  begin(turn, steps) {
    this.end();
    this.turn = turn;
    if (steps !== undefined) this.#steps = { turn, steps };
    if (this.#steps?.turn === turn) this.#beginWithSteps(this.#steps.steps);
    else this.#ask({ from: [], to: [] }, {});
  }

  /** @param {Steps} steps */
  #beginWithSteps({ words = [], first }) {
    this.blank = blankAnswer(first);
    this.namedMoves = words;
    this.clear();
  }

  end() {
    this.turn = undefined;
    this.blank = undefined;
    this.namedMoves = [];
    this.clear();
  }

  /** Returns to the empty sketch. */
  clear() {
    this.#history = [];
    this.restore({ answer: this.blank, preview: undefined, lastAmount: undefined, guessed: false });
  }

  /** @returns {DraftState} */
  state() {
    return { answer: this.answer, preview: this.preview, lastAmount: this.lastAmount, guessed: this.guessed };
  }

  /** Remembers a state, to return to it. @param {DraftState} state */
  remember(state) {
    this.#history.push(state);
  }

  /** @param {DraftState} state */
  restore({ answer, preview, lastAmount, guessed }) {
    this.#version += 1;
    this.pending = false;
    [this.answer, this.preview, this.lastAmount, this.guessed] = [answer, preview, lastAmount, guessed];
    // The answer to that state was dropped.
    if (guessed && answer !== undefined) this.#ask(sketchOf(answer), {});
  }

  /** Takes the last change back. */
  undo() {
    const state = this.#history.pop();
    if (state === undefined) this.clear();
    else this.restore(state);
  }

  /**
   * Changes the sketch.
   * @param {Sketch} sketch
   * @param {Change} change
   */
  change(sketch, change) {
    this.remember(this.state());
    this.show(this.answer, sketch, change);
  }

  /**
   * Shows a sketch as far as it is known, and asks the server for the rest.
   * @param {SketchAnswer | undefined} before
   * @param {Sketch} sketch
   * @param {Change} change
   */
  show(before, sketch, change) {
    if (before === undefined) return;
    const known = this.#known(sketch);
    this.answer = known ?? guessedAnswer(this.#stepOf(sketch) ?? before, sketch);
    this.guessed = known === undefined;
    this.lastAmount = this.#amountAt(change.cell);
    if (known === undefined || known.move != null) this.#ask(sketch, change);
    else {
      this.#version += 1;
      this.preview = undefined;
      this.pending = false;
    }
    this.#callbacks.onChange();
  }

  /**
   * Returns the answer to a sketch that needs no request.
   * @param {Sketch} sketch
   */
  #known(sketch) {
    if ((sketch.from ?? []).length + (sketch.to ?? []).length === 0) return this.blank;
    const [picked, ...others] = [...(sketch.from ?? []), ...(sketch.to ?? [])];
    return picked?.choice == null && picked?.pieces == null && others.length === 0 ? this.#stepOf(sketch) : undefined;
  }

  /**
   * Returns what the steps of the turn say about a sketch of one cell.
   * @param {Sketch} sketch
   */
  #stepOf(sketch) {
    return this.#steps?.turn === this.turn ? firstAnswer(this.#steps?.steps.first ?? [], sketch) : undefined;
  }

  /** @param {string} cell */
  picked(cell) {
    for (const role of /** @type {const} */ (["from", "to"])) {
      const entry = this.answer?.[role].find((each) => each.cell === cell);
      if (entry !== undefined) return { role, entry };
    }
    return undefined;
  }

  /** @param {string | undefined} cell */
  #amountAt(cell) {
    const picked = cell === undefined ? undefined : this.picked(cell);
    if (picked !== undefined && isOpen(picked.entry)) return { role: picked.role, cell: picked.entry.cell };
    for (const role of /** @type {const} */ (["to", "from"])) {
      const entry = this.answer?.[role].findLast((each) => isOpen(each));
      if (entry !== undefined) return { role, cell: entry.cell };
    }
    return undefined;
  }

  /**
   * Asks the server about a sketch.
   * @param {Sketch} sketch
   * @param {Change} change
   */
  async #ask(sketch, change) {
    const { turn } = this;
    if (turn === undefined) return;
    this.#version += 1;
    const version = this.#version;
    this.pending = true;
    try {
      const answered = await this.#source.judge(sketch, turn, { board: true });
      if (version !== this.#version || answered === undefined) return;
      this.pending = false;
      this.#setAnswer(answered.sketch, change.cell);
      this.namedMoves = answered.words ?? this.namedMoves;
      this.#callbacks.onAnswer(answered.sketch, change);
    } catch (error) {
      if (version === this.#version) this.#onError(error);
    }
    this.#callbacks.onChange();
  }

  /**
   * @param {SketchAnswer} answer
   * @param {string | undefined} cell
   */
  #setAnswer(answer, cell) {
    const { position, threatened = [], captures = [] } = answer;
    this.answer = answer;
    this.guessed = false;
    if (!this.started) this.blank = answer;
    this.preview = position === undefined || !this.started ? undefined : { position, threatened, captures };
    this.lastAmount = this.#amountAt(cell);
  }

  /** @param {unknown} error */
  #onError(error) {
    this.pending = false;
    const state = this.#history.pop();
    if (state !== undefined && !state.guessed) this.restore(state);
    else this.clear();
    this.#callbacks.onError(error);
  }

  /**
   * Asks the server why a sketch is no move, without changing the draft. Returns nothing if the
   * draft has changed meanwhile.
   * @param {Sketch} sketch
   */
  async reasonAgainst(sketch) {
    const [version, { turn }] = [this.#version, this];
    const answered = turn === undefined ? undefined : await this.#source.judge(sketch, turn, { board: false });
    return version === this.#version ? answered?.sketch : undefined;
  }
}
