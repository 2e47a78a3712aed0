// Dragging with mouse, finger or pen. The owner decides what can be dragged and what a drop means.
// This module draws nothing.

/**
 * How far a pointer moves before a drag starts, in pixels. A finger is less steady than a mouse.
 */
const SLOP_PX = /** @type {Record<string, number>} */ ({ mouse: 5 });
const SLOP_DEFAULT_PX = 9;

/** How long a finger or a pen rests on a stack to drag all of it, in milliseconds. */
const HOLD_MS = 400;

/** Keyboard events during a drag. */
const KEYS = /** @type {const} */ (["keydown", "keyup"]);

/**
 * The dragged pieces.
 * @typedef {object} Dragged
 * @property {string} cell where they were picked up
 * @property {number | undefined} level the pressed piece of the stack, 0 for the lowest
 * @property {boolean} all whether the whole stack is dragged
 */

/** A point of the screen. @typedef {{ x: number, y: number }} Point */

/** A cell, and the piece of its stack, if pieces are distinguished. @typedef {{ cell: string, level: number | undefined }} PlaceOfCell */

/**
 * @typedef {object} Callbacks
 * @property {(target: EventTarget | null, at: Point, kind: string) => PlaceOfCell | undefined} placeOf the cell
 *   that a kind of pointer means
 * @property {(cell: string) => boolean} canDrag whether pieces can be dragged from a cell
 * @property {(dragged: Dragged) => void} onStart
 * @property {(dragged: Dragged, at: Point, over: string | undefined) => void} onMove
 * @property {(dragged: Dragged, over: string | undefined) => void} onEnd `over` is `undefined` after a cancelled drag
 */

/**
 * A pointer that is pressed on a draggable piece.
 * @typedef {Dragged & { pointer: number, kind: string, start: Point, at: Point, started: boolean }} Press
 */

export class Drag {
  #board;
  #callbacks;
  /** @type {Press | undefined} */
  #press;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #holdTimer;
  /** Whether the click that ends a drag is still to come. */
  #endsInClick = false;

  /**
   * @param {HTMLElement} board
   * @param {Callbacks} callbacks
   */
  constructor(board, callbacks) {
    this.#board = board;
    this.#callbacks = callbacks;
  }

