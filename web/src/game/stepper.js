// How many pieces go, or which: a small control beside the cell.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { disc } from "./disc.js";
import { isOpen } from "./sketch.js";

/** @import {MoveInput} from "./move_input.js" */
/** @import {AmountAt} from "./draft.js" */
/** @import {PickedCell} from "./sketch.js" */

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
    const { active, draft, draggedCell } = this.#moveInput;
    const at = draft.lastAmount;
    const entry = at && draft.answer?.[at.role].find((each) => each.cell === at.cell);
    if (!active || draggedCell !== undefined || at === undefined || entry === undefined || !isOpen(entry)) return undefined;
    this.element.setAttribute("aria-label", t.amountAt(at.cell));
    update(this.element, entry.choices == null ? this.#amount(at, entry) : this.#choices(at, entry, letters));
    return at.cell;
  }

  /**
   * @param {AmountAt} at
   * @param {PickedCell} entry
   */
  #amount({ role, cell }, { pieces = 0, most = 0 }) {
    const set = (/** @type {number} */ to) => () => this.#moveInput.amount(role, cell, to);
    return [
      html("button", { class: "quiet fewer", "aria-label": pieces > 1 ? t.fewer : t.none, onclick: set(pieces - 1) }, "−"),
      html("output", { class: "number", "aria-live": "polite" }, pieces),
      html("button", { class: "quiet more", "aria-label": t.more, disabled: pieces >= most, onclick: set(pieces + 1) }, "+"),
      html("button", { class: "quiet all", "aria-label": t.allOf(most), disabled: pieces >= most, onclick: set(most) }, t.all),
    ];
  }

  /**
   * @param {AmountAt} at
   * @param {PickedCell} entry
   * @param {string[]} letters of each seat
   */
  #choices({ role, cell }, { choices = [], choice }, letters) {
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
