// How many pieces go, or which: a small control beside the cell.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { disc } from "../board/pieces.js";

/** @import {MoveInput} from "./move_input.js" */
/** @import {PickedCell, Role} from "./sketch.js" */

const t = strings.game;

export class Stepper {
  element = html("div", { class: "stepper", role: "group" });
  #moveInput;

  /** @param {MoveInput} moveInput */
  constructor(moveInput) {
    this.#moveInput = moveInput;
  }

  /**
   * Draws the control. Returns the cell that it belongs to, if there is something to decide.
   * @param {string[]} letters of each seat
   */
  draw(letters) {
    const { active, open, draggedCell } = this.#moveInput;
    if (!active || draggedCell !== undefined || open === undefined) return undefined;
    const { role, entry } = open;
    this.element.setAttribute("aria-label", t.amountAt(entry.cell));
    update(this.element, entry.choices == null ? this.#amount(role, entry) : this.#choices(role, entry, letters));
    return entry.cell;
  }

  /**
   * @param {Role} role
   * @param {PickedCell} entry
   */
  #amount(role, { cell, pieces = 0, most = 0 }) {
    const set = (/** @type {number} */ to) => () => this.#moveInput.amount(role, cell, to);
    return [
      html("button", { class: "quiet fewer", "aria-label": pieces > 1 ? t.fewer : t.none, onclick: set(pieces - 1) }, "−"),
      html("output", { class: "number", "aria-live": "polite" }, pieces),
      html("button", { class: "quiet more", "aria-label": t.more, disabled: pieces >= most, onclick: set(pieces + 1) }, "+"),
      html("button", { class: "quiet all", "aria-label": t.allOf(most), disabled: pieces >= most, onclick: set(most) }, t.all),
    ];
  }

  /**
   * @param {Role} role
   * @param {PickedCell} entry
   * @param {string[]} letters of each seat
   */
  #choices(role, { cell, choices = [], choice }, letters) {
    return choices.map((each) =>
      html(
        "button",
        {
          class: "quiet choice",
          "data-key": each,
          "aria-label": t.choosePieces([...each]),
          "aria-pressed": String(each === choice),
          onclick: () => this.#moveInput.choice(role, cell, each),
        },
        [...each].map((letter) => disc(letter, letters)),
      ),
    );
  }
}
