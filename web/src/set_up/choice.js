// A choice of one of a few things, all of them in view.

import { html, update } from "../ui/element.js";

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
