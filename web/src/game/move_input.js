// Turns clicks, drags and keys into a move, and plays it: in a game, and where moves are tried. A
// wrong click changes nothing that is already composed. This module knows no rules.

import { RequestError } from "../net/pending.js";
import { strings } from "../strings/strings.js";
import { errorText } from "../ui/error_text.js";
import { Draft } from "./draft.js";
import { canAddPiece, dropPieces, isComplete, isOpen, pickCell, sketchOf, unpickCell } from "./sketch.js";

/** @import {Sketch, SketchAnswer, Steps} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {Position} from "../board/changes.js" */
/** @import {Change, DraftState, Preview, Source} from "./draft.js" */
/** @import {PickedCell, Role} from "./sketch.js" */

/**
 * @typedef {object} Callbacks
 * @property {() => void} onChange
 * @property {(cell: string) => void} [onRefused] called when a cell cannot be picked
 * @property {(why: string) => void} [onObjection] called with the reason why a cell cannot be picked, or with none
 * @property {(error: unknown) => void} [onError] called when there is no answer
 * @property {(move: string, preview: Preview | undefined) => void} [onSent] called when a move is sent
 * @property {(move: string, preview: Preview) => void} [onAccepted] called when the server has taken a composed move
 */

export class MoveInput {
  #source;
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
  #stopped = false;

  draft;
  /** The move that is under way to the server. @type {string | undefined} */
  sent;
  /** Whether a complete move is played without confirmation. */
  autoPlay = false;
  #error = "";
  /** Whether the last objection is a short one, which leaves room for the status. */
  isRemark = false;

  /**
   * @param {Source} source
   * @param {Callbacks} callbacks
   */
  constructor(source, callbacks) {
    this.#source = source;
    this.#callbacks = callbacks;
    this.draft = new Draft(source, {
      onChange: callbacks.onChange,
      onAnswer: (answer, change) => this.#onAnswer(answer, change),
      onError: (error) => this.#onError(error),
    });
  }

  /** The last objection. */
  get error() {
    return this.#error;
  }

  set error(text) {
    this.#error = text;
    this.isRemark = false;
  }

  /** Whether cells can be picked. */
  get active() {
    return this.draft.turn !== undefined && this.sent === undefined && !this.#stopped;
  }

  /** Whether an answer or a move is under way. */
  get busy() {
    return this.draft.pending || this.sent !== undefined;
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

  /**
   * The picked cell whose amount can be changed.
   * @returns {{ role: Role, entry: PickedCell } | undefined}
   */
  get open() {
    const { lastAmount: at, answer } = this.draft;
    const entry = at && answer?.[at.role].find((each) => each.cell === at.cell);
    return at === undefined || entry === undefined || !isOpen(entry) ? undefined : { role: at.role, entry };
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
   * Takes the clicks and drags on a board.
   * @param {HTMLElement} board
   * @param {() => Position | undefined} position the current one, from which pieces are taken
   * @param {(cell: string, part: string, other: boolean) => void} onPick called instead of `pick`
   */
  listenTo(board, position, onPick) {
    // The pieces of a stack from one upwards, if pieces are distinguished.
    const partOf = (/** @type {{ cell: string, level: number | undefined }} */ { cell, level }) =>
      level === undefined ? "" : (position()?.[cell] ?? "").slice(level);
    const on = (/** @type {string} */ name, /** @type {(detail: any) => void} */ act) =>
      board.addEventListener(name, (event) => event instanceof CustomEvent && act(event.detail));
    on("pick", (detail) => onPick(detail.cell, partOf(detail), detail.other));
    on("grab", (detail) => this.grab(detail.cell, partOf(detail)));
    on("drop", ({ cell, pieces, all }) => this.drop(cell, pieces, all));
    on("release", () => this.release());
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
   * @param {Steps} [steps] what can be picked first, unless `setSteps` says it
   */
  begin(turn, steps) {
    if (turn === this.draft.turn) return;
    this.end();
    this.draft.begin(turn, steps);
  }

  /** Lets nothing more be picked in this turn. What is composed stays. */
  stop() {
    this.#stopped = true;
  }

  /** Ends the draft: it is not this user's turn. */
  end() {
    this.sent = undefined;
    this.error = "";
    this.#stopped = false;
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
    if (!this.active || draft.answer === undefined) return this.#callbacks.onChange();
    this.error = "";
    this.#beforeDrag = { cell, state: draft.state() };
    // A stack that is not part of the move is taken from the current board.
    const joined = draft.picked(cell)?.role === "from" ? undefined : draft.blank && pickCell(draft.blank, cell, part, false);
    if (joined === undefined) return this.#callbacks.onChange();
    draft.preview = undefined;
    return draft.show(draft.blank, joined, {});
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
    if (sketch === undefined) return this.#cannotBegin(cell);
    if (sketch.from?.some((each) => each.cell === cell)) return this.#callbacks.onObjection?.("");
    const answer = await this.draft.reasonAgainst(sketch).catch((error) => void this.#callbacks.onError?.(error));
    if (answer === undefined) return undefined;
    this.#object(strings.why(answer));
    return this.#callbacks.onChange();
  }

  /**
   * Says that no move begins at a cell: those who do not see the board hear nothing else.
   * @param {string} cell
   */
  #cannotBegin(cell) {
    if (!this.draft.started) {
      this.error = strings.game.noMoveFrom(cell);
      this.isRemark = true;
    }
    this.#callbacks.onObjection?.("");
    return this.#callbacks.onChange();
  }

  /** @param {string} why */
  #object(why) {
    this.error = why;
    this.#callbacks.onObjection?.(why);
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
      this.#object(strings.why(answer));
      if (cell !== undefined) this.#callbacks.onRefused?.(cell);
      return;
    }
    const wantsPlay = this.autoPlay && cell !== undefined && this.#beforeDrag === undefined;
    if (this.#deferred.length > 0) {
      while (this.#deferred.length > 0 && !this.draft.pending) this.#deferred.shift()?.();
    } else if (wantsPlay && isComplete(answer, this.#decided)) this.play();
  }

  /** @param {unknown} error */
  #onError(error) {
    this.#deferred = [];
    // Without a reply the banner shows the problem, and the next welcome starts again.
    if (error instanceof RequestError && error.failed.retry !== "resync") this.error = errorText(error);
    this.#callbacks.onError?.(error);
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
    const { turn } = this.draft;
    if (turn === undefined) return;
    this.error = "";
    this.sent = notation;
    this.#callbacks.onSent?.(notation, preview);
    this.#callbacks.onChange();
    try {
      await this.#source.play(notation, turn);
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

/**
 * The moves of a game that the user plays.
 * @param {Connection} connection
 * @param {string} game
 * @returns {Source}
 */
export function movesOf(connection, game) {
  return {
    judge: async (sketch, turn, { board }) => {
      const hints = await connection.request({ type: "hints", game, sketch, ...(board ? { board } : {}) });
      return hints.turn !== turn || hints.sketch === undefined ? undefined : { sketch: hints.sketch, words: hints.words ?? [] };
    },
    play: (move, turn) => connection.request({ type: "move", id: `${game}:${turn}`, game, turn, move }),
  };
}
