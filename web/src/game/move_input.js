// Turns clicks, drags and keys into a move, and plays it. A wrong click changes nothing that is
// already composed. This module knows no rules.

import { RequestError } from "../net/pending.js";
import { strings } from "../strings/strings.js";
import { errorText } from "../ui/error_text.js";
import { Draft } from "./draft.js";
import { canAddPiece, dropPieces, isComplete, isOpen, pickCell, sketchOf, unpickCell } from "./sketch.js";

/** @import {Sketch, SketchAnswer, Steps} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {Change, DraftState, Preview} from "./draft.js" */
/** @import {Role} from "./sketch.js" */

/**
 * @typedef {object} Callbacks
 * @property {() => void} onChange
 * @property {(cell: string) => void} [onRefused] called when a cell cannot be picked
 * @property {(move: string, preview: Preview | undefined) => void} [onSent] called when a move is sent
 * @property {(move: string, preview: Preview) => void} [onAccepted] called when the server has taken a composed move
 */

export class MoveInput {
  #connection;
  #game;
  #callbacks;
  /** What waits for the server's answer, in order. @type {(() => void)[]} */
  #deferred = [];
  /** Cells whose choice the player has made. @type {Set<string>} */
  #decided = new Set();
  /**
   * The cell that pieces are dragged from, and the draft before the drag.
   * @type {{ cell: string, state: DraftState } | undefined}
   */
  #beforeDrag;

  draft;
  /** The move that is under way to the server. @type {string | undefined} */
  sent;
  /** Whether a complete move is played without confirmation. */
  autoPlay = false;
  /** The last objection. */
  error = "";

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {Callbacks} callbacks
   */
  constructor(connection, game, callbacks) {
    this.#connection = connection;
    this.#game = game;
    this.#callbacks = callbacks;
    this.draft = new Draft(connection, game, {
      onChange: callbacks.onChange,
      onAnswer: (answer, change) => this.#onAnswer(answer, change),
      onError: (error) => this.#onError(error),
    });
  }

  /** Whether cells can be picked. */
  get active() {
    return this.draft.turn !== undefined && this.sent === undefined;
  }

  /** Whether there is a move to play, or was before the change that the server has not answered. */
  get playable() {
    const { answer, guessed, started, before } = this.draft;
    if (!this.active) return false;
    return answer?.move != null || (guessed && started && before?.answer?.move != null);
  }

  /**
   * Returns the cells that pieces can be dragged from: those that a move can begin with.
   * @returns {ReadonlySet<string>}
   */
  get movable() {
    const sources = this.active ? (this.draft.blank?.next.filter((next) => next.as === "from") ?? []) : [];
    return new Set(sources.map((next) => next.cell));
  }

  /** The cell that pieces are dragged from. */
  get draggedCell() {
    return this.#beforeDrag?.cell;
  }

  /** The pieces that are dragged along, if the game names them. */
  get draggedPieces() {
    return this.draft.answer?.from.find((each) => each.cell === this.#beforeDrag?.cell)?.choice ?? "";
  }

  /**
   * Takes what can be picked first in a turn.
   * @param {number} turn
   * @param {Steps} steps
   */
  setSteps(turn, steps) {
    this.draft.setSteps(turn, steps);
    this.#callbacks.onChange();
  }

  /**
   * Starts a draft for a turn. A draft that was started for it continues.
   * @param {number} turn
   */
  begin(turn) {
    if (turn === this.draft.turn) return;
    this.end();
    this.draft.begin(turn);
  }

  /** Ends the draft: it is not this user's turn. */
  end() {
    this.sent = undefined;
    this.error = "";
    this.#forget();
    this.draft.end();
  }

  #forget() {
    this.#deferred = [];
    this.#decided.clear();
    this.#beforeDrag = undefined;
  }

  /** Clears the draft. */
  clear() {
    if (!this.active) return;
    this.error = "";
    this.#forget();
    this.draft.clear();
    this.#callbacks.onChange();
  }

  /** Takes the last change of the draft back. */
  undo() {
    if (!this.active || !this.draft.started) return;
    this.error = "";
    this.#deferred = [];
    this.draft.undo();
    this.#callbacks.onChange();
  }

