// A board on which moves of both sides can be tried: lessons, puzzles and the analysis board. Its
// owner decides what follows from a move.

import { Board } from "../board/board.js";
import { pieceIcon } from "../board/pieces.js";
import { changes } from "../board/changes.js";
import { Highlights } from "../game/highlights.js";
import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { Exploration } from "./exploration.js";
import { SketchInput } from "./sketch_input.js";

/** @import {BoardLayout, Explored, HouseLevel} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {Changes, Position} from "../board/changes.js" */
/** @import {Highlight} from "../board/markers.js" */
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
  /** Cells that are pointed to. @type {readonly string[]} */
  #pointed = [];
  /** What the board is busy with. @type {Promise<unknown> | undefined} */
  #work;
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
    this.#input = new SketchInput(this.#exploration, {
      onChange: () => this.#show(),
      onMove: (move) => void this.#onMove(move),
      onRefused: callbacks.onRefused,
      onError: callbacks.onError,
    });
    this.#input.autoPlay = setup.autoPlay ?? true;
    this.#board.addEventListener("pick", this.#onPick);
    this.#board.addEventListener("grab", this.#onGrab);
    this.#board.addEventListener("drop", this.#onDrop);
    this.#board.addEventListener("release", () => this.#input.release());
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

  /**
   * Marks the board as busy until some work is done.
   * @template Result
   * @param {Promise<Result>} work
   */
  #track(work) {
    this.#work = work;
    this.element.setAttribute("aria-busy", "true");
    const end = () => this.#work === work && this.element.setAttribute("aria-busy", "false");
    work.then(end, end);
    return work;
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
  goTo(moves = this.moves, { base = this.#exploration.base, before = moves.length > 0 ? { base, moves: moves.slice(0, -1) } : undefined } = {}) {
    return this.#track(this.#goTo({ base, moves }, before));
  }

  /**
   * @param {Place} place
   * @param {Place | undefined} before
   */
  async #goTo({ base, moves }, before) {
    this.#version += 1;
    const version = this.#version;
    this.#input.active = false;
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
      this.#input.begin(explored);
      return explored;
    } catch (error) {
      if (version !== this.#version) return undefined;
      if (this.#explored !== undefined) this.#input.begin(this.#explored);
      this.#callbacks.onError(error);
      return undefined;
    }
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

  /** Lets no more moves be made. */
  stop() {
    this.#input.active = false;
    this.#show();
  }

  /** @param {string} move */
  async #onMove(move) {
    const explored = await this.goTo([...this.moves, move]);
    if (explored !== undefined) this.#callbacks.onMove(explored.moves.at(-1) ?? move, explored);
  }

  #show(noAnimation = false) {
    if (this.#explored === undefined || this.#layout === undefined) return;
    const { position, captures, winning, reserve = [] } = this.#explored;
    const highlights = new Highlights();
    const lastMove = this.#input.started ? undefined : this.#lastMove;
    if (lastMove !== undefined) highlights.lastMove({ ...lastMove, captured: captures.map(({ cell }) => cell) });
    const guide = this.#guide;
    if (guide !== undefined) {
      for (const { cell } of [...this.#input.answer.from, ...this.#input.answer.to]) highlights.add(cell, "chosen");
      if (guide[0] !== undefined && !guide[0].startsWith("+")) highlights.add(guide[0], "target");
    } else if (this.#input.active) highlights.sketch(this.#input.answer, this.#layout.cells.length);
    for (const cell of this.#pointed) highlights.add(cell, "capture");
    /** @type {ReadonlyMap<string, ReadonlySet<Highlight>>} */
    const cells = highlights.cells;
    const preview = this.#input.position;
    this.#board.show({
      position,
      highlights: cells,
      path: guide === undefined ? (lastMove?.flights ?? []) : [],
      ...(preview === undefined ? {} : { preview }),
      ...(guide === undefined ? {} : { pickable: new Set(guide.slice(0, 1)) }),
      ...(this.#input.active && guide === undefined ? { movable: this.#input.movable, draggedPieces: this.#input.draggedPieces } : {}),
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
    const play = input.answer.move != null && html("button", { "data-key": "play", onclick: () => input.play() }, t.play);
    if (this.#guide !== undefined) return [this.#guide.length === 0 && play];
    const { open } = input;
    const words = input.started ? [] : input.words;
    return [
      open?.entry.choices != null && html("span", { class: "amounts", "data-key": "choices" }, ...open.entry.choices.map((choice) => this.#choice(open, choice))),
      open?.entry.pieces != null && this.#stepper(open.role, open.entry),
      ...words.map((word) => html("button", { "data-key": `word-${word}`, onclick: () => void this.#onMove(word) }, t.word(word))),
      input.started && html("button", { class: "quiet", "data-key": "undo", onclick: () => input.undo() }, t.undo),
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
   * @param {NonNullable<SketchInput["open"]>} open
   * @param {string} choice
   */
  #choice({ role, entry }, choice) {
    const pressed = choice === entry.choice;
    return html(
      "button",
      { class: "quiet", "data-key": choice, "aria-pressed": String(pressed), "aria-label": choice, onclick: () => this.#input.setAmount(role, entry.cell, { choice }) },
      [...choice].map((letter) => pieceIcon(letter, this.#explored?.to_move ?? 0, this.#layout?.letters)),
    );
  }

  /**
   * @param {NonNullable<SketchInput["open"]>["role"]} role
   * @param {NonNullable<SketchInput["open"]>["entry"]} entry
   */
  #stepper(role, { cell, pieces, least, most }) {
    const now = pieces ?? 0;
    const step = (/** @type {number} */ by) => () => this.#input.setAmount(role, cell, { pieces: now + by });
    return html(
      "span",
      { class: "amounts", role: "group", "aria-label": t.amount(cell), "data-key": "amount" },
      html("button", { class: "quiet", "aria-label": t.fewer, disabled: now <= (least ?? 1), onclick: step(-1) }, "−"),
      html("output", {}, String(now)),
      html("button", { class: "quiet", "aria-label": t.more, disabled: now >= (most ?? now), onclick: step(1) }, "+"),
    );
  }

  /** @param {Event} event */
  #onPick = (event) => {
    if (!(event instanceof CustomEvent)) return;
    const { cell, level, other } = event.detail;
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
    if (held !== undefined) return void this.#track(this.#input.place(cell, held));
    return void this.#track(this.#input.pick(cell, this.#guide === undefined ? this.#partOf(cell, level) : "", other));
  };

  /** @param {Event} event */
  #onGrab = (event) => {
    if (event instanceof CustomEvent && this.#guide === undefined) void this.#track(this.#input.grab(event.detail.cell, this.#partOf(event.detail.cell, event.detail.level)));
  };

  /** @param {Event} event */
  #onDrop = (event) => {
    if (event instanceof CustomEvent && this.#guide === undefined) void this.#track(this.#input.drop(event.detail.cell, event.detail.pieces, event.detail.all));
  };

  /**
   * @param {string} cell
   * @param {number | undefined} level
   */
  #partOf(cell, level) {
    return level === undefined ? "" : (this.#explored?.position[cell] ?? "").slice(level);
  }

  /** @param {KeyboardEvent} event */
  #onKeyDown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLButtonElement) return;
    const open = this.#guide === undefined ? this.#input.open : undefined;
    const change = event.key === "+" || event.key === "=" ? 1 : event.key === "-" ? -1 : 0;
    if (change !== 0 && open?.entry.pieces != null) this.#input.setAmount(open.role, open.entry.cell, { pieces: open.entry.pieces + change });
    else if (event.key === "Enter" && this.#input.answer.move != null && !this.#guide?.length) this.#input.play();
    else if (event.key === "Escape" && this.#input.started && this.#guide === undefined) this.#input.undo();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}
