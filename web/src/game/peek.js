// A small board beside a move in the list, while the pointer is on it: what the notation means.

import { html } from "../ui/element.js";
import { StillBoard } from "./watched_board.js";

/** @import {BoardLayout} from "../wire.js" */
/** @import {PositionCache} from "./position_cache.js" */

/** How long the pointer stays on a move before its board is shown, in milliseconds. */
const REST_MS = 250;

export class Peek {
  element = html("div", { class: "peek", hidden: true, "aria-hidden": "true" });
  #positions;
  #how;
  /** The layout that the board was made for. @type {BoardLayout | undefined} */
  #layout;
  #board = new StillBoard();
  /** The move under the pointer. @type {{ ply: number, row: Element } | undefined} */
  #at;
  /** @type {any} */
  #timer;

  /**
   * @param {() => PositionCache} positions
   * @param {() => { layout: BoardLayout | undefined, orientation: number }} how the board is drawn
   */
  constructor(positions, how) {
    this.#positions = positions;
    this.#how = how;
  }

  /**
   * Shows the boards of a list of moves.
   * @param {HTMLElement} list whose items name their ply
   */
  listenTo(list) {
    list.addEventListener("pointerover", ({ target, pointerType }) => {
      const row = pointerType === "mouse" && target instanceof Element ? target.closest("[data-ply]") : null;
      if (row === this.#at?.row) return;
      this.hide();
      if (row === null) return;
      this.#at = { row, ply: Number(row.getAttribute("data-ply")) };
      this.#timer = setTimeout(() => this.draw(), REST_MS);
    });
    list.addEventListener("pointerleave", () => this.hide());
    for (const type of ["click", "scroll"]) list.addEventListener(type, () => this.hide(), { capture: true });
  }

  /** Draws the board as soon as its position is known. */
  draw() {
    const { layout, orientation } = this.#how();
    if (this.#at === undefined || layout === undefined) return;
    const found = this.#at.row.isConnected ? this.#positions().at(this.#at.ply) : undefined;
    if (found === undefined) return;
    if (layout !== this.#layout) {
      this.#layout = layout;
      this.#board = new StillBoard();
      this.element.replaceChildren(this.#board.element);
    }
    this.#board.show(layout, found.board.position, found.lastMove, { orientation, noAnimation: true });
    this.element.hidden = false;
    this.#place(this.#at.row.getBoundingClientRect());
  }

  /**
   * Places the board beside the list, within the window.
   * @param {DOMRect} row
   */
  #place(row) {
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const left = row.left > width ? row.left - width : row.right;
    this.element.style.left = `${Math.max(0, Math.min(left, innerWidth - width))}px`;
    this.element.style.top = `${Math.max(0, Math.min(row.top + row.height / 2 - height / 2, innerHeight - height))}px`;
  }

  hide() {
    clearTimeout(this.#timer);
    this.#at = undefined;
    this.element.hidden = true;
  }
}