  /**
   * Picks a cell.
   * @param {string} cell
   * @param {string} part the pieces of its stack from the clicked one upwards, if one was clicked
   * @param {boolean} other whether the second of two roles is meant
   */
  pick(cell, part = "", other = false) {
    const { answer, guessed } = this.draft;
    if (!this.active) return undefined;
    if (answer === undefined) return this.#defer(() => this.pick(cell, part, other));
    const joined = pickCell(answer, cell, part, other);
    if (joined !== undefined) return this.#change(joined, { cell });
    // The guess does not know everything that can be picked.
    if (guessed) return this.#defer(() => this.pick(cell, part, other));
    const picked = this.draft.picked(cell);
    if (picked === undefined) return this.#startOver(answer, cell, part, other);
    const { role, entry } = picked;
    if (role === "to" && isOpen(entry) && entry.pieces != null) {
      return canAddPiece(entry) ? this.amount(role, cell, entry.pieces + 1) : this.#refuse(cell);
    }
    const rest = unpickCell(sketchOf(answer), cell);
    return role === "from" && (rest.from ?? []).length === 0 ? this.clear() : this.#change(rest, {});
  }

  /**
   * Begins with another cell. A move that is already composed stays as it is.
   * @param {SketchAnswer} answer
   * @param {string} cell
   * @param {string} part
   * @param {boolean} other
   */
  #startOver(answer, cell, part, other) {
    const fresh = this.draft.blank && pickCell(this.draft.blank, cell, part, other);
    if (fresh !== undefined && answer.from.length + answer.to.length <= 1) return this.#change(fresh, { cell });
    if (!this.draft.started) return this.#refuse(cell);
    const { from = [], to = [] } = sketchOf(answer);
    return this.#refuse(cell, { from, to: [...(from.length > 0 ? [] : to), { cell }] });
  }

  /**
   * Puts a piece of the reserve on a cell.
   * @param {string} cell
   * @param {string} piece
   */
  place(cell, piece) {
    if (!this.active) return undefined;
    if (this.draft.answer === undefined) return this.#defer(() => this.place(cell, piece));
    this.#decided.add(cell);
    return this.#change({ from: [], to: [{ cell, choice: piece }] }, { cell, tentative: true });
  }

  /**
   * Picks pieces up to drag them. If they are dropped nowhere, the draft returns to its state
   * before.
   * @param {string} cell
   * @param {string} part the pieces of its stack from the clicked one upwards, if one was clicked
   */
  grab(cell, part) {
    const { draft } = this;
    if (!this.active || draft.answer === undefined) return;
    this.error = "";
    this.#beforeDrag = { cell, state: draft.state() };
    if (draft.picked(cell)?.role === "from") return;
    // A stack that is not part of the move is taken from the current board.
    const joined = draft.blank && pickCell(draft.blank, cell, part, false);
    if (joined === undefined) return;
    draft.preview = undefined;
    draft.show(draft.blank, joined, {});
  }

  /** Cancels the drag. */
  release() {
    this.#cancelDrag();
    this.#callbacks.onChange();
  }

  /**
   * Drops the dragged pieces.
   * @param {string} cell
   * @param {number} pieces how many pieces
   * @param {boolean} all whether they are the whole stack
   */
  drop(cell, pieces, all) {
    const { answer, guessed } = this.draft;
    const before = this.#beforeDrag;
    if (before?.state.answer === undefined || answer === undefined) return undefined;
    if (guessed) return this.#defer(() => this.drop(cell, pieces, all));
    const dropped = dropPieces({ cell: before.cell, answer: before.state.answer }, answer, cell, pieces, all);
    if (dropped === undefined) {
      const { from = [] } = sketchOf(answer);
      this.#cancelDrag();
      return this.#refuse(cell, { from, to: [{ cell }] });
    }
    this.#beforeDrag = undefined;
    this.draft.remember(before.state);
    return this.draft.show(answer, dropped, { cell });
  }

  #cancelDrag() {
    if (this.#beforeDrag === undefined) return;
    const { state } = this.#beforeDrag;
    this.#beforeDrag = undefined;
    this.#deferred = [];
    this.draft.restore(state);
  }

  /**
   * Reports that a cell cannot be picked.
   * @param {string} cell
   * @param {Sketch} [sketch] what the player seems to want; the server says why not
   */
  async #refuse(cell, sketch) {
    this.error = "";
    this.#callbacks.onRefused?.(cell);
    this.#callbacks.onChange();
    if (sketch === undefined || sketch.from?.some((each) => each.cell === cell)) return;
    const answer = await this.draft.reasonAgainst(sketch).catch(() => undefined);
    if (answer === undefined) return;
    this.error = strings.why(answer);
    this.#callbacks.onChange();
  }

  /**
   * Sets how many pieces go from or to a picked cell; none removes the cell.
   * @param {Role} role
   * @param {string} cell
   * @param {number} pieces
   */
  amount(role, cell, pieces) {
    const { answer } = this.draft;
    if (!this.active || answer === undefined) return;
    const sketch = sketchOf(answer);
    const entry = sketch[role]?.find((each) => each.cell === cell);
    if (entry === undefined) return;
    entry.pieces = pieces;
    this.#change(pieces > 0 ? sketch : unpickCell(sketch, cell), { cell });
  }

  /**
   * Changes the amount that was set last.
   * @param {number} by
   */
  changeAmount(by) {
    const { lastAmount, answer } = this.draft;
    if (lastAmount === undefined) return;
    const { role, cell } = lastAmount;
    const { pieces, most } = answer?.[role].find((each) => each.cell === cell) ?? {};
    if (pieces != null && pieces + by <= (most ?? pieces)) this.amount(role, cell, pieces + by);
  }

  /**
   * Sets which pieces go, if the game names them.
   * @param {Role} role
   * @param {string} cell
   * @param {string} choice
   */
  choice(role, cell, choice) {
    const { answer } = this.draft;
    if (!this.active || answer === undefined) return;
    const sketch = sketchOf(answer);
    const entry = sketch[role]?.find((each) => each.cell === cell);
    if (entry === undefined) return;
    entry.choice = choice;
    this.#decided.add(cell);
    this.#change(sketch, { cell });
  }

  /**
   * @param {Sketch} sketch
   * @param {Change} change
   */
  #change(sketch, change) {
    this.error = "";
    this.draft.change(sketch, change);
  }

  /** @param {() => void} work */
  #defer(work) {
    this.#deferred.push(work);
  }

  /**
   * @param {SketchAnswer} answer
   * @param {Change} change
   */
  #onAnswer(answer, { cell, tentative = false }) {
    if (tentative && answer.move === null && answer.next.length === 0) {
      this.draft.undo();
      this.error = strings.why(answer);
      if (cell !== undefined) this.#callbacks.onRefused?.(cell);
      return;
    }
    const wantsPlay = this.autoPlay && cell !== undefined && this.#beforeDrag === undefined;
    if (this.#deferred.length > 0) this.#deferred.shift()?.();
    else if (wantsPlay && isComplete(answer, this.#decided)) this.play();
  }

  /** @param {unknown} error */
  #onError(error) {
    this.#deferred = [];
    // Without a reply the banner shows the problem, and the next welcome starts again.
    if (error instanceof RequestError && error.failed.retry !== "resync") this.error = errorText(error);
  }

  /** Plays the composed move, once it is known. */
  play() {
    if (!this.playable) return undefined;
    const { answer, preview } = this.draft;
    return answer?.move == null ? this.#defer(() => this.play()) : this.#send(answer.move, preview);
  }

  /**
   * Plays a move that the player names.
   * @param {string} notation
   */
  playNotation(notation) {
    if (this.active) this.#send(notation, undefined);
  }

  /**
   * @param {string} notation
   * @param {Preview | undefined} preview
   */
  async #send(notation, preview) {
    const [{ turn }, game] = [this.draft, this.#game];
    if (turn === undefined) return;
    this.error = "";
    this.sent = notation;
    this.#callbacks.onSent?.(notation, preview);
    this.#callbacks.onChange();
    try {
      await this.#connection.request({ type: "move", id: `${game}:${turn}`, game, turn, move: notation });
      if (preview !== undefined && turn === this.draft.turn) this.#callbacks.onAccepted?.(notation, preview);
    } catch (error) {
      // The move is composed still.
      if (turn !== this.draft.turn) return;
      this.sent = undefined;
      if (error instanceof RequestError && error.failed.retry !== "resync") this.error = errorText(error);
      this.#callbacks.onChange();
    }
  }
}
