// The bar at the board: who is waited for, the composed move, and the buttons to undo and play it.
// On a phone it stays at the lower edge.

import { fill, html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { icon } from "./icons.js";

/** @import {MoveInput} from "./move_input.js" */

const t = strings.game;

/** The id of the menu that the bar opens on a phone. */
export const MENU_ID = "game-menu";

/**
 * What the bar says besides the composed move.
 * @typedef {object} BarView
 * @property {string} status who is waited for, or how the game ended
 * @property {string} hint what to do, or what happens
 * @property {boolean} myTurn
 * @property {boolean} playing whether the user plays and the game is not over
 * @property {boolean} replaying whether an earlier position is shown
 * @property {boolean} dragsOneOfMany whether one piece of a stack is being dragged
 */

export class ActionBar {
  element = html("section", { class: "action-bar move-form", "aria-label": t.yourMoveRegion });
  #moveInput;
  /** Whether the element with the keyboard's focus can keep it. */
  keepsFocus = true;
  /** Whether the player types moves, over several turns. */
  #typing = false;
  #status = html("p", { class: "status", role: "status" });
  #move = html("output", { class: "move" });
  #error = html("p", { class: "error", role: "alert" });
  #undo = html("button", { class: "quiet undo", "aria-label": t.undo, title: t.undoTitle }, icon("undo"), html("span", {}, t.undo));
  #play = html("button", { class: "play" }, t.play);
  #back = html("button", { class: "quiet back-to-game" }, t.backToGame);
  #keys = html("button", { class: "quiet icon-button keys", "aria-label": t.typeMove, title: t.typeMove }, icon("keys"));
  #menu = html("button", { class: "quiet icon-button open-menu", popovertarget: MENU_ID, "aria-label": t.menu, title: t.menu }, icon("menu"));
  #named = html("div", { class: "named-moves" });
  #typed = html("input", { "aria-label": t.notation, placeholder: t.notation, autocomplete: "off", maxlength: 400, spellcheck: "false" });
  #form = html("form", { class: "notation", hidden: true }, this.#typed);
  #amount = html("div", { class: "bar-amount" });
  /** A named move that waits to be confirmed. */
  #confirming = "";

  /**
   * @param {MoveInput} moveInput
   * @param {() => void} onBack called to return from an earlier position
   */
  constructor(moveInput, onBack) {
    this.#moveInput = moveInput;
    this.#play.addEventListener("click", () => moveInput.play());
    this.#undo.addEventListener("click", () => moveInput.undo());
    this.#back.addEventListener("click", onBack);
    this.#keys.addEventListener("click", () => this.toggleNotation());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      const notation = this.#typed.value.replace(/\s+/g, "");
      if (notation === "") return;
      this.#typed.value = "";
      moveInput.playNotation(notation);
    });
    const said = html("div", { class: "said" }, this.#status, this.#move, this.#error);
    const buttons = html("div", { class: "buttons" }, this.#named, this.#keys, this.#undo, this.#play, this.#back, this.#menu);
    fill(this.element, said, this.#amount, buttons, this.#form);
  }

  /**
   * Shows an element in the bar, or none.
   * @param {HTMLElement | undefined} element
   */
  setAmount(element) {
    if (this.#amount.firstChild === (element ?? null)) return;
    fill(this.#amount, element);
  }

  /** Shows or hides the field for moves in notation. */
  toggleNotation() {
    this.#form.hidden = !this.#form.hidden;
    this.#keys.setAttribute("aria-expanded", String(!this.#form.hidden));
    if (!this.#form.hidden) this.#typed.focus({ preventScroll: true });
    // On a phone the menu has the button.
    else (this.#keys.getClientRects().length > 0 ? this.#keys : this.#menu).focus({ preventScroll: true });
  }

  /**
   * Returns whether this is the empty notation field, where arrow keys go through the moves.
   * @param {EventTarget | null} target
   */
  isEmpty(target) {
    return target === this.#typed && this.#typed.value === "";
  }

  /** @param {BarView} view */
  show(view) {
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    this.#draw(view);
    // A disabled or hidden button loses the focus.
    this.keepsFocus = focused === null || (focused.isConnected && focused.getClientRects().length > 0 && !focused.matches(":disabled"));
    if (focused === this.#typed && !this.keepsFocus) this.#typing = true;
    else if (this.#typing && !this.#typed.disabled) {
      this.#typing = false;
      // A player who types moves continues to type, unless the focus has moved elsewhere.
      if (document.activeElement?.matches("[data-cell]")) this.#typed.focus({ preventScroll: true });
    }
  }

  /** @param {BarView} view */
  #draw({ status, hint, myTurn, playing, replaying, dragsOneOfMany }) {
    const { draft, error, isRemark, sent, playable } = this.#moveInput;
    if (this.#status.textContent !== status) fill(this.#status, status);
    this.#status.classList.toggle("my-turn", myTurn && !replaying);
    const composes = myTurn && !replaying && sent === undefined;
    const move = composes ? (draft.answer?.move ?? "") : (sent ?? "");
    const text = dragsOneOfMany ? t.dropStack : move === "" ? hint : move;
    if (this.#move.textContent !== text) fill(this.#move, text);
    this.#move.classList.toggle("ready", move !== "" && !dragsOneOfMany);
    this.#move.classList.toggle("sent", sent !== undefined);
    this.#move.hidden = error !== "";
    if (this.#error.textContent !== error) fill(this.#error, error);
    this.element.setAttribute("aria-busy", String(draft.pending || sent !== undefined));
    this.element.classList.toggle("composes", composes);
    this.element.classList.toggle("objects", error !== "" && !isRemark);
    this.#play.hidden = this.#undo.hidden = !playing || replaying;
    this.#play.disabled = !playable;
    this.#undo.disabled = !composes || !draft.started;
    this.#back.hidden = !replaying;
    this.#keys.hidden = !playing || replaying;
    this.#typed.disabled = !composes;
    if (!composes) this.#confirming = "";
    update(this.#named, composes && !draft.started && draft.namedMoves.map((each) => this.#namedMove(each)));
  }

  /**
   * A move without cells. It asks for confirmation.
   * @param {string} move
   */
  #namedMove(move) {
    const ask = (/** @type {string} */ confirming) => () => {
      this.#confirming = confirming;
      update(this.#named, this.#namedMove(move));
      if (confirming !== "") this.#named.querySelector("button")?.focus();
    };
    if (this.#confirming !== move) return html("button", { class: "quiet named-move", onclick: ask(move) }, t.namedMove(move));
    return html(
      "span",
      { class: "confirm" },
      html("span", {}, t.namedMoveSure(move)),
      html("button", { class: "quiet", onclick: ask("") }, t.no),
      html("button", { onclick: () => this.#moveInput.playNotation(move) }, t.yes),
    );
  }
}
