// Fields for the options of a game, in words. The names that games by mail use are beside them.

import { ON_WHEN_RATED } from "../strings/shared.js";
import { strings } from "../strings/strings.js";
import { html, update } from "./element.js";

/** @import {GameOption} from "../wire.js" */

const t = strings.newGame;

/** A number with at most so many values is chosen from a list. */
const LISTED_MAX = 12;

export class OptionFields {
  element = html("div", { class: "options" });
  /** @type {Map<string, { option: GameOption, input: HTMLInputElement | HTMLSelectElement, error: HTMLElement, follows: boolean }>} */
  #fields = new Map();
  #shown = "";
  #isRated = false;

  /**
   * Shows the options of a game. What was entered stays if they are the same.
   * @param {string} rules
   * @param {GameOption[]} options
   */
  show(rules, options) {
    const shown = JSON.stringify([rules, options]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#fields.clear();
    update(this.element, options.map((option) => this.#row(rules, option)));
    this.#tickUsual();
  }

  /** Ticks the flags that are on in rated games, or not. @param {boolean} isRated */
  setRated(isRated) {
    if (isRated === this.#isRated) return;
    this.#isRated = isRated;
    this.#tickUsual();
  }

  #tickUsual() {
    for (const { input, follows } of this.#fields.values()) if (follows && input instanceof HTMLInputElement) input.checked = this.#isRated;
  }

  /**
   * @param {string} rules
   * @param {GameOption} option
   */
  #row(rules, option) {
    const { name, kind } = option;
    const words = strings.option(rules, name);
    const id = `option-${name}`;
    const error = html("small", { class: "error", id: `${id}-error` });
    const input = field(rules, option, `${id}-about ${id}-error`);
    this.#fields.set(name, { option, input, error, follows: ON_WHEN_RATED.has(`${strings.kind(rules)}.${name}`) });
    const title = [words?.title ?? option.title ?? name, " ", html("code", {}, `-${name}`)];
    const about = html("small", { class: "soft", id: `${id}-about` }, words?.about ?? option.about);
    if (kind === "flag") return html("div", { class: "tick", "data-key": rules + name }, html("label", {}, input, " ", title), about);
    return html("div", { class: "option", "data-key": rules + name }, html("label", { class: "field" }, html("span", {}, title), input), error, about);
  }

  /**
   * Checks what was entered, and shows what is wrong beside it. Returns the options that differ
   * from the standard, or the first field that is wrong.
   * @returns {Record<string, boolean | number | string> | HTMLInputElement | HTMLSelectElement}
   */
  read() {
    /** @type {Record<string, boolean | number | string>} */
    const values = {};
    /** @type {HTMLInputElement | HTMLSelectElement | undefined} */
    let wrong;
    for (const [name, { option, input, error, follows }] of this.#fields) {
      const { kind, least, most } = option;
      if (input instanceof HTMLInputElement && input.type === "checkbox") {
        // What the server would take as usual is said either way.
        if (input.checked || follows) values[name] = input.checked;
        continue;
      }
      if (input.value === "") continue;
      const numeric = kind === "number" && input instanceof HTMLInputElement;
      const fault = numeric ? faultOf(input, { least: least ?? 0, most: most ?? Number.MAX_SAFE_INTEGER, step: 1 }) : "";
      error.textContent = fault;
      input.setAttribute("aria-invalid", String(fault !== ""));
      if (fault !== "") wrong ??= input;
      values[name] = kind === "number" ? Number(input.value) : input.value;
    }
    return wrong ?? values;
  }
}

/**
 * The field of an option. An empty field means what is usual.
 * @param {string} rules
 * @param {GameOption} option
 * @param {string} describedBy
 */
function field(rules, option, describedBy) {
  const { name, kind } = option;
  const about = { name, "aria-describedby": describedBy };
  if (kind === "flag") return html("input", { type: "checkbox", ...about });
  const choices = choicesOf(rules, option);
  if (choices.length > 0) {
    return html("select", about, html("option", { value: "" }, t.byDefault), choices.map(([value, text]) => html("option", { value }, text)));
  }
  if (kind === "word") return html("input", { ...about, placeholder: t.byDefault, autocomplete: "off" });
  const { least, most } = option;
  return html("input", { type: "number", ...about, placeholder: t.byDefault, min: least ?? undefined, max: most ?? undefined, inputmode: "numeric" });
}

/**
 * The values of an option with few of them, in words.
 * @param {string} rules
 * @param {GameOption} option
 * @returns {[string | number, string][]}
 */
function choicesOf(rules, { name, kind, least, most, choices }) {
  const inWords = strings.option(rules, name)?.choice;
  if (choices != null && choices.length > 0) return choices.map(({ value, title }) => [String(value), inWords?.(value) ?? title]);
  if (kind !== "number" || least == null || most == null || most - least >= LISTED_MAX) return [];
  return Array.from({ length: most - least + 1 }, (_, index) => [least + index, inWords?.(least + index) ?? String(least + index)]);
}

/**
 * Says what is wrong with a number; nothing if it is right.
 * @param {HTMLInputElement} input
 * @param {{ least: number, most: number, step: number }} field
 */
export function faultOf(input, { least, most, step }) {
  const value = Number(input.value);
  if (input.value === "" || Number.isNaN(value) || value < least || value > most) return t.range(least, most);
  return value % step === 0 ? "" : step === 1 ? t.whole : t.halves;
}
