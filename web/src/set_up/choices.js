// Choices of one of a few things, all of them in view.

import { strings } from "../strings/strings.js";
import { fill, html, update } from "../ui/element.js";
import { LEVELS, proposedLevel, saveLevel, savedLevel } from "../ui/house.js";

/** @import {HousePlayer} from "../wire.js" */

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

const t = strings.house;

/** The computer's level: one row of numbers, and a sentence about the chosen one. The browser remembers it. */
export class LevelPicker {
  element;
  #storage;
  #about = html("small", { class: "about-level", role: "status" });
  /** What is known of the levels in a game. @type {{ house: readonly HousePlayer[], kind?: string, rating?: number }} */
  #known = { house: [] };

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
      LEVELS.map((level, index) => html("label", {}, html("input", { type: "radio", name, value: level }), html("span", {}, String(index + 1)))),
      this.#about,
    );
    this.refresh();
  }

  /** The chosen level, or else a fitting one. */
  get level() {
    return savedLevel(this.#storage) ?? proposedLevel(this.#known.rating);
  }

  /**
   * Says what is known of the levels.
   * @param {{ house: readonly HousePlayer[], kind?: string, rating?: number }} known the game, and the user's rating in it
   */
  show(known) {
    this.#known = known;
    this.refresh();
  }

  /** Shows the choice that was made elsewhere. */
  refresh() {
    const { level } = this;
    for (const input of this.element.querySelectorAll("input")) input.checked = input.value === level;
    const { house, kind = "" } = this.#known;
    const elo = house.find((player) => player.level === level)?.elo?.[kind];
    fill(this.#about, t.levels[level], elo !== undefined && elo > 0 && ` ${t.elo(elo, strings.gameName(kind))}`);
  }

  /** @param {Event} event */
  #choose({ target }) {
    if (!(target instanceof HTMLInputElement)) return;
    saveLevel(this.#storage, target.value);
    this.refresh();
  }
}
