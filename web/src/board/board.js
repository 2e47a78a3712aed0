// `<adamant-board>`: draws any board from a layout and a position, and reports clicks and drags. It
// knows no rules: its owner decides what a click means.

import { fill, html } from "../ui/element.js";
import { viewSettings } from "../ui/view_settings.js";
import { Drag, cellOf } from "./drag.js";
import { Geometry } from "./geometry.js";
import { nearestCell } from "./hit.js";
import { addPaint } from "./paint.js";
import { lettersOf } from "./pieces.js";
import { BOARD_NAME, Scene } from "./scene.js";

/** @import {BoardLayout} from "../wire.js" */
/** @import {Flight, Position} from "./changes.js" */
/** @import {Dragged, Point} from "./drag.js" */
/** @import {Highlight} from "./markers.js" */
/** @import {Look} from "./scene.js" */

/** @type {ReadonlySet<string>} */
const NO_CELLS = new Set();

/** Highlights of cells where something can be done. @type {readonly Highlight[]} */
const PICKABLE = ["source", "target", "capture", "chosen"];

/** Distance of a popover from the middle of its cell, in cells. */
const POPOVER_DISTANCE = 0.62;

/**
 * How a board is set up.
 * @typedef {object} BoardSetup
 * @property {boolean} live whether it reacts to clicks
 * @property {boolean} labels whether it has coordinates, as the user has set them
 * @property {number} [orientation] the seat whose side is down
 * @property {Position} [start] the position before the first move: it tells where a seat begins, if no edge does
 * @property {number} [own] the seat of the user, for screen readers
 * @property {readonly string[]} [users] the players by seat, for screen readers
 * @property {string} [name] the name of the board for screen readers, such as its players
 */

/**
 * The content of the board.
 * @typedef {object} BoardView
 * @property {Position} position
 * @property {ReadonlyMap<string, ReadonlySet<Highlight>>} highlights
 * @property {ReadonlySet<string>} [pickable] cells where something can be done; by default those highlighted so, and movable
 * @property {ReadonlySet<string>} [movable] cells whose pieces can be dragged
 * @property {string} [draggedPieces] the pieces that are dragged together, if the game names them
 * @property {readonly Flight[]} [path] the last move
 * @property {readonly Flight[]} [suggested] a suggested move
 * @property {readonly string[]} [winning] the cells that won the game
 * @property {Position} [preview] the position after the sketched move, as far as it is sketched
 * @property {boolean} [sent] whether the previewed move is sent and not yet acknowledged
 * @property {boolean} [noAnimation] whether pieces appear at their new places without animation
 */

