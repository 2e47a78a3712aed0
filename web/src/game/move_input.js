// Builds a move from clicks and drags. The server answers every pick: the complete move, what can
// be picked next, and the amounts. This module knows no rules.

import { RequestError } from "../net/pending.js";
import { canAddPiece, dropPieces, isComplete, isOpen, pickCell, sketchOf, unpickCell } from "./sketch.js";

/** @import {Sketch, SketchAnswer} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {Position} from "../board/changes.js" */
/** @import {Role} from "./sketch.js" */

/**
 * The position after the move.
 * @typedef {{ position: Position, threatened: readonly string[] }} Preview
 */

/**
 * The sketch before a drag.
 * @typedef {{ cell: string, answer: SketchAnswer, preview: Preview | undefined, lastAmount: MoveInput["lastAmount"] }} BeforeDrag
 */

export class MoveInput {
  #connection;
  #game;
  #onChange;
  #onBusy;
  /** The turn that the sketch belongs to. @type {number | undefined} */
  #turn;
  /** The server's answer to the empty sketch. @type {SketchAnswer | undefined} */
  #blank;
  /** Picks are sent one after the other, each based on the answer to the one before. */
  #queue = Promise.resolve();
  /**
   * The cell that pieces are dragged from, and the sketch before the drag.
   * @type {BeforeDrag | undefined}
   */
  #beforeDrag;

  /** The server's answer to the sketch. @type {SketchAnswer | undefined} */
  answer;
  /** Moves without cells, such as a swap. @type {string[]} */
  namedMoves = [];
  /** The position after the sketched move. @type {Preview | undefined} */
  preview;
  /** Whether a complete move is played without confirmation. */
  autoPlay = false;
  /** The server's last objection. */
  error = "";
  /** Number of pending picks. */
  busy = 0;
  /** The cell whose amount was set last. @type {{ role: Role, cell: string } | undefined} */
  lastAmount;

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {() => void} onChange
   * @param {() => void} [onBusy] called when a pick is sent
   */
  constructor(connection, game, onChange, onBusy = () => {}) {
    this.#connection = connection;
    this.#game = game;
    this.#onChange = onChange;
    this.#onBusy = onBusy;
  }

  /** Whether a cell has been picked. */
  get started() {
    return this.answer !== undefined && this.answer.from.length + this.answer.to.length > 0;
  }

  /**
   * Returns the cells that pieces can be dragged from: those that a move can begin with.
   * @returns {ReadonlySet<string>}
   */
  get movable() {
    const sources = this.#blank?.next.filter((next) => next.as === "from") ?? [];
    return new Set(sources.map((next) => next.cell));
  }

  /** The cell that pieces are dragged from. */
  get draggedCell() {
    return this.#beforeDrag?.cell;
  }

