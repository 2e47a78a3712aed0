// A board on which moves of both sides can be tried: lessons, puzzles and the analysis board. Its
// owner decides what follows from a move.

import { Board } from "../board/board.js";
import { pieceIcon } from "../board/pieces.js";
import { changes } from "../board/changes.js";
import { Highlights } from "../game/highlights.js";
import { MoveInput } from "../game/move_input.js";
import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { Exploration } from "./exploration.js";

/** @import {BoardLayout, Explored, HouseLevel} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {Changes, Position} from "../board/changes.js" */
/** @import {Highlight} from "../board/markers.js" */
/** @import {PickedCell, Role} from "../game/sketch.js" */
/** @import {Base, Place} from "./exploration.js" */

const t = strings.explore;

/**
 * @typedef {object} ExploreCallbacks
 * @property {(move: string, explored: Explored) => void} onMove called after a move by the reader
 * @property {(why: string) => void} onRefused called when a pick is refused; the text may be empty
 * @property {(error: unknown) => void} onError
 * @property {() => void} [onPick] called when a cell of the move is picked
 */

/**
 * @typedef {object} ExploreSetup
 * @property {number} [orientation] the seat whose side is down
 * @property {boolean} [turns] whether that holds in games without edges, too
 * @property {boolean} [autoPlay] whether a complete move is made without confirmation
 * @property {readonly string[]} [users] the players by seat, for screen readers
 */

