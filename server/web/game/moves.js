// The moves of a game, in rows of one round each. Each one shows the board after it.

import { fill, html } from "../ui/element.js";
import { words } from "../words.js";

/** @import {Snapshot} from "../wire.js" */

export class Moves {
  element = html("section", { class: "moves" });
  #list = html("ol");
  #look;
  /** What is listed. @type {{ move: string, row: HTMLElement }[]} */
  #rows = [];
  /** The row that is looked at. @type {HTMLElement | undefined} */
  #current;

  /** @param {(ply: number) => void} look shows the board after a ply */
  constructor(look) {
    this.#look = look;
    this.element.append(html("h2", {}, words.game.moves), this.#list);
    fill(this.#list, html("li", { class: "empty" }, words.game.noMoves));
  }

  /**
   * @param {Snapshot} snapshot
   * @param {number | undefined} ply the ply that is looked at, unless it is the last
   */
  show({ moves }, ply) {
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
      if (moves.length === 0) fill(this.#list, html("li", { class: "empty" }, words.game.noMoves));
    }
    const current = this.#rows[(ply ?? moves.length) - 1]?.row;
    if (current === this.#current) return;
    this.#current?.firstElementChild?.removeAttribute("aria-current");
    this.#current = current;
    current?.firstElementChild?.setAttribute("aria-current", "step");
    this.#reveal();
  }

  /** Scrolls the list, and nothing else, to where the current row can be seen. */
  #reveal() {
    const [list, row] = [this.#list, this.#current];
    if (row === undefined) {
      list.scrollTop = 0;
      return;
    }
    const top = row.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + row.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top - (list.clientHeight - row.offsetHeight) / 2;
    }
  }

  /**
   * @param {number} ply
   * @param {string} move
   */
  #row(ply, move) {
    const button = html(
      "button",
      { onclick: () => this.#look(ply) },
      html("span", { class: "number" }, ply),
      html("span", { class: "notation" }, move),
    );
    return html("li", { "data-ply": ply }, button);
  }
}