  /** The pieces that are dragged along, if the game names them. */
  get draggedPieces() {
    return this.answer?.from.find((each) => each.cell === this.#beforeDrag?.cell)?.choice ?? "";
  }

  /**
   * Starts a sketch for a turn. A sketch that was started for it continues.
   * @param {number} turn
   */
  begin(turn) {
    // The answer may still be pending.
    if (turn === this.#turn && (this.#blank !== undefined || this.busy > 0)) return;
    this.#turn = turn;
    this.#blank = undefined;
    this.#beforeDrag = undefined;
    this.error = "";
    this.#enqueue(() => this.#query({ from: [], to: [] }));
  }

  /** Ends the sketch: it is not this user's turn. */
  end() {
    if (this.#turn === undefined) return;
    this.#turn = undefined;
    this.#blank = undefined;
    this.#reset();
  }

  #reset() {
    this.answer = this.#blank;
    this.preview = undefined;
    this.lastAmount = undefined;
    this.#beforeDrag = undefined;
    if (this.#blank === undefined) this.namedMoves = [];
  }

  /** Clears the sketch. */
  clear() {
    this.error = "";
    this.#enqueue(async () => this.#reset());
  }

  /**
   * Picks a cell.
   * @param {string} cell
   * @param {string} part the pieces of its stack from the clicked one upwards, if one was clicked
   * @param {boolean} other whether the second of two roles is meant
   */
  pick(cell, part, other) {
    this.error = "";
    this.#enqueue(async () => {
      if (this.answer === undefined) return;
      const picked = this.#picked(cell);
      const joined = pickCell(this.answer, cell, part, other);
      if (joined !== undefined) await this.#update(joined, cell);
      else if (picked === undefined) await this.#startOver(this.answer, cell, part, other);
      else if (picked.role === "to" && isOpen(picked.entry) && canAddPiece(picked.entry)) {
        await this.#setAmount(picked.role, cell, (picked.entry.pieces ?? 0) + 1);
      } else await this.#update(unpickCell(sketchOf(this.answer), cell), undefined);
    });
  }

  /**
   * @param {SketchAnswer} answer
   * @param {string} cell
   * @param {string} part
   * @param {boolean} other
   */
  async #startOver(answer, cell, part, other) {
    const joined = this.#blank && pickCell(this.#blank, cell, part, other);
    if (joined !== undefined) return this.#update(joined, cell);
    if (this.started) await this.#askWhyNot(answer, cell);
    return this.#reset();
  }

  /**
   * Picks pieces up to drag them. If they are dropped nowhere, the sketch returns to its state
   * before.
   * @param {string} cell
   * @param {string} part the pieces of its stack from the clicked one upwards, if one was clicked
   */
  grab(cell, part) {
    this.error = "";
    const { preview } = this;
    // A stack that is not part of the move is taken from the current board.
    if (this.#picked(cell)?.role !== "from") this.preview = undefined;
    this.#enqueue(async () => {
      const { answer, lastAmount } = this;
      if (answer === undefined) return;
      this.#beforeDrag = { cell, answer, preview, lastAmount };
      if (this.#picked(cell)?.role === "from") return;
      const joined = this.#blank && pickCell(this.#blank, cell, part, false);
      if (joined !== undefined) await this.#query(joined);
    });
  }

  /** Cancels the drag. */
  release() {
    this.#enqueue(async () => this.#cancelDrag());
  }

