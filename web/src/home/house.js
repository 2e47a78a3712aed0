// Which of the server's own players somebody plays: chosen on the first view, and remembered.

import { fill, html } from "../ui/element.js";
import { words } from "../strings.js";

/** @import {HousePlayer} from "../wire.js" */

/** Where the choice is kept. */
const KEY = "adamant.house";

/** Who is played as long as nobody has been chosen. */
const USUAL = "house";

const say = words.house;

export class House {
  element = html("fieldset", { class: "levels", hidden: true, onchange: (/** @type {Event} */ event) => this.#choose(event) });
  #storage;
  /** @type {HousePlayer[]} */
  #players = [];

  /** @param {Pick<Storage, "getItem" | "setItem">} storage */
  constructor(storage) {
    this.#storage = storage;
  }

  /**
   * Lists the server's own players.
   * @param {HousePlayer[]} players
   */
  offer(players) {
    this.#players = players;
    this.element.hidden = players.length === 0;
    fill(
      this.element,
      html("legend", {}, say.legend),
      players.map(({ user, level }) =>
        html(
          "label",
          {},
          html("input", { type: "radio", name: "house", value: user, checked: user === this.user }),
          html("span", {}, say.levels[level] ?? level),
        ),
      ),
    );
  }

  /** The name of the one that is played. */
  get user() {
    const kept = this.#storage.getItem(KEY);
    return this.#players.find(({ user }) => user === kept)?.user ?? USUAL;
  }

  /** The levels by the names of those who play them. */
  get levels() {
    return Object.fromEntries(this.#players.map(({ user, level }) => [user, say.levels[level] ?? level]));
  }

  /** @param {Event} event */
  #choose({ target }) {
    if (target instanceof HTMLInputElement) this.#storage.setItem(KEY, target.value);
  }
}
