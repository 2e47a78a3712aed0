// How this browser shows the page: theme, board, coordinates, letters, animation, sound. The
// settings are stored, apply to every view at once, and are shared by all tabs.

import { storage } from "../strings/storage.js";
import { strings } from "../strings/strings.js";
import { html } from "./element.js";
import { holds } from "./observers.js";

/** The key under which the browser stores the settings. */
const KEY = "adamant.view";

/** The values of each setting, the default first. */
const CHOICES = /** @type {const} */ ({
  theme: ["auto", "light", "dark"],
  board: ["paper", "wood", "slate"],
  coordinates: ["edge", "cells", "off"],
  letters: ["off", "on"],
  animation: ["auto", "off"],
  volume: ["70", "0", "40", "100"],
});

/** @typedef {keyof typeof CHOICES} Setting */
/** @typedef {{ [Name in Setting]: (typeof CHOICES)[Name][number] }} Values */

/** @typedef {Pick<Storage, "getItem" | "setItem">} SettingsStorage */

export class ViewSettings {
  #storage;
  /** @type {Values} */
  #values;
  /** @type {Set<() => void>} */
  #listeners = new Set();

  /** @param {SettingsStorage} storage */
  constructor(storage) {
    this.#storage = storage;
    this.#values = read(storage);
  }

  /**
   * @template {Setting} Name
   * @param {Name} name
   * @returns {Values[Name]}
   */
  get(name) {
    return this.#values[name];
  }

  /**
   * Changes a setting, stores it and tells all views. An unknown value changes nothing.
   * @param {Setting} name
   * @param {string} value
   */
  set(name, value) {
    const values = withChoice(this.#values, name, value);
    if (values === this.#values || values[name] === this.#values[name]) return;
    this.#values = values;
    this.#storage.setItem(KEY, JSON.stringify(values));
    this.#changed();
  }

  /** Reads the settings again: another tab has changed them. */
  reload() {
    const values = read(this.#storage);
    if (JSON.stringify(values) === JSON.stringify(this.#values)) return;
    this.#values = values;
    this.#changed();
  }

  /**
   * @param {() => void} listener called after each change
   * @returns {() => void} ends the subscription
   */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The volume of sounds, from 0 to 1. */
  get volume() {
    return Number(this.#values.volume) / 100;
  }

  /** Whether pieces fly: the user can switch it off here or in the system. */
  get animates() {
    return this.#values.animation === "auto" && !holds("(prefers-reduced-motion: reduce)");
  }

  #changed() {
    for (const listener of [...this.#listeners]) listener();
  }
}

/**
 * Reads the stored settings. What is missing or unknown has its default.
 * @param {SettingsStorage} storage
 * @returns {Values}
 */
function read(storage) {
  const defaults = Object.fromEntries(Object.entries(CHOICES).map(([name, [first]]) => [name, first]));
  let values = /** @type {Values} */ (defaults);
  try {
    const stored = /** @type {unknown} */ (JSON.parse(storage.getItem(KEY) ?? "{}"));
    for (const [name, value] of Object.entries(stored ?? {})) values = withChoice(values, name, String(value));
  } catch {
    // What cannot be read counts as not stored.
  }
  return values;
}

/**
 * @param {Values} values
 * @param {string} name
 * @param {string} value
 * @returns {Values} the same values if there is no such choice
 */
function withChoice(values, name, value) {
  const known = Object.hasOwn(CHOICES, name) && /** @type {readonly string[]} */ (CHOICES[/** @type {Setting} */ (name)]).includes(value);
  return known ? { ...values, [name]: value } : values;
}

/** The settings of this browser. */
export const viewSettings = new ViewSettings(storage);

/** Gives the style sheets the settings that they depend on. */
function apply() {
  const { dataset } = document.documentElement;
  dataset["theme"] = viewSettings.get("theme");
  dataset["board"] = viewSettings.get("board");
  dataset["animation"] = viewSettings.get("animation");
}

if (globalThis.document !== undefined) {
  apply();
  viewSettings.onChange(apply);
  addEventListener("storage", (event) => {
    if (event.key === KEY) viewSettings.reload();
  });
}

/** Returns a form with all settings. Each change applies at once. */
export function viewSettingsPanel() {
  const t = strings.viewSettings;
  const group = (/** @type {Setting} */ name) => {
    const { title, choices } = /** @type {{ title: string, choices: Record<string, string> }} */ (t[name]);
    const values = CHOICES[name].toSorted((one, other) => Number(one) - Number(other) || 0);
    return html(
      "fieldset",
      { class: `setting ${name}` },
      html("legend", {}, title),
      values.map((value) =>
        html(
          "label",
          { class: "choice-of-setting" },
          html("input", {
            type: "radio",
            name: `view-${name}`,
            value,
            checked: viewSettings.get(name) === value,
            onchange: () => viewSettings.set(name, value),
          }),
          name === "board" && html("span", { class: "swatch", "data-board": value, "aria-hidden": "true" }),
          html("span", {}, choices[value] ?? value),
        ),
      ),
    );
  };
  return html("form", { class: "view-settings", "aria-label": t.heading }, /** @type {Setting[]} */ (Object.keys(CHOICES)).map(group));
}
