// Choice of the clock: presets first, or one's own times.

import { html } from "../ui/element.js";
import { faultOf } from "../ui/option_fields.js";
import { strings } from "../strings/strings.js";

/** @import {Clock} from "../wire.js" */

const t = strings.newGame;

/** The presets, in the order of their speed. @type {Record<string, Clock>} */
const PRESETS = {
  fast: { mode: "fischer", base_ms: 180_000, inc_ms: 2_000 },
  slow: { mode: "fischer", base_ms: 600_000, inc_ms: 5_000 },
  day: { mode: "days", per_move_days: 1 },
  none: { mode: "none" },
};

/** The preset before a choice. */
const DEFAULT = "slow";

/** The choice of one's own times. */
const CUSTOM = "custom";

/**
 * A field of a clock: its name and unit on the wire, what may be entered, and the first value.
 * @typedef {{ name: string, label: string, unit: number, least: number, most: number, step: number, preset: number }} Field
 */

const BASE = { name: "base_ms", label: t.minutes, unit: 60_000, least: 0.5, most: 43_200, step: 0.5, preset: 10 };

/** The fields of each mode. @type {Record<string, Field[]>} */
const FIELDS = {
  fischer: [BASE, { name: "inc_ms", label: t.increment, unit: 1_000, least: 0, most: 3_600, step: 1, preset: 5 }],
  per_move: [{ name: "move_ms", label: t.seconds, unit: 1_000, least: 1, most: 86_400, step: 1, preset: 60 }],
  byoyomi: [
    { ...BASE, least: 0 },
    { name: "periods", label: t.periods, unit: 1, least: 1, most: 99, step: 1, preset: 3 },
    { name: "period_ms", label: t.period, unit: 1_000, least: 1, most: 3_600, step: 1, preset: 30 },
  ],
  days: [{ name: "per_move_days", label: t.dayCount, unit: 1, least: 1, most: 30, step: 1, preset: 3 }],
};

const MODES = { fischer: t.perGame, per_move: t.perMove, byoyomi: t.byoyomi, days: t.days };

export class ClockChoice {
  element;
  #custom = html("div", { class: "custom-clock" });
  #mode = html("select", { name: "mode", onchange: () => this.#onChosen() });
  /** The inputs of the fields, by name. @type {Map<string, { input: HTMLInputElement, error: HTMLElement, row: HTMLElement }>} */
  #fields = new Map();
  #onChange;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.#onChange = onChange;
    this.#mode.append(...Object.entries(MODES).map(([value, text]) => html("option", { value }, text)));
    this.#custom.append(html("label", { class: "field" }, html("span", {}, t.mode), this.#mode));
    for (const field of Object.values(FIELDS).flat()) if (!this.#fields.has(field.name)) this.#add(field);
    const radio = (/** @type {string} */ value) =>
      html(
        "label",
        { title: t.presetTitles[value] },
        html("input", { type: "radio", name: "time", value, checked: value === DEFAULT, "aria-label": t.presetTitles[value] }),
        html("span", {}, html("b", {}, t.presets[value]?.name), html("small", {}, t.presets[value]?.about)),
      );
    this.element = html(
      "fieldset",
      { class: "choices times", onchange: () => this.#onChosen() },
      html("legend", {}, t.clock),
      html("div", { class: "row" }, [...Object.keys(PRESETS), CUSTOM].map(radio)),
      this.#custom,
    );
    this.#show();
  }

  /** @param {Field} field */
  #add(field) {
    const { name, label, least, most, step, preset } = field;
    const error = html("small", { class: "error", id: `${name}-error` });
    const input = html("input", { type: "number", name, min: least, max: most, step, value: preset, inputmode: "decimal", "aria-describedby": error.id });
    const row = html("label", { class: "field" }, html("span", {}, label), html("span", {}, input, error));
    this.#fields.set(name, { input, error, row });
    this.#custom.append(row);
  }

  /** The name of the chosen preset. */
  get preset() {
    const chosen = this.element.querySelector("input[name=time]:checked");
    return chosen instanceof HTMLInputElement ? chosen.value : DEFAULT;
  }

  /** Chooses a preset. @param {string} preset */
  choose(preset) {
    for (const input of this.element.querySelectorAll("input[name=time]")) {
      if (input instanceof HTMLInputElement) input.checked = input.value === preset;
    }
    this.#show();
  }

  /** The mode of the chosen clock. */
  get mode() {
    return PRESETS[this.preset]?.mode ?? this.#mode.value;
  }

  /**
   * Checks what was entered, and shows what is wrong beside it. Returns the clock, or the first
   * field that is wrong.
   * @returns {Clock | HTMLInputElement}
   */
  read() {
    const preset = PRESETS[this.preset];
    if (preset !== undefined) return preset;
    const mode = this.#mode.value;
    /** @type {[string, number][]} */
    const values = [];
    /** @type {HTMLInputElement | undefined} */
    let wrong;
    for (const field of FIELDS[mode] ?? []) {
      const { name } = field;
      const row = this.#fields.get(name);
      if (row === undefined) continue;
      const { input, error } = row;
      const fault = faultOf(input, field);
      error.textContent = fault;
      input.setAttribute("aria-invalid", String(fault !== ""));
      if (fault !== "") wrong ??= input;
      values.push([name, Math.round(Number(input.value) * field.unit)]);
    }
    return wrong ?? /** @type {Clock} */ ({ mode, ...Object.fromEntries(values) });
  }

  #show() {
    this.#custom.hidden = this.preset !== CUSTOM;
    const asked = FIELDS[this.#mode.value]?.map(({ name }) => name) ?? [];
    for (const [name, { row }] of this.#fields) row.hidden = !asked.includes(name);
  }

  #onChosen() {
    this.#show();
    this.#onChange();
  }
}
