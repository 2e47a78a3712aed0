// The move in the making, in words and numbers: its notation, the amounts, choices, words that are
// moves, what the server says against it, and the buttons that make it or drop it.

import { fill, html, refill } from "../ui/element.js";
import { words } from "../strings.js";

/** @import {Composer} from "./move_input.js" */
/** @import {Chosen, Role} from "./sketch.js" */

const say = words.game;

export class MakeMove {
  element = html("section", { class: "make", hidden: true });
  #composer;
  /** Whether what had the keyboard's focus here still can have it. */
  holds = true;
  /** Whether moves are being typed, from one turn to the next. */
  #typing = false;
  #move = html("output", { class: "move" });
  #amounts = html("div", { class: "amounts" });
  #words = html("div", { class: "words" });
  #complaint = html("p", { class: "complaint", role: "alert" });
  #play = html("button", { class: "play" }, say.play);
  #clear = html("button", { class: "quiet" }, say.clear);
  #typed = html("input", { "aria-label": say.notation, placeholder: say.notation, autocomplete: "off", maxlength: 400, spellcheck: "false" });

  /** @param {Composer} composer */
  constructor(composer) {
    this.#composer = composer;
    this.#play.addEventListener("click", () => {
      const move = composer.answer?.move;
      if (move != null) composer.play(move);
    });
    this.#clear.addEventListener("click", () => composer.clear());
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const notation = this.#typed.value.replace(/\s+/g, "");
      if (notation === "") return;
      this.#typed.value = "";
      composer.play(notation);
    };
    fill(
      this.element,
      html("div", { class: "line" }, this.#move, this.#clear, this.#play),
      this.#amounts,
      this.#words,
      this.#complaint,
      html("form", { class: "notation", onsubmit: submit }, this.#typed),
    );
  }

  /** Says that the answer to a choice is awaited. */
  wait() {
    this.element.setAttribute("aria-busy", "true");
  }

  /**
   * Whether this is the field for notation with nothing in it, where keys that leaf mean that.
   * @param {EventTarget | null} target
   */
  isEmpty(target) {
    return target === this.#typed && this.#typed.value === "";
  }

  /**
   * @param {boolean} mine whether it is one's turn
   * @param {boolean} dragsOfMany whether one piece of several is being dragged
   */
  show(mine, dragsOfMany) {
    const held = this.element.contains(document.activeElement) ? document.activeElement : null;
    this.#draw(mine, dragsOfMany);
    // A button that cannot be pressed any more, or is not there, does not keep the keyboard.
    this.holds = held === null || (held.isConnected && held.checkVisibility() && !held.matches(":disabled"));
    if (held === this.#typed && !this.holds) this.#typing = true;
    else if (mine && this.#typing) {
      this.#typing = false;
      // Whoever types goes on typing, unless they have gone elsewhere meanwhile.
      if (document.activeElement?.matches("[data-cell]")) this.#typed.focus({ preventScroll: true });
    }
  }

  /**
   * @param {boolean} mine
   * @param {boolean} dragsOfMany
   */
  #draw(mine, dragsOfMany) {
    this.element.hidden = !mine;
    this.element.setAttribute("aria-busy", String(this.#composer.busy > 0));
    if (!mine) return;
    const { answer, begun, complaint, movable } = this.#composer;
    const move = answer?.move ?? "";
    const next = begun ? say.goOn : movable.size > 0 ? say.chooseOrDrag : say.choose;
    fill(this.#move, dragsOfMany ? say.dropStack : move === "" ? (answer?.why ?? next) : move);
    this.#move.classList.toggle("ready", move !== "" && !dragsOfMany);
    this.#play.disabled = move === "" || this.#composer.busy > 0;
    this.#clear.hidden = !begun;
    refill(
      this.#amounts,
      (answer?.from ?? []).map((chosen) => this.#amount("from", chosen)),
      (answer?.to ?? []).map((chosen) => this.#amount("to", chosen)),
    );
    refill(this.#words, this.#composer.words.map((word) => this.#word(word)));
    fill(this.#complaint, complaint);
  }

  /** @param {string} word */
  #word(word) {
    return html("button", { class: "word", onclick: () => this.#composer.play(word) }, word);
  }

  /**
   * @param {Role} role
   * @param {Chosen} chosen
   */
  #amount(role, chosen) {
    const { cell, choices } = chosen;
    if (choices != null && choices.length > 1) {
      const buttons = choices.map((choice) =>
        html(
          "button",
          {
            class: "choice",
            "aria-pressed": String(choice === chosen.choice),
            onclick: () => this.#composer.choice(role, cell, choice),
          },
          choice,
        ),
      );
      return html("div", { class: "amount" }, html("span", { class: "cellname" }, cell), buttons);
    }
    const { pieces, least, most } = chosen;
    if (pieces == null || least == null || most == null || least >= most) return null;
    const set = (/** @type {number} */ to) => () => this.#composer.amount(role, cell, to);
    return html(
      "div",
      { class: "amount" },
      html("span", { class: "cellname" }, cell),
      html("button", { "aria-label": say.fewer, disabled: pieces <= least, onclick: set(pieces - 1) }, "−"),
      html("span", { class: "number" }, pieces),
      html("button", { "aria-label": say.more, disabled: pieces >= most, onclick: set(pieces + 1) }, "+"),
      html("button", { class: "quiet", disabled: pieces >= most, onclick: set(most) }, say.all),
    );
  }
}
