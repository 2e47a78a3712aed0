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
 * @typedef {object} Held
 * @property {string} cell where it was picked up
 * @property {number | undefined} level the piece of the stack that was pointed at, 0 for the lowest
 * @property {boolean} all whether all of the stack is meant rather than one piece
 */

/** Where a pointer is on the screen. @typedef {{ x: number, y: number }} Point */

/**
 * @typedef {object} Heard
 * @property {(cell: string) => boolean} mayHold whether something can be picked up from a cell
 * @property {(held: Held) => void} began
 * @property {(held: Held, at: Point, over: string | undefined) => void} moved
 * @property {(held: Held, over: string | undefined) => void} ended `over` no cell if it was cancelled
 */

/** A pointer that is down on something that can be picked up. @typedef {Held & { pointer: number, kind: string, start: Point, at: Point, begun: boolean }} Grip */

export class Drag {
  #board;
  #heard;
  /** @type {Grip | undefined} */
  #grip;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #hold;
  /** Whether the click that ends a drag is still to come. */
  #clicks = false;

  /**
   * @param {HTMLElement} board
   * @param {Heard} heard
   */
  constructor(board, heard) {
    this.#board = board;
    this.#heard = heard;
  }

  open() {
    const board = this.#board;
    board.addEventListener("pointerdown", this.#pressed);
    board.addEventListener("pointermove", this.#moved);
    board.addEventListener("pointerup", this.#released);
    board.addEventListener("pointercancel", this.#lost);
    board.addEventListener("lostpointercapture", this.#lost);
    board.addEventListener("contextmenu", this.#menu);
    // Only this keeps a finger that drags a piece from scrolling the page; elsewhere it scrolls.
    board.addEventListener("touchmove", this.#scrolls, { passive: false });
  }

  close() {
    this.cancel();
    const board = this.#board;
    board.removeEventListener("pointerdown", this.#pressed);
    board.removeEventListener("pointermove", this.#moved);
    board.removeEventListener("pointerup", this.#released);
    board.removeEventListener("pointercancel", this.#lost);
    board.removeEventListener("lostpointercapture", this.#lost);
    board.removeEventListener("contextmenu", this.#menu);
    board.removeEventListener("touchmove", this.#scrolls);
  }

  /** What is being dragged, if anything is. @returns {Held | undefined} */
  get held() {
    return this.#grip?.begun ? this.#grip : undefined;
  }

  /** Whether a click is only the end of a drag. */
  get clicks() {
    return this.#clicks;
  }

  /** Tells again where the drag is: something has changed on the board. */
  look() {
    if (this.#grip?.begun) this.#move(this.#grip);
  }

  /** Drops what is being dragged nowhere. */
  cancel() {
    this.#end(undefined);
  }

  /** @param {PointerEvent} event */
  #pressed = (event) => {
    if (!event.isPrimary) return this.cancel();
    const place = cellOf(event.target);
    if (event.button !== 0 || place === undefined || !this.#heard.mayHold(place.cell)) return undefined;
    const at = { x: event.clientX, y: event.clientY };
    const { pointerId: pointer, pointerType: kind } = event;
    this.#grip = { ...place, all: event.shiftKey, pointer, kind, start: at, at, begun: false };
    if (kind !== "mouse") this.#hold = setTimeout(this.#held, HOLD_MS);
    return undefined;
  };

  /** A finger has rested on a stack. */
  #held = () => {
    if (this.#grip === undefined) return;
    this.#grip.all = true;
    this.#begin(this.#grip);
    this.#move(this.#grip);
  };

  /** @param {PointerEvent} event */
  #moved = (event) => {
    const grip = this.#grip;
    if (grip === undefined || event.pointerId !== grip.pointer) return;
    grip.at = { x: event.clientX, y: event.clientY };
    if (grip.kind === "mouse") grip.all = event.shiftKey;
    if (!grip.begun) {
      const far = Math.hypot(grip.at.x - grip.start.x, grip.at.y - grip.start.y);
      if (far < (SLOP_PX[grip.kind] ?? SLOP_DEFAULT_PX)) return;
      this.#begin(grip);
    }
    this.#move(grip);
  };

  /** @param {Grip} grip */
  #begin(grip) {
    clearTimeout(this.#hold);
    if (grip.begun) return;
    grip.begun = true;
    this.#board.setPointerCapture(grip.pointer);
    for (const kind of KEYS) document.addEventListener(kind, this.#typed, true);
    this.#heard.began(grip);
  }

  /** @param {Grip} grip */
  #move(grip) {
    this.#heard.moved(grip, grip.at, this.#under(grip.at));
  }

  /** The cell of this board at a point of the screen. @param {Point} at */
  #under(at) {
    const element = document.elementFromPoint(at.x, at.y);
    return element !== null && this.#board.contains(element) ? cellOf(element)?.cell : undefined;
  }

  /** @param {PointerEvent} event */
  #released = (event) => {
    if (event.pointerId === this.#grip?.pointer) this.#end(this.#under({ x: event.clientX, y: event.clientY }));
  };

  /** @param {PointerEvent} event */
  #lost = (event) => {
    // What a finger touched first loses it to the board when the drag begins.
    const passed = event.type === "lostpointercapture" && event.target !== this.#board;
    if (!passed && event.pointerId === this.#grip?.pointer) this.cancel();
  };

  /** @param {string | undefined} over */
  #end(over) {
    const grip = this.#grip;
    clearTimeout(this.#hold);
    this.#grip = undefined;
    if (!grip?.begun) return;
    for (const kind of KEYS) document.removeEventListener(kind, this.#typed, true);
    // The browser sends the click right after, if it was within one cell.
    this.#clicks = true;
    setTimeout(() => (this.#clicks = false));
    this.#heard.ended(grip, over);
  }

  /** @param {KeyboardEvent} event */
  #typed = (event) => {
    if (event.key === "Shift" && this.#grip?.kind === "mouse") {
      this.#grip.all = event.type === "keydown";
      this.look();
    } else if (event.key === "Escape" && event.type === "keydown") {
      event.preventDefault();
      event.stopPropagation();
      this.cancel();
    }
  };

  /** A long press on a piece is no wish for a menu. @param {MouseEvent} event */
  #menu = (event) => {
    if (this.#grip !== undefined && this.#grip.kind !== "mouse") event.preventDefault();
  };

  /** @param {TouchEvent} event */
  #scrolls = (event) => {
    if (this.#grip !== undefined && event.cancelable) event.preventDefault();
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
