// The list of moves, one row a round, a column for each seat. A click shows the board after a move.

import { fill, html } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { resizeObserver } from "../ui/observers.js";

/** @import {Snapshot} from "../wire.js" */

export class Moves {
  element = html("section", { class: "moves panel" });
  #list = html("ol");
  #goTo;
  /** The listed moves. @type {{ move: string, row: HTMLElement }[]} */
  #rows = [];
  /** The row of the shown ply. @type {HTMLElement | undefined} */
  #current;
  #viewport = html("div", { class: "viewport" }, this.#list);
  #resized = resizeObserver(() => this.#reveal());

  /**
   * @param {(ply: number) => void} goTo shows the board after a ply
   * @param {HTMLElement} replay the buttons that go through the moves
   */
  constructor(goTo, replay) {
    this.#goTo = goTo;
    this.element.append(this.#viewport, replay);
    fill(this.#list, html("li", { class: "empty" }, strings.game.noMoves));
    this.#resized.observe(this.#viewport);
  }

  close() {
    this.#resized.disconnect();
  }

  /**
   * @param {Snapshot} snapshot
   * @param {number | undefined} ply the shown ply, unless it is the last
   */
  show({ moves, seats }, ply) {
    this.#list.dataset["columns"] = String(seats.length);
    let same = 0;
    while (same < moves.length && this.#rows[same]?.move === moves[same]) same += 1;
    const changed = same < moves.length || same < this.#rows.length;
    if (changed) {
      if (this.#rows.length === 0) fill(this.#list);
      for (const { row } of this.#rows.splice(same)) row.remove();
      for (const move of moves.slice(same)) {
        const row = this.#row(this.#rows.length + 1, move);
        this.#rows.push({ move, row });
        this.#list.append(row);
      }
      if (moves.length === 0) fill(this.#list, html("li", { class: "empty" }, strings.game.noMoves));
    }
    const current = this.#rows[(ply ?? moves.length) - 1]?.row;
    if (current === this.#current) return;
    this.#current?.firstElementChild?.removeAttribute("aria-current");
    this.#current = current;
    current?.firstElementChild?.setAttribute("aria-current", "step");
    this.#reveal();
  }

  /** Scrolls the list, and nothing else, to the current row, and shows only whole rows. */
  #reveal() {
    const [list, current, last] = [this.#list, this.#current, this.#rows.at(-1)?.row];
    const at = list.scrollTop;
    list.style.maxHeight = "";
    const height = list.clientHeight;
    list.scrollTop = at;
    if (current === undefined || last === undefined) return;
    // Rows have fractions of pixels, which `offsetTop` rounds.
    const start = list.getBoundingClientRect().top - list.scrollTop;
    const top = (/** @type {HTMLElement} */ row) => Math.floor(row.getBoundingClientRect().top - start);
    const bottom = (/** @type {HTMLElement} */ row) => row.getBoundingClientRect().bottom - start;
    if (bottom(last) <= height) return;
    const rows = this.#rows.map(({ row }) => row);
    const isSeen = current !== last && top(current) >= at && bottom(current) <= at + height;
    const first = rows.map(top).find((each) => (isSeen ? each >= at : bottom(current) - each <= height)) ?? top(current);
    const end = rows.map(bottom).findLast((each) => each - first <= height) ?? bottom(current);
    list.style.maxHeight = `${end - first}px`;
    list.scrollTop = first;
  }

  /**
   * @param {number} ply
   * @param {string} move
   */
  #row(ply, move) {
    const button = html(
      "button",
      { onclick: () => this.#goTo(ply) },
      html("span", { class: "number" }, ply),
      html("span", { class: "notation" }, move),
    );
    return html("li", { "data-ply": ply }, button);
  }
}
