// The moves of a game, in rows of one round each.

import { fill, html } from "../ui/element.js";
import { words } from "../words.js";

/** @import {Snapshot} from "../wire.js" */

export class Moves {
  element = html("section", { class: "moves" });
  #list = html("ol");
  #shown = -1;

  constructor() {
    this.element.append(html("h2", {}, words.game.moves), this.#list);
  }

  /** @param {Snapshot} snapshot */
  show(snapshot) {
    if (this.#shown === snapshot.moves.length) return;
    this.#shown = snapshot.moves.length;
    if (snapshot.moves.length === 0) {
      fill(this.#list, html("li", { class: "empty" }, words.game.noMoves));
      return;
    }
    fill(
      this.#list,
      snapshot.moves.map((move, ply) =>
        html("li", { "data-ply": ply + 1 }, html("span", { class: "number" }, ply + 1), html("span", { class: "notation" }, move)),
      ),
    );
    this.#list.scrollTop = this.#list.scrollHeight;
  }
}
