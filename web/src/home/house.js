// Choice of the server's bot to play. The browser remembers it.

import { fill, html } from "../ui/element.js";
import { strings } from "../strings/strings.js";

/** @import {HousePlayer} from "../wire.js" */

/** The storage key of the choice. */
const KEY = "adamant.house";

/** The bot before a choice. */
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
   * Lists the server's bots.
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

  /** The user name of the chosen bot. */
  get user() {
    const saved = this.#storage.getItem(KEY);
    return this.#bots.find(({ user }) => user === saved)?.user ?? DEFAULT_BOT;
  }

  /** The levels by the user names of the bots. */
  get levels() {
    return Object.fromEntries(this.#bots.map(({ user, level }) => [user, t.levels[level] ?? level]));
  }

  /** @param {Event} event */
  #choose({ target }) {
    if (target instanceof HTMLInputElement) this.#storage.setItem(KEY, target.value);
  }
}
