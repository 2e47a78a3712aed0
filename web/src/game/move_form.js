// The sketched move as text: its notation, amounts, choices, moves without cells, the server's
// error, and the buttons to play or clear it.

import { fill, html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";

/** @import {MoveInput} from "./move_input.js" */
/** @import {PickedCell, Role} from "./sketch.js" */

const t = strings.game;

export class MoveForm {
  element = html("section", { class: "move-form", hidden: true });
  #moveInput;
  /** Whether the element with the keyboard's focus can keep it. */
  keepsFocus = true;
  /** Whether the player types moves, over several turns. */
  #typing = false;
  #move = html("output", { class: "move" });
  #amounts = html("div", { class: "amounts" });
  #namedMoves = html("div", { class: "named-moves" });
  #error = html("p", { class: "error", role: "alert" });
  #play = html("button", { class: "play" }, t.play);
  #clear = html("button", { class: "quiet" }, t.clear);
  #typed = html("input", { "aria-label": t.notation, placeholder: t.notation, autocomplete: "off", maxlength: 400, spellcheck: "false" });

  /** @param {MoveInput} moveInput */
  constructor(moveInput) {
    this.#moveInput = moveInput;
    this.#play.addEventListener("click", () => {
      const move = moveInput.answer?.move;
      if (move != null) moveInput.play(move);
    });
    this.#clear.addEventListener("click", () => moveInput.clear());
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const notation = this.#typed.value.replace(/\s+/g, "");
      if (notation === "") return;
      this.#typed.value = "";
      moveInput.play(notation);
    };
    fill(
      this.element,
      html("div", { class: "line" }, this.#move, this.#clear, this.#play),
      this.#amounts,
      this.#namedMoves,
      this.#error,
      html("form", { class: "notation", onsubmit: submit }, this.#typed),
    );
  }

  /** Shows that the server's answer is pending. */
  setBusy() {
    this.element.setAttribute("aria-busy", "true");
  }

  /**
   * Returns whether this is the empty notation field, where arrow keys go through the moves.
   * @param {EventTarget | null} target
   */
  isEmpty(target) {
    return target === this.#typed && this.#typed.value === "";
  }

  /**
   * @param {boolean} myTurn whether it is the user's turn
   * @param {boolean} dragsOneOfMany whether one piece of a stack is being dragged
   */
  show(myTurn, dragsOneOfMany) {
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    this.#draw(myTurn, dragsOneOfMany);
    // A disabled or removed button loses the focus.
    this.keepsFocus = focused === null || (focused.isConnected && focused.checkVisibility() && !focused.matches(":disabled"));
    if (focused === this.#typed && !this.keepsFocus) this.#typing = true;
    else if (myTurn && this.#typing) {
      this.#typing = false;
      // A player who types moves continues to type, unless the focus has moved elsewhere.
      if (document.activeElement?.matches("[data-cell]")) this.#typed.focus({ preventScroll: true });
    }
  }

  /**
   * @param {boolean} myTurn
   * @param {boolean} dragsOneOfMany
   */
  #draw(myTurn, dragsOneOfMany) {
    this.element.hidden = !myTurn;
    this.element.setAttribute("aria-busy", String(this.#moveInput.busy > 0));
    if (!myTurn) return;
    const { answer, started, error, movable } = this.#moveInput;
    const move = answer?.move ?? "";
    const next = started ? t.goOn : movable.size > 0 ? t.chooseOrDrag : t.choose;
    fill(this.#move, dragsOneOfMany ? t.dropStack : move === "" ? (answer?.why ?? next) : move);
    this.#move.classList.toggle("ready", move !== "" && !dragsOneOfMany);
    this.#play.disabled = move === "" || this.#moveInput.busy > 0;
    this.#clear.hidden = !started;
    update(
      this.#amounts,
      (answer?.from ?? []).map((picked) => this.#amount("from", picked)),
      (answer?.to ?? []).map((picked) => this.#amount("to", picked)),
    );
    update(this.#namedMoves, this.#moveInput.namedMoves.map((move) => this.#namedMove(move)));
    fill(this.#error, error);
  }

  /** @param {string} move */
  #namedMove(move) {
    return html("button", { class: "named-move", onclick: () => this.#moveInput.play(move) }, move);
  }

  /**
   * @param {Role} role
   * @param {PickedCell} picked
   */
  #amount(role, picked) {
    const { cell, choices } = picked;
    if (choices != null && choices.length > 1) {
      const buttons = choices.map((choice) =>
        html(
          "button",
          {
            class: "choice",
            "aria-pressed": String(choice === picked.choice),
            onclick: () => this.#moveInput.choice(role, cell, choice),
          },
          choice,
        ),
      );
      return html("div", { class: "amount" }, html("span", { class: "cell-name" }, cell), buttons);
    }
    const { pieces, least, most } = picked;
    if (pieces == null || least == null || most == null || least >= most) return null;
    const set = (/** @type {number} */ to) => () => this.#moveInput.amount(role, cell, to);
    return html(
      "div",
      { class: "amount" },
      html("span", { class: "cell-name" }, cell),
      html("button", { "aria-label": t.fewer, disabled: pieces <= least, onclick: set(pieces - 1) }, "−"),
      html("span", { class: "number" }, pieces),
      html("button", { "aria-label": t.more, disabled: pieces >= most, onclick: set(pieces + 1) }, "+"),
      html("button", { class: "quiet", disabled: pieces >= most, onclick: set(most) }, t.all),
    );
  }
}
