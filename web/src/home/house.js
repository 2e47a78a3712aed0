// Which of the server's own players somebody plays: chosen on the first view, and remembered.

import { fill, html } from "../ui/element.js";
import { strings } from "../strings.js";

/** @import {HousePlayer} from "../wire.js" */

/** Where the choice is saved. */
const KEY = "adamant.house";

/** Who is played as long as nobody has been chosen. */
const DEFAULT_BOT = "house";

const t = strings.house;

export class HousePicker {
  element = html("fieldset", { class: "levels", hidden: true, onchange: (/** @type {Event} */ event) => this.#choose(event) });
  #storage;
  /** @type {HousePlayer[]} */
  #bots = [];

  /** @param {Pick<Storage, "getItem" | "setItem">} storage */
  constructor(storage) {
    this.#storage = storage;
  }

  /**
   * Lists the server's own bots.
   * @param {HousePlayer[]} bots
   */
  setBots(bots) {
    this.#bots = bots;
    this.element.hidden = bots.length === 0;
    fill(
      this.element,
      html("legend", {}, t.legend),
      bots.map(({ user, level }) =>
        html(
          "label",
          {},
          html("input", { type: "radio", name: "house", value: user, checked: user === this.user }),
          html("span", {}, t.levels[level] ?? level),
        ),
      ),
    );
  }

  /** The name of the one that is played. */
  get user() {
    const saved = this.#storage.getItem(KEY);
    return this.#bots.find(({ user }) => user === saved)?.user ?? DEFAULT_BOT;
  }

  /** The levels by the names of those who play them. */
  get levels() {
    return Object.fromEntries(this.#bots.map(({ user, level }) => [user, t.levels[level] ?? level]));
  }

  /** @param {Event} event */
  #choose({ target }) {
    if (target instanceof HTMLInputElement) this.#storage.setItem(KEY, target.value);
  }
}
