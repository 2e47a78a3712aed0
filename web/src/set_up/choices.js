// Choices of one of a few things, all of them in view.

import { strings } from "../strings/strings.js";
import { html, update } from "../ui/element.js";
import { LEVELS } from "../ui/house.js";

/** A choice of what its owner offers. */
export class Choice {
  element;
  #name;
  #legend;

  /**
   * @param {string} name of the fields
   * @param {string} legend
   * @param {() => void} onChange
   */
  constructor(name, legend, onChange) {
    this.#name = name;
    this.#legend = legend;
    this.element = html("fieldset", { class: `choices ${name}`, onchange: onChange });
  }

  /**
   * Shows what can be chosen. The choice stays if it is still possible.
   * @param {readonly (readonly [value: string, text: string, picture?: Element])[]} entries
   */
  offer(entries) {
    const { value } = this;
    update(
      this.element,
      html("legend", {}, this.#legend),
      entries.map(([each, text, picture], index) =>
        html(
          "label",
          { "data-key": each },
          html("input", { type: "radio", name: this.#name, value: each, checked: value === "" ? index === 0 : each === value }),
          html("span", {}, picture, text),
        ),
      ),
    );
  }

  /** The chosen value; empty if there is nothing to choose. */
  get value() {
    const chosen = this.element.querySelector("input:checked");
    return chosen instanceof HTMLInputElement ? chosen.value : "";
  }

  set value(value) {
    for (const input of this.element.querySelectorAll("input")) input.checked = input.value === value;
  }
}

/** The storage key of the choice. */
const KEY = "adamant.level";

const t = strings.house;

/** The computer's strength. The browser remembers it. */
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

  /** @param {Event} event */
  #choose({ target }) {
    if (target instanceof HTMLInputElement) this.#storage.setItem(KEY, target.value);
  }
}