  open() {
    const board = this.#board;
    board.addEventListener("pointerdown", this.#onPointerDown);
    board.addEventListener("pointermove", this.#onPointerMove);
    board.addEventListener("pointerup", this.#onPointerUp);
    board.addEventListener("pointercancel", this.#onPointerLost);
    board.addEventListener("lostpointercapture", this.#onPointerLost);
    board.addEventListener("contextmenu", this.#onContextMenu);
    // Keeps a finger that drags a piece from scrolling the page.
    board.addEventListener("touchmove", this.#onTouchMove, { passive: false });
  }

  close() {
    this.cancel();
    const board = this.#board;
    board.removeEventListener("pointerdown", this.#onPointerDown);
    board.removeEventListener("pointermove", this.#onPointerMove);
    board.removeEventListener("pointerup", this.#onPointerUp);
    board.removeEventListener("pointercancel", this.#onPointerLost);
    board.removeEventListener("lostpointercapture", this.#onPointerLost);
    board.removeEventListener("contextmenu", this.#onContextMenu);
    board.removeEventListener("touchmove", this.#onTouchMove);
  }

  /** The dragged pieces, if any. @returns {Dragged | undefined} */
  get dragged() {
    return this.#press?.started ? this.#press : undefined;
  }

  /** Whether a click is the end of a drag. */
  get endsInClick() {
    return this.#endsInClick;
  }

  /** Calls `onMove` again after a change of the board. */
  repeatMove() {
    if (this.#press?.started) this.#move(this.#press);
  }

  /** Cancels the drag. */
  cancel() {
    this.#end(undefined);
  }

  /** @param {PointerEvent} event */
  #onPointerDown = (event) => {
    if (!event.isPrimary) return this.cancel();
    const at = { x: event.clientX, y: event.clientY };
    const { pointerId: pointer, pointerType: kind } = event;
    const place = this.#callbacks.placeOf(event.target, at, kind);
    if (event.button !== 0 || place === undefined || !this.#callbacks.canDrag(place.cell)) return undefined;
    this.#press = { ...place, all: event.shiftKey, pointer, kind, start: at, at, started: false };
    if (kind !== "mouse") this.#holdTimer = setTimeout(this.#onHold, HOLD_MS);
    return undefined;
  };

  /** A finger rests on a stack. */
  #onHold = () => {
    if (this.#press === undefined) return;
    this.#press.all = true;
    this.#begin(this.#press);
    this.#move(this.#press);
  };

  /** @param {PointerEvent} event */
  #onPointerMove = (event) => {
    const press = this.#press;
    if (press === undefined || event.pointerId !== press.pointer) return;
    press.at = { x: event.clientX, y: event.clientY };
    if (press.kind === "mouse") press.all = event.shiftKey;
    if (!press.started) {
      const far = Math.hypot(press.at.x - press.start.x, press.at.y - press.start.y);
      if (far < (SLOP_PX[press.kind] ?? SLOP_DEFAULT_PX)) return;
      this.#begin(press);
    }
    this.#move(press);
  };

  /** @param {Press} press */
  #begin(press) {
    clearTimeout(this.#holdTimer);
    if (press.started) return;
    press.started = true;
    this.#board.setPointerCapture(press.pointer);
    for (const kind of KEYS) document.addEventListener(kind, this.#onKey, true);
    this.#callbacks.onStart(press);
  }

  /** @param {Press} press */
  #move(press) {
    this.#callbacks.onMove(press, press.at, this.#cellAt(press.at, press.kind));
  }

  /**
   * Returns the cell of this board at a point of the screen.
   * @param {Point} at
   * @param {string} kind of the pointer
   */
  #cellAt(at, kind) {
    const element = document.elementFromPoint(at.x, at.y);
    return element !== null && this.#board.contains(element) ? this.#callbacks.placeOf(element, at, kind)?.cell : undefined;
  }

  /** @param {PointerEvent} event */
  #onPointerUp = (event) => {
    const press = this.#press;
    if (event.pointerId === press?.pointer) this.#end(this.#cellAt({ x: event.clientX, y: event.clientY }, press.kind));
  };

  /** @param {PointerEvent} event */
  #onPointerLost = (event) => {
    // The touched element loses the pointer to the board when a drag starts.
    const passed = event.type === "lostpointercapture" && event.target !== this.#board;
    if (!passed && event.pointerId === this.#press?.pointer) this.cancel();
  };

  /** @param {string | undefined} over */
  #end(over) {
    const press = this.#press;
    clearTimeout(this.#holdTimer);
    this.#press = undefined;
    if (!press?.started) return;
    for (const kind of KEYS) document.removeEventListener(kind, this.#onKey, true);
    // The browser sends a click right after, if press and release are in one cell.
    this.#endsInClick = true;
    setTimeout(() => (this.#endsInClick = false));
    this.#callbacks.onEnd(press, over);
  }

  /** @param {KeyboardEvent} event */
  #onKey = (event) => {
    if (event.key === "Shift" && this.#press?.kind === "mouse") {
      this.#press.all = event.type === "keydown";
      this.repeatMove();
    } else if (event.key === "Escape" && event.type === "keydown") {
      event.preventDefault();
      event.stopPropagation();
      this.cancel();
    }
  };

  /** Suppresses the context menu of a long press. @param {MouseEvent} event */
  #onContextMenu = (event) => {
    if (this.#press !== undefined && this.#press.kind !== "mouse") event.preventDefault();
  };

  /** @param {TouchEvent} event */
  #onTouchMove = (event) => {
    if (this.#press !== undefined && event.cancelable) event.preventDefault();
  };
}

/**
 * Returns the cell of a board's element.
 * @param {EventTarget | null} target
 * @returns {PlaceOfCell | undefined}
 */
export function cellOf(target) {
  if (!(target instanceof Element)) return undefined;
  const group = target.closest("[data-cell]");
  if (!(group instanceof SVGElement)) return undefined;
  const piece = target.closest("[data-level]");
  const level = piece instanceof SVGElement ? Number(piece.dataset["level"]) : undefined;
  return { cell: group.dataset["cell"] ?? "", level };
}