  /**
   * Drops the dragged pieces.
   * @param {string} cell
   * @param {number} pieces how many pieces
   * @param {boolean} all whether they are the whole stack
   */
  drop(cell, pieces, all) {
    this.#enqueue(async () => {
      const [before, { answer }] = [this.#beforeDrag, this];
      if (before === undefined || answer === undefined) return;
      const dropped = dropPieces(before, answer, cell, pieces, all);
      if (dropped === undefined) {
        await this.#askWhyNot(answer, cell);
        this.#cancelDrag();
      } else {
        this.#beforeDrag = undefined;
        await this.#update(dropped, cell);
      }
    });
  }

  #cancelDrag() {
    if (this.#beforeDrag === undefined) return;
    const { answer, preview, lastAmount } = this.#beforeDrag;
    [this.answer, this.preview, this.lastAmount, this.#beforeDrag] = [answer, preview, lastAmount, undefined];
  }

  /**
   * Asks the server why the picked pieces cannot go to a cell.
   * @param {SketchAnswer} answer
   * @param {string} cell
   */
  async #askWhyNot(answer, cell) {
    const [turn, game] = [this.#turn, this.#game];
    const sketch = { from: sketchOf(answer).from ?? [], to: [{ cell }] };
    if (sketch.from.some((each) => each.cell === cell)) return;
    const hints = await this.#connection.request({ type: "hints", game, sketch });
    if (turn === this.#turn) this.error = hints.sketch?.why ?? "";
  }

  /** @param {string} cell */
  #picked(cell) {
    for (const role of /** @type {const} */ (["from", "to"])) {
      const entry = this.answer?.[role].find((each) => each.cell === cell);
      if (entry !== undefined) return { role, entry };
    }
    return undefined;
  }

  /**
   * Sets how many pieces go from or to a picked cell.
   * @param {Role} role
   * @param {string} cell
   * @param {number} pieces
   */
  amount(role, cell, pieces) {
    this.#enqueue(() => this.#setAmount(role, cell, pieces));
  }

  /**
   * Changes the amount that was set last.
   * @param {number} by
   */
  changeAmount(by) {
    this.#enqueue(async () => {
      if (this.lastAmount === undefined) return;
      const { role, cell } = this.lastAmount;
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
    await this.#update(sketch, cell);
  }

  /**
   * Sets which pieces go, if the game names them.
   * @param {Role} role
   * @param {string} cell
   * @param {string} choice
   */
  choice(role, cell, choice) {
    this.#enqueue(async () => {
      if (this.answer === undefined) return;
      const sketch = sketchOf(this.answer);
      const entry = sketch[role]?.find((each) => each.cell === cell);
      if (entry === undefined) return;
      entry.choice = choice;
      await this.#update(sketch, cell);
    });
  }

  /**
   * @param {Sketch} sketch
   * @param {string | undefined} cell the cell that was picked
   */
  async #update(sketch, cell) {
    await this.#query(sketch);
    const { answer } = this;
    if (this.autoPlay && cell !== undefined && answer?.move != null && isComplete(answer)) {
      await this.#sendMove(answer.move);
    }
    const picked = cell === undefined ? undefined : this.#picked(cell);
    this.lastAmount =
      picked && isOpen(picked.entry) ? { role: picked.role, cell: picked.entry.cell } : this.#lastOpenAmount();
  }

  #lastOpenAmount() {
    for (const role of /** @type {const} */ (["to", "from"])) {
      const entry = this.answer?.[role].findLast((each) => each.pieces != null && isOpen(each));
      if (entry !== undefined) return { role, cell: entry.cell };
    }
    return undefined;
  }

  /** @param {Sketch} sketch */
  async #query(sketch) {
    const [turn, game] = [this.#turn, this.#game];
    const hints = await this.#connection.request({ type: "hints", game, sketch });
    if (turn === undefined || hints.turn !== turn || turn !== this.#turn || !hints.sketch) return;
    const isBlank = (sketch.from ?? []).length + (sketch.to ?? []).length === 0;
    if (isBlank) this.#blank = hints.sketch;
    this.namedMoves = hints.words ?? [];
    const { move } = hints.sketch;
    const tried =
      move == null ? undefined : await this.#connection.request({ type: "try", game, turn, move });
    if (turn !== this.#turn) return;
    this.answer = hints.sketch;
    this.preview = tried?.position == null ? undefined : {
      position: tried.position,
      threatened: tried.threatened ?? [],
    };
  }

  /**
   * Plays a move.
   * @param {string} notation
   */
  play(notation) {
    const turn = this.#turn;
    this.error = "";
    this.#enqueue(async () => {
      if (turn === this.#turn) await this.#sendMove(notation);
    });
  }

  /** @param {string} move */
  async #sendMove(move) {
    const [turn, game] = [this.#turn, this.#game];
    if (turn !== undefined) await this.#connection.request({ type: "move", id: `${game}:${turn}`, game, turn, move });
  }

  /** @param {() => Promise<void>} work */
  #enqueue(work) {
    this.busy += 1;
    this.#onBusy();
    this.#queue = this.#queue
      .then(work)
      .catch((error) => this.#onError(error))
      .finally(() => {
        this.busy -= 1;
        this.#onChange();
      });
  }

  /** @param {unknown} error */
  #onError(error) {
    // Without a reply the banner shows the problem, and the next welcome starts again.
    if (error instanceof RequestError && error.failed.retry !== "resync") this.error = error.message;
    this.#reset();
  }
}
