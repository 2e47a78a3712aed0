// The gesture of dragging, by mouse, finger or pen: when it begins, where it is and where it ends. What
// can be picked up, and what it means to drop it somewhere, is told from outside; nothing is drawn here.

/** How far a pointer goes before it drags, in pixels: a finger is less steady than a mouse. */
const SLOP_PX = /** @type {Record<string, number>} */ ({ mouse: 5 });
const SLOP_DEFAULT_PX = 9;

/** How long a finger or a pen rests on a stack to pick up all of it, in milliseconds. */
const HOLD_MS = 400;

/** What a drag listens to on the keyboard. */
const KEYS = /** @type {const} */ (["keydown", "keyup"]);

/**
 * What is being dragged.
 * @typedef {object} Dragged
 * @property {string} cell where it was picked up
 * @property {number | undefined} level the piece of the stack that was pointed at, 0 for the lowest
 * @property {boolean} all whether all of the stack is meant rather than one piece
 */

/** Where a pointer is on the screen. @typedef {{ x: number, y: number }} Point */

/**
 * @typedef {object} Callbacks
 * @property {(cell: string) => boolean} canDrag whether something can be picked up from a cell
 * @property {(dragged: Dragged) => void} onStart
 * @property {(dragged: Dragged, at: Point, over: string | undefined) => void} onMove
 * @property {(dragged: Dragged, over: string | undefined) => void} onEnd `over` no cell if it was cancelled
 */

/** A pointer that is down on something that can be picked up. @typedef {Dragged & { pointer: number, kind: string, start: Point, at: Point, started: boolean }} Press */

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
    // Only this keeps a finger that drags a piece from scrolling the page; elsewhere it scrolls.
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

  /** What is being dragged, if anything is. @returns {Dragged | undefined} */
  get dragged() {
    return this.#press?.started ? this.#press : undefined;
  }

  /** Whether a click is only the end of a drag. */
  get endsInClick() {
    return this.#endsInClick;
  }

  /** Tells again where the drag is: something has changed on the board. */
  repeatMove() {
    if (this.#press?.started) this.#move(this.#press);
  }

  /** Drops what is being dragged nowhere. */
  cancel() {
    this.#end(undefined);
  }

  /** @param {PointerEvent} event */
  #onPointerDown = (event) => {
    if (!event.isPrimary) return this.cancel();
    const place = cellOf(event.target);
    if (event.button !== 0 || place === undefined || !this.#callbacks.canDrag(place.cell)) return undefined;
    const at = { x: event.clientX, y: event.clientY };
    const { pointerId: pointer, pointerType: kind } = event;
    this.#press = { ...place, all: event.shiftKey, pointer, kind, start: at, at, started: false };
    if (kind !== "mouse") this.#holdTimer = setTimeout(this.#onHold, HOLD_MS);
    return undefined;
  };

  /** A finger has rested on a stack. */
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
    this.#callbacks.onMove(press, press.at, this.#cellAt(press.at));
  }

  /** The cell of this board at a point of the screen. @param {Point} at */
  #cellAt(at) {
    const element = document.elementFromPoint(at.x, at.y);
    return element !== null && this.#board.contains(element) ? cellOf(element)?.cell : undefined;
  }

  /** @param {PointerEvent} event */
  #onPointerUp = (event) => {
    if (event.pointerId === this.#press?.pointer) this.#end(this.#cellAt({ x: event.clientX, y: event.clientY }));
  };

  /** @param {PointerEvent} event */
  #onPointerLost = (event) => {
    // What a finger touched first loses it to the board when the drag begins.
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
    // The browser sends the click right after, if it was within one cell.
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

  /** A long press on a piece is no wish for a menu. @param {MouseEvent} event */
  #onContextMenu = (event) => {
    if (this.#press !== undefined && this.#press.kind !== "mouse") event.preventDefault();
  };

  /** @param {TouchEvent} event */
  #onTouchMove = (event) => {
    if (this.#press !== undefined && event.cancelable) event.preventDefault();
  };
}

/**
 * The cell that an element of a board belongs to, and the piece, where pieces are told apart.
 * @param {EventTarget | null} target
 * @returns {{ cell: string, level: number | undefined } | undefined}
 */
export function cellOf(target) {
  if (!(target instanceof Element)) return undefined;
  const group = target.closest("[data-cell]");
  if (!(group instanceof SVGElement)) return undefined;
  const piece = target.closest("[data-level]");
  const level = piece instanceof SVGElement ? Number(piece.dataset["level"]) : undefined;
  return { cell: group.dataset["cell"] ?? "", level };
}