/** Directions of the arrow keys. @type {Record<string, [number, number]>} */
const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export class Board extends HTMLElement {
  /** @type {Scene | undefined} */
  #scene;
  /** @type {BoardLayout | undefined} */
  #layout;
  /** @type {BoardSetup} */
  #setup = { live: false, labels: false };
  /** @type {BoardView | undefined} */
  #view;
  /** @type {ReadonlySet<string>} */
  #pickable = NO_CELLS;
  #popover = html("div", { class: "board-popover", hidden: true });
  #popoverCell = "";
  #popoverAway = "";
  /** Describes the drawn drag, to redraw it only after a change. */
  #dragDrawn = "";
  #over = "";
  #focused = "";
  /** Whether the user has chosen the cell that takes the keyboard's focus. */
  #hasChosen = false;
  /** What pointed last: `mouse`, `touch` or `pen`. */
  #pointer = "mouse";
  #stopListening = () => {};
  #drawnSettings = "";
  #drag = new Drag(this, {
    placeOf: (target, at, kind) => this.#placeOf(target, at, kind),
    canDrag: (cell) => this.#setup.live && (this.#view?.movable?.has(cell) ?? false) && this.#shown[cell] !== undefined,
    onStart: (dragged) => this.#emit("grab", { cell: dragged.cell, level: dragged.level }),
    onMove: (dragged, at, over) => this.#showDrag(dragged, at, over),
    onEnd: (dragged, over) => this.#drop(dragged, over),
  });

  /** Whether the board is turned round. */
  flipped = false;

  connectedCallback() {
    addPaint();
    this.addEventListener("click", this.#onClick);
    this.addEventListener("keydown", this.#onKeyDown);
    this.addEventListener("pointerdown", this.#onPointerDown);
    this.addEventListener("pointercancel", this.#onPointerCancel);
    this.addEventListener("focusin", this.#onFocus);
    this.addEventListener("focusout", this.#onBlur);
    this.#stopListening = viewSettings.onChange(() => this.#onSettings());
    this.#onSettings();
    if (this.#setup.live) this.#drag.open();
  }

  disconnectedCallback() {
    this.removeEventListener("click", this.#onClick);
    this.removeEventListener("keydown", this.#onKeyDown);
    this.removeEventListener("pointerdown", this.#onPointerDown);
    this.removeEventListener("pointercancel", this.#onPointerCancel);
    this.removeEventListener("focusin", this.#onFocus);
    this.removeEventListener("focusout", this.#onBlur);
    this.#stopListening();
    this.#drag.close();
  }

  /** The settings that the drawing depends on. The style sheet knows the others. */
  get #settings() {
    return `${this.#setup.labels ? viewSettings.get("coordinates") : "off"} ${viewSettings.get("letters")}`;
  }

  #onSettings() {
    if (this.#settings !== this.#drawnSettings) this.#redraw();
  }

  /** What is drawn. */
  get #shown() {
    return this.#scene?.position ?? {};
  }

  /**
   * Draws an empty board.
   * @param {BoardLayout} layout
   * @param {BoardSetup} setup
   */
  setLayout(layout, setup) {
    this.#layout = layout;
    this.#setup = setup;
    this.#view = undefined;
    this.#drawnSettings = this.#settings;
    const { live, labels, orientation = 0, start, own, users = [], name = BOARD_NAME } = setup;
    const coordinates = labels ? viewSettings.get("coordinates") : "off";
    const geometry = new Geometry(layout, { seat: orientation, start, flipped: this.flipped, edge: coordinates === "edge" });
    /** @type {Look} */
    const look = {
      live,
      coordinates,
      // Boards without labels are small, and there may be hundreds.
      style: { shadows: labels, letters: viewSettings.get("letters") === "on" },
      name,
      reader: { own, users, edges: edgesByCell(layout) },
    };
    this.#scene = new Scene(geometry, lettersOf(layout), look);
    fill(this, this.#scene.element, this.#popover);
    this.style.setProperty("--ratio", String(geometry.frame.width / geometry.frame.height));
    this.#focus(geometry.cells.has(this.#focused) ? this.#focused : (layout.cells[0]?.name ?? ""), false);
    if (live && this.isConnected) this.#drag.open();
  }

  /** Turns the board round. */
  flip() {
    this.flipped = !this.flipped;
    this.#redraw();
  }

  /** Draws the same again, after a change of how it is drawn. */
  #redraw() {
    const view = this.#view;
    if (this.#layout === undefined) return;
    const hadFocus = this.querySelector("svg")?.contains(document.activeElement);
    this.setLayout(this.#layout, this.#setup);
    if (view !== undefined) this.show({ ...view, noAnimation: true });
    if (hadFocus) this.takeFocus();
    if (!this.#popover.hidden) this.#placePopover();
  }

  /**
   * Shows a position and animates the pieces that moved.
   * @param {BoardView} view
   */
  show(view) {
    if (this.#scene === undefined) return;
    this.#pickable = view.pickable ?? pickableOf(view);
    this.#view = view;
    this.#scene.show({ ...view, pickable: this.#pickable }, !view.noAnimation && viewSettings.animates);
    this.#showMovable(view.movable ?? NO_CELLS);
    // The keyboard begins at a piece that can move.
    const [first] = this.#hasChosen ? [] : (view.movable ?? []);
    if (first !== undefined) this.#focus(first, false);
  }

  /**
   * Marks a cell as chosen at once, until the next `show`.
   * @param {string | undefined} cell
   */
  select(cell) {
    this.#scene?.press(cell);
  }

  /**
   * Shows that nothing can be done on a cell.
   * @param {string} cell
   */
  refuse(cell) {
    this.#scene?.shake(cell, viewSettings.animates);
  }

  /**
   * Shows an element beside a cell, or none. The board keeps one such element.
   * @param {string} cell
   * @param {HTMLElement | undefined} element
   * @param {string} [away] a cell that stays free
   */
  placeBeside(cell, element, away = "") {
    this.#popoverCell = cell;
    this.#popoverAway = away;
    this.#popover.hidden = element === undefined;
    if (element === undefined) fill(this.#popover);
    else if (this.#popover.firstChild !== element) fill(this.#popover, element);
    if (element !== undefined) this.#placePopover();
  }

  #placePopover() {
    const cell = this.#scene?.geometry.cells.get(this.#popoverCell);
    const frame = this.#scene?.geometry.frame;
    if (cell === undefined || frame === undefined) return;
    const share = { x: (cell.x - frame.x) / frame.width, y: (cell.y - frame.y) / frame.height };
    // Round a ring the corners of the board are free.
    if (cell.shape === "sector") return this.#setPopover({ x: Math.round(share.x), y: Math.round(share.y) }, share.y > 0.5);
    // On the other side than the cell that stays free, else towards the middle of the board.
    const away = this.#scene?.geometry.cells.get(this.#popoverAway);
    const above = away === undefined || Math.abs(away.y - cell.y) < 0.1 ? share.y > 0.5 : away.y > cell.y;
    return this.#setPopover({ x: share.x, y: share.y + ((above ? -1 : 1) * POPOVER_DISTANCE) / frame.height }, above);
  }

  /**
   * @param {Point} share where it is, as shares of the board
   * @param {boolean} above whether it is above that place
   */
  #setPopover(share, above) {
    this.#popover.style.setProperty("--at-x", `${share.x * 100}%`);
    this.#popover.style.setProperty("--at-y", `${share.y * 100}%`);
    this.#popover.classList.toggle("above", above);
    const half = this.#popover.offsetWidth / 2;
    const at = share.x * this.offsetWidth;
    // It stays within the board.
    const shift = Math.max(0, half - at) - Math.max(0, at + half - this.offsetWidth);
    this.#popover.style.setProperty("--shift", `${Math.round(shift)}px`);
  }

  /**
   * Returns the cell that a pointer means, and the piece, if pieces are distinguished.
   * @param {EventTarget | null} target
   * @param {Point} at
   * @param {string} kind of the pointer
   */
  #placeOf(target, at, kind) {
    const touched = cellOf(target);
    if (kind === "mouse" || this.#scene === undefined) return touched;
    const place = this.#toBoard(at);
    if (place === undefined || !this.#inReach(target)) return touched;
    const pixels = this.#scene.element.clientWidth / this.#scene.geometry.frame.width;
    const nearest = nearestCell(this.#scene.geometry, place, this.#pickable, pixels);
    return nearest === undefined || nearest === touched?.cell ? touched : { cell: nearest, level: undefined };
  }

  /** @param {EventTarget | null} target */
  #inReach(target) {
    return target instanceof Node && this.contains(target) && !this.#popover.contains(target);
  }

  /** @param {PointerEvent} event */
  #onPointerDown = (event) => {
    this.#pointer = event.pointerType;
    if (!this.#setup.live || event.button !== 0 || !event.isPrimary) return;
    const cell = this.#placeOf(event.target, { x: event.clientX, y: event.clientY }, event.pointerType)?.cell ?? "";
    if (this.#pickable.has(cell)) this.select(cell);
  };

  #onPointerCancel = () => this.select(undefined);

  /** @param {Event} event */
  #onClick = (event) => {
    if (!this.#setup.live || this.#drag.endsInClick || !(event instanceof MouseEvent)) return;
    // A click without a place comes from assistive technology.
    const pointed = event.detail > 0;
    const place = pointed ? this.#placeOf(event.target, { x: event.clientX, y: event.clientY }, this.#pointer) : cellOf(event.target);
    if (place === undefined) return this.select(undefined);
    this.#hasChosen = true;
    this.#focus(place.cell, false);
    return this.#pick(place.cell, place.level, event.shiftKey);
  };

  /** @param {ReadonlySet<string>} movable */
  #showMovable(movable) {
    const scene = this.#scene;
    if (scene === undefined || !this.#setup.live) return;
    for (const [name, group] of scene.cells) {
      for (const each of [group, scene.stacks.get(name)]) each?.toggleAttribute("data-movable", movable.has(name));
    }
    const { dragged } = this.#drag;
    // A piece that can no longer move is dropped: the game has gone on.
    if (dragged !== undefined && (!movable.has(dragged.cell) || !this.#shown[dragged.cell])) this.#drag.cancel();
    else this.#drag.repeatMove();
  }

  /**
   * @param {Dragged} dragged
   * @param {Point} at
   * @param {string | undefined} over
   */
  #showDrag(dragged, at, over = "") {
    const cell = this.#scene?.geometry.cells.get(dragged.cell);
    const place = this.#toBoard(at);
    if (cell === undefined || this.#scene === undefined || place === undefined) return;
    const from = this.#dragFrom(dragged);
    const drawn = `${dragged.cell} ${this.#shown[dragged.cell] ?? ""} ${from}`;
    if (drawn !== this.#dragDrawn) this.#scene.lift(cell, from);
    this.#dragDrawn = drawn;
    const own = this.#scene.geometry.piece(cell, from);
    this.#scene.moveLifted(place.x - own.x, place.y - own.y);
    this.dataset["dragging"] = "";
    this.#hover(over);
  }

  /** @param {string} over */
  #hover(over) {
    if (over === this.#over) return;
    this.#scene?.cells.get(this.#over)?.removeAttribute("data-over");
    this.#scene?.cells.get(over)?.setAttribute("data-over", "");
    this.#over = over;
  }

  /**
   * Returns the lowest dragged piece of a stack.
   * @param {Dragged} dragged
   */
  #dragFrom({ cell, level, all }) {
    const { length } = this.#shown[cell] ?? "";
    const draggedPieces = this.#view?.draggedPieces ?? "";
    if (all) return 0;
    if (level === undefined) return length - 1;
    return draggedPieces === "" ? level : length - draggedPieces.length;
  }

  /** Converts a point of the screen to board coordinates. @param {Point} at */
  #toBoard({ x, y }) {
    const matrix = this.#scene?.element.getScreenCTM();
    return matrix ? new DOMPoint(x, y).matrixTransform(matrix.inverse()) : undefined;
  }

  /**
   * @param {Dragged} dragged
   * @param {string | undefined} over
   */
  #drop(dragged, over) {
    const pieces = (this.#shown[dragged.cell] ?? "").length - this.#dragFrom(dragged);
    this.#dragDrawn = "";
    this.#hover("");
    delete this.dataset["dragging"];
    this.#scene?.putDown(dragged.cell);
    if (over === undefined || over === dragged.cell) return this.#emit("release", {});
    this.#focus(over, false);
    return this.#emit("drop", { cell: over, pieces, all: dragged.all });
  }

  /** @param {KeyboardEvent} event */
  #onKeyDown = (event) => {
    if (!this.#setup.live || event.ctrlKey || event.metaKey || event.altKey || !this.#inReach(event.target)) return;
    const arrow = ARROWS[event.key];
    if (arrow !== undefined && !event.shiftKey) {
      const next = this.#scene?.geometry.nextInDirection(this.#focused, ...arrow);
      if (next !== undefined) this.#focus(next, true);
    } else if (event.key === " ") {
      if (this.#pickable.has(this.#focused)) this.select(this.#focused);
      this.#pick(this.#focused, undefined, event.shiftKey);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  /**
   * @param {string} cell
   * @param {number | undefined} level the clicked piece of the stack, 0 for the lowest
   * @param {boolean} other whether the second of two meanings is wanted
   */
  #pick(cell, level, other) {
    this.#emit("pick", { cell, level, other });
  }

  /**
   * @param {"pick" | "grab" | "drop" | "release"} what
   * @param {object} detail
   */
  #emit(what, detail) {
    this.dispatchEvent(new CustomEvent(what, { detail }));
  }

  /** @param {FocusEvent} event */
  #onFocus = (event) => {
    this.#hasChosen = true;
    // A screen reader moves the focus by itself.
    const focused = cellOf(event.target)?.cell;
    if (focused !== undefined && focused !== this.#focused) this.#focus(focused, false);
    const cell = event.target instanceof Element && event.target.matches(":focus-visible") ? focused : undefined;
    this.#scene?.focus(cell);
  };

  #onBlur = () => this.#scene?.focus(undefined);

  /** Moves the keyboard's focus to the last focused cell. */
  takeFocus() {
    this.#focus(this.#focused, true);
  }

  /**
   * @param {string} name
   * @param {boolean} take whether to move the keyboard's focus, too
   */
  #focus(name, take) {
    this.#scene?.cells.get(this.#focused)?.setAttribute("tabindex", "-1");
    this.#focused = name;
    const cell = this.#scene?.cells.get(name);
    if (!this.#setup.live || cell === undefined) return;
    cell.setAttribute("tabindex", "0");
    if (take) cell.focus({ preventScroll: true });
  }
}

/** @param {BoardView} view */
function pickableOf({ highlights, movable = NO_CELLS }) {
  const pickable = new Set(movable);
  for (const [cell, own] of highlights) if (PICKABLE.some((each) => own.has(each))) pickable.add(cell);
  return pickable;
}

/**
 * Returns the edges that each cell lies on.
 * @param {BoardLayout} layout
 */
function edgesByCell(layout) {
  /** @type {Map<string, { seat: number, name: string }[]>} */
  const edges = new Map();
  for (const { seat, name, cells } of layout.edges) {
    for (const cell of cells) edges.set(cell, [...(edges.get(cell) ?? []), { seat, name }]);
  }
  return edges;
}

customElements.define("adamant-board", Board);
