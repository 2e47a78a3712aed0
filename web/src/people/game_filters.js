// The form that chooses finished games: by the game, the players and the result. The address holds
// what is chosen, so that a link shows the same games.

import { isUserName } from "../net/validation.js";
import { fill, html } from "../ui/element.js";
import { strings } from "../strings/strings.js";

/** @import {GamesFilter} from "./finished_list.js" */

const t = strings.games;

/** What the address says after `#`. */
const FIELDS = /** @type {const} */ (["rules", "user", "opponent", "result", "rated"]);

export class GameFilters {
  element;
  #owner;
  #onChange;
  /** What is chosen, as in the address. */
  #hash;
  #inputs = {
    rules: html("select", { name: "rules" }),
    user: html("input", { name: "user", autocomplete: "off", spellcheck: "false", maxlength: 20 }),
    opponent: html("input", { name: "opponent", autocomplete: "off", spellcheck: "false", maxlength: 20 }),
    result: html("select", { name: "result" }),
    rated: html("input", { type: "checkbox", name: "rated" }),
  };
  #error = html("p", { class: "error", role: "alert" });

  /**
   * @param {string} hash of the address
   * @param {string | undefined} owner the player whose games they are in any case
   * @param {() => void} onChange
   */
  constructor(hash, owner, onChange) {
    this.#owner = owner;
    this.#onChange = onChange;
    const { rules, user, opponent, result, rated } = this.#inputs;
    const options = (/** @type {[string, string][]} */ entries) => entries.map(([value, text]) => html("option", { value }, text));
    rules.append(...options([["", t.anyGame], ...strings.kinds.map((kind) => /** @type {[string, string]} */ ([kind, strings.gameName(kind)]))]));
    result.append(...options([["", t.anyResult], ...Object.entries(t.results)]));
    const field = (/** @type {string} */ label, /** @type {Element} */ input) => html("label", {}, html("span", {}, label), input);
    this.element = html(
      "form",
      {
        class: "filters",
        role: "search",
        "aria-label": t.title,
        novalidate: true,
        onchange: () => this.#apply(false),
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          this.#apply(true);
        },
      },
      field(t.game, rules),
      owner === undefined && field(t.player, user),
      field(t.opponent, opponent),
      field(t.result, result),
      html("label", { class: "tick" }, rated, " ", t.rated),
      html("button", { type: "submit", class: "quiet" }, t.search),
      this.#error,
    );
    this.#write(new URLSearchParams(hash.slice(1)));
    this.#hash = this.#read().toString();
  }

  /** What is chosen, as the server asks for it. @returns {GamesFilter} */
  get filter() {
    const chosen = Object.fromEntries(new URLSearchParams(this.#hash));
    return /** @type {GamesFilter} */ ({ ...chosen, user: this.#owner ?? chosen["user"], rated: chosen["rated"] === undefined ? undefined : true });
  }

  /** @param {URLSearchParams} chosen */
  #write(chosen) {
    const { rated, ...others } = this.#inputs;
    rated.checked = chosen.has("rated");
    for (const [name, input] of Object.entries(others)) input.value = chosen.get(name) ?? "";
  }

  #read() {
    const chosen = new URLSearchParams();
    for (const name of FIELDS) {
      const input = this.#inputs[name];
      const value = input === this.#inputs.rated ? (this.#inputs.rated.checked ? "1" : "") : input.value.trim();
      if (value !== "") chosen.set(name, value);
    }
    return chosen;
  }

  /**
   * Applies what is in the form.
   * @param {boolean} isSent whether the user has sent the form
   */
  #apply(isSent) {
    const { user, opponent, result } = this.#inputs;
    const wrong = [user, opponent].find(({ value }) => value.trim() !== "" && !isUserName(value.trim()));
    // Results and opponents are those of a player.
    const isOwnerless = this.#owner === undefined && user.value.trim() === "" && (opponent.value.trim() !== "" || result.value !== "");
    for (const input of [user, opponent]) input.setAttribute("aria-invalid", String(input === wrong || (input === user && isOwnerless)));
    fill(this.#error, wrong !== undefined ? strings.newGame.noName(wrong.value) : isOwnerless && t.whose);
    if (wrong !== undefined || isOwnerless) {
      if (isSent) (wrong ?? user).focus();
      return;
    }
    const hash = this.#read().toString();
    if (hash === this.#hash) return;
    this.#hash = hash;
    history.replaceState(history.state, "", location.pathname + (hash === "" ? "" : `#${hash}`));
    this.#onChange();
  }
}
