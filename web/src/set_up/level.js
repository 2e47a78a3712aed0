// Choice of the computer's strength. The browser remembers it.

import { html } from "../ui/element.js";
import { strings } from "../strings/strings.js";

/** @import {HousePlayer} from "../wire.js" */

/** The storage key of the choice. */
const KEY = "adamant.level";

/** All levels, the weakest first: the strength of a first game. */
const LEVELS = ["easy", "medium", "hard"];

const t = strings.house;

export class LevelPicker {
  element;
  #storage;

  /**
   * @param {Pick<Storage, "getItem" | "setItem">} storage
   * @param {string} name of the fields
   * @param {string} legend
   */
  constructor(storage, name, legend) {
    this.#storage = storage;
    this.element = html(
      "fieldset",
      { class: "choices levels", onchange: (/** @type {Event} */ event) => this.#choose(event) },
      html("legend", {}, legend),
      LEVELS.map((level) =>
        html(
          "label",
          {},
          html("input", { type: "radio", name, value: level, checked: level === this.level }),
          html("span", {}, t.levels[level] ?? level),
        ),
      ),
    );
  }

  /** The chosen level. */
  get level() {
    const saved = this.#storage.getItem(KEY) ?? "";
    return LEVELS.find((level) => level === saved) ?? LEVELS[0] ?? "";
  }

  /** Shows the choice that was made elsewhere. */
  refresh() {
    for (const input of this.element.querySelectorAll("input")) input.checked = input.value === this.level;
  }

  /**
   * Returns the server's bot of the chosen level, or the nearest one.
   * @param {HousePlayer[]} bots
   */
  bot(bots) {
    return (bots.find(({ level }) => level === this.level) ?? bots[0])?.user;
  }

  /** @param {Event} event */
  #choose({ target }) {
    if (target instanceof HTMLInputElement) this.#storage.setItem(KEY, target.value);
  }
}