export class ExploreBoard {
  #board = new Board();
  #buttons = html("div", { class: "explore-buttons" });
  #reserve = html("div", { class: "explore-reserve" });
  element = html("div", { class: "explore" }, html("div", { class: "frame" }, this.#board), this.#reserve, this.#buttons);
  #exploration;
  #input;
  #callbacks;
  #setup;
  /** @type {BoardLayout | undefined} */
  #layout;
  /** @type {Explored | undefined} */
  #explored;
  /** The position before the first move. @type {Position | undefined} */
  #start;
  /** @type {Changes | undefined} */
  #lastMove;
  /** What the reader is told to click, if anything is. @type {readonly string[] | undefined} */
  #guide;
  /** The piece of the reserve that the next picked cell gets. @type {string | undefined} */
  #held;
  /** A move that is suggested in the shown position. @type {Changes | undefined} */
  #suggested;
  /** Cells that are pointed to. @type {readonly string[]} */
  #pointed = [];
  /** Whether another position is on its way. */
  #going = false;
  /** Rises with each position, so that late answers are dropped. */
  #version = 0;

  /**
   * @param {Connection} connection
   * @param {Base} base
   * @param {readonly string[]} moves
   * @param {ExploreCallbacks} callbacks
   * @param {ExploreSetup} [setup]
   */
  constructor(connection, base, moves, callbacks, setup = {}) {
    this.#callbacks = callbacks;
    this.#setup = setup;
    this.#exploration = new Exploration(connection, base, moves);
    const source = this.#exploration.source(async (move) => void this.#onMove(move));
    this.#input = new MoveInput(source, { onChange: () => this.#show(), onObjection: callbacks.onRefused, onError: callbacks.onError });
    this.#input.autoPlay = setup.autoPlay ?? true;
    this.#input.listenTo(this.#board, () => this.#explored?.position, (...picked) => this.#onPick(...picked));
    this.element.addEventListener("keydown", this.#onKeyDown);
  }

  /** The position, once it is known. */
  get explored() {
    return this.#explored;
  }

  /** The tried moves. */
  get moves() {
    return this.#exploration.moves;
  }

  get layout() {
    return this.#layout;
  }

  /**
   * What the reader has to click, the first thing first: a cell, or `+A` for a piece A of the
   * reserve. Nothing else can be picked, and the move is played when nothing is left.
   */
  get guide() {
    return this.#guide;
  }

  set guide(clicks) {
    this.#guide = clicks;
    this.#show();
  }

  /** Puts the keyboard's focus on the board. */
  takeFocus() {
    this.#board.takeFocus();
  }

  /** Turns the board round. */
  flip() {
    this.#board.flip();
  }

  /**
   * Turns the board so that a seat's side is down.
   * @param {number} seat
   */
  turnTo(seat) {
    if (seat === (this.#setup.orientation ?? 0)) return;
    this.#setup = { ...this.#setup, orientation: seat };
    if (this.#layout === undefined) return;
    this.#layOut(this.#layout);
    this.#show(true);
  }

  /** Whether the sides of the seats differ, so that turning the board makes sense. */
  get canTurn() {
    return this.#layout?.edges.some(({ name }) => name === "home") === true || Object.keys(this.#start ?? {}).length > 0;
  }

  /** @param {BoardLayout} layout */
  #layOut(layout) {
    const { orientation = 0, users } = this.#setup;
    this.#board.setLayout(layout, { live: true, labels: true, orientation, start: this.#start, ...(users ? { users } : {}) });
  }

  /**
   * Shows the position after other moves. The last of them is marked by the position before.
   * @param {readonly string[]} [moves]
   * @param {{ base?: Base, before?: Place }} [place]
   */
  async goTo(moves = this.moves, { base = this.#exploration.base, before = moves.length > 0 ? { base, moves: moves.slice(0, -1) } : undefined } = {}) {
    this.#version += 1;
    const version = this.#version;
    this.#suggested = undefined;
    this.#input.stop();
    this.#going = true;
    this.#showBusy();
    try {
      const isNew = this.#layout === undefined;
      const [layout, explored, previous, start] = await Promise.all([
        this.#layout ?? this.#exploration.layout(),
        this.#exploration.at({ base, moves }),
        before && this.#exploration.at(before),
        isNew && this.#setup.turns ? this.#exploration.start() : undefined,
      ]);
      if (version !== this.#version) return undefined;
      this.#layout = layout;
      this.#start ??= start?.position;
      if (isNew) this.#layOut(layout);
      this.#lastMove = previous && changes(previous.position, explored.position);
      this.#exploration.base = base;
      this.#exploration.moves = moves;
      this.#explored = explored;
      this.#guide = undefined;
      this.#held = undefined;
      this.#begin();
      return explored;
    } catch (error) {
      if (version !== this.#version) return undefined;
      this.#begin();
      this.#callbacks.onError(error);
      return undefined;
    }
  }

  /** Lets the next move be made, if there is one. */
  #begin() {
    this.#going = false;
    const { result, steps } = this.#explored ?? { result: null };
    if (this.#explored !== undefined) this.#input.begin(this.#version, steps ?? { first: [] });
    if (result != null) this.#input.stop();
    this.#show();
  }

  #showBusy() {
    this.element.setAttribute("aria-busy", String(this.#going || this.#input.busy));
  }

  /**
   * Returns the cells that a move changes.
   * @param {string} move
   */
  async cellsOf(move) {
    const [before, after] = await Promise.all([this.#exploration.after(), this.#exploration.after([...this.moves, move])]);
    return changes(before.position, after.position);
  }

  /**
   * Points to cells, until something changes.
   * @param {readonly string[]} cells
   */
  point(cells) {
    this.#pointed = cells;
    this.#show();
    this.#pointed = [];
  }

  /**
   * Shows what a suggested move would change, until the position is another one.
   * @param {Changes | undefined} move
   */
  suggest(move) {
    this.#suggested = move;
    this.#show();
  }

  /**
   * Makes a move that the reader names.
   * @param {string} notation
   */
  play(notation) {
    return this.#onMove(notation);
  }

  /**
   * Returns what a bot of the server thinks of the position.
   * @param {HouseLevel} level
   */
  opinion(level) {
    return this.#exploration.opinion(level);
  }

  /** Returns what perfect play comes to, where the server knows it. */
  oracle() {
    return this.#exploration.oracle();
  }

  /** Lets no more moves be made. */
  stop() {
    this.#input.stop();
    this.#show();
  }

  /** @param {string} move */
  async #onMove(move) {
    const explored = await this.goTo([...this.moves, move]);
    if (explored !== undefined) this.#callbacks.onMove(explored.moves.at(-1) ?? move, explored);
  }

  #show(noAnimation = false) {
    this.#showBusy();
    if (this.#explored === undefined || this.#layout === undefined) return;
    const { position, captures, winning, reserve = [] } = this.#explored;
    const highlights = new Highlights();
    const { active, draft, movable, draggedPieces } = this.#input;
    const lastMove = draft.started ? undefined : this.#lastMove;
    if (lastMove !== undefined) highlights.lastMove({ ...lastMove, captured: captures.map(({ cell }) => cell) });
    const guide = this.#guide;
    if (guide !== undefined) {
      for (const { cell } of [...(draft.answer?.from ?? []), ...(draft.answer?.to ?? [])]) highlights.add(cell, "chosen");
      if (guide[0] !== undefined && !guide[0].startsWith("+")) highlights.add(guide[0], "target");
    } else if (active && draft.answer !== undefined) highlights.sketch(draft.answer, this.#layout.cells.length);
    for (const cell of this.#pointed) highlights.add(cell, "capture");
    const suggested = draft.started ? undefined : this.#suggested;
    for (const cell of suggested?.gained ?? []) highlights.add(cell, "suggested");
    /** @type {ReadonlyMap<string, ReadonlySet<Highlight>>} */
    const cells = highlights.cells;
    const preview = draft.preview?.position;
    this.#board.show({
      position,
      highlights: cells,
      path: guide === undefined ? (lastMove?.flights ?? []) : [],
      suggested: suggested?.flights ?? [],
      ...(preview === undefined ? {} : { preview }),
      ...(guide === undefined ? {} : { pickable: new Set(guide.slice(0, 1)) }),
      ...(active && guide === undefined ? { movable, draggedPieces } : {}),
      ...(winning ? { winning } : {}),
      noAnimation,
    });
    update(this.#reserve, ...reserve.map((pieces, seat) => this.#tray(pieces, seat)));
    update(this.#buttons, ...this.#controls());
  }

  /** @returns {(HTMLElement | false)[]} */
  #controls() {
    const input = this.#input;
    if (!input.active) return [];
    const play = input.playable && html("button", { "data-key": "play", onclick: () => input.play() }, t.play);
    if (this.#guide !== undefined) return [this.#guide.length === 0 && play];
    const { open, draft } = input;
    const words = draft.started ? [] : draft.namedMoves;
    return [
      open?.entry.choices != null && html("span", { class: "amounts", "data-key": "choices" }, ...open.entry.choices.map((choice) => this.#choice(open.role, open.entry, choice))),
      open?.entry.pieces != null && this.#stepper(open.role, open.entry),
      ...words.map((word) => html("button", { "data-key": `word-${word}`, onclick: () => void this.#onMove(word) }, t.word(word))),
      draft.started && html("button", { class: "quiet", "data-key": "undo", onclick: () => input.undo() }, t.undo),
      play,
    ];
  }

  /**
   * Returns the reserve of a seat. Pieces of the side to move can be chosen.
   * @param {string} pieces
   * @param {number} seat
   */
  #tray(pieces, seat) {
    const own = this.#input.active && seat === this.#explored?.to_move;
    const kinds = [...new Set(pieces)];
    const next = this.#guide?.[0];
    const button = (/** @type {string} */ piece) =>
      html(
        "button",
        { "data-key": piece, disabled: !own, class: next === `+${piece}` ? "quiet wanted" : "quiet", "aria-pressed": String(own && piece === this.#held), onclick: () => this.#hold(piece) },
        pieceIcon(piece, seat, this.#layout?.letters),
        t.reserve(piece, [...pieces].filter((each) => each === piece).length),
      );
    return html("span", { class: "amounts", role: "group", "aria-label": t.reserveOf(seat + 1), "data-key": `tray-${seat}` }, ...kinds.map(button));
  }

  /** Takes a piece of the reserve, or puts it back. @param {string} piece */
  #hold(piece) {
    if (this.#guide !== undefined) {
      if (this.#guide[0] !== `+${piece}`) return this.#callbacks.onRefused("");
      this.#guide = this.#guide.slice(1);
    }
    this.#held = this.#held === piece ? undefined : piece;
    this.#callbacks.onPick?.();
    return this.#show();
  }

  /**
   * @param {Role} role
   * @param {PickedCell} entry
   * @param {string} choice
   */
  #choice(role, entry, choice) {
    const pressed = choice === entry.choice;
    return html(
      "button",
      { class: "quiet", "data-key": choice, "aria-pressed": String(pressed), "aria-label": choice, onclick: () => this.#input.choice(role, entry.cell, choice) },
      [...choice].map((letter) => pieceIcon(letter, this.#explored?.to_move ?? 0, this.#layout?.letters)),
    );
  }

  /**
   * @param {Role} role
   * @param {PickedCell} entry
   */
  #stepper(role, { cell, pieces, least, most }) {
    const now = pieces ?? 0;
    const step = (/** @type {number} */ by) => () => this.#input.amount(role, cell, now + by);
    return html(
      "span",
      { class: "amounts", role: "group", "aria-label": t.amount(cell), "data-key": "amount" },
      html("button", { class: "quiet", "aria-label": t.fewer, disabled: now <= (least ?? 1), onclick: step(-1) }, "−"),
      html("output", {}, String(now)),
      html("button", { class: "quiet", "aria-label": t.more, disabled: now >= (most ?? now), onclick: step(1) }, "+"),
    );
  }

  /**
   * @param {string} cell
   * @param {string} part
   * @param {boolean} other
   */
  #onPick(cell, part, other) {
    const held = this.#held;
    this.#held = undefined;
    if (this.#guide !== undefined) {
      if (cell !== this.#guide[0]) {
        this.#held = held;
        return this.#callbacks.onRefused("");
      }
      this.#guide = this.#guide.slice(1);
    }
    this.#callbacks.onPick?.();
    if (held !== undefined) return this.#input.place(cell, held);
    return this.#input.pick(cell, this.#guide === undefined ? part : "", other);
  }

  /** @param {KeyboardEvent} event */
  #onKeyDown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLButtonElement) return;
    const open = this.#guide === undefined ? this.#input.open : undefined;
    const change = event.key === "+" || event.key === "=" ? 1 : event.key === "-" ? -1 : 0;
    const { draft, playable } = this.#input;
    if (change !== 0 && open?.entry.pieces != null) {
      if (open.entry.pieces + change >= (open.entry.least ?? 1)) this.#input.changeAmount(change);
    } else if (event.key === "Enter" && playable && !this.#guide?.length) this.#input.play();
    else if (event.key === "Escape" && draft.started && this.#guide === undefined) this.#input.undo();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}
