// The pieces of a reserve, as a tray beside the player's name. The player drags a piece to the
// board, or clicks it and then a cell.

import { html } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { disc } from "../board/pieces.js";

/** How far a pointer moves before a drag starts, in pixels. */
const SLOP_PX = 6;

/**
 * @typedef {object} Callbacks
 * @property {() => void} onChange called when another piece is chosen
 * @property {(cell: string, piece: string) => void} onPlace called when a piece is dropped on a cell
 */

export class Tray {
  #callbacks;
  /** The clicked piece, which the next click on a cell places. */
  chosen = "";
  /** @type {{ piece: string, pointer: number, x: number, y: number, ghost: HTMLElement | undefined } | undefined} */
  #press;
  /** Whether the click that ends a drag is still to come. */
  #endsInClick = false;

  /** @param {Callbacks} callbacks */
  constructor(callbacks) {
    this.#callbacks = callbacks;
  }

  /**
   * Draws the pieces.
   * @param {string} reserve a letter for each piece
   * @param {string[]} letters of each seat
   * @param {boolean} usable whether the user can place them now
   */
  draw(reserve, letters, usable) {
    if (usable && !reserve.includes(this.chosen)) this.chosen = "";
    const kinds = [...letters.join("")].filter((letter) => reserve.includes(letter));
    return html("span", { class: "tray", "data-key": "tray" }, kinds.map((letter) => {
      const number = [...reserve].filter((each) => each === letter).length;
      const content = [disc(letter, letters), html("span", { class: "number" }, number)];
      const label = strings.game.inReserve(letter, number);
      if (!usable) return html("span", { class: "reserve", title: label }, content);
      return html(
        "button",
        {
          class: "reserve",
          "data-key": letter,
          "aria-label": label,
          "aria-pressed": String(this.chosen === letter),
          onclick: () => this.#onClick(letter),
          onpointerdown: (event) => this.#onPointerDown(event, letter),
          onpointermove: (event) => this.#onPointerMove(event, letters),
          onpointerup: (event) => this.#onPointerUp(event),
          onpointercancel: () => this.#end(),
        },
        content,
      );
    }));
  }

  /** Lets go of the chosen piece. */
  clear() {
    this.chosen = "";
    this.#end();
  }

  /** @param {string} letter */
  #onClick(letter) {
    if (this.#endsInClick) return;
    this.chosen = this.chosen === letter ? "" : letter;
    this.#callbacks.onChange();
  }

  /**
   * @param {PointerEvent} event
   * @param {string} piece
   */
  #onPointerDown(event, piece) {
    if (event.button !== 0 || !event.isPrimary) return;
    this.#press = { piece, pointer: event.pointerId, x: event.clientX, y: event.clientY, ghost: undefined };
  }

  /**
   * @param {PointerEvent} event
   * @param {string[]} letters of each seat
   */
  #onPointerMove(event, letters) {
    const press = this.#press;
    if (press === undefined || press.pointer !== event.pointerId) return;
    if (press.ghost === undefined) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < SLOP_PX) return;
      if (event.currentTarget instanceof Element) event.currentTarget.setPointerCapture(event.pointerId);
      press.ghost = html("span", { class: "tray-ghost", "aria-hidden": "true" }, disc(press.piece, letters));
      document.body.append(press.ghost);
      this.chosen = press.piece;
      this.#callbacks.onChange();
    }
    press.ghost.style.translate = `${event.clientX}px ${event.clientY}px`;
  }

  /** @param {PointerEvent} event */
  #onPointerUp(event) {
    const press = this.#press;
    if (press?.ghost === undefined) return this.#end();
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest("adamant-board [data-cell]");
    this.clear();
    // The browser sends a click right after.
    this.#endsInClick = true;
    setTimeout(() => (this.#endsInClick = false));
    this.#callbacks.onChange();
    if (under instanceof SVGElement) this.#callbacks.onPlace(under.dataset["cell"] ?? "", press.piece);
    return undefined;
  }

  #end() {
    this.#press?.ghost?.remove();
    this.#press = undefined;
  }
}
