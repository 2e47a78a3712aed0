// Panels behind tabs. The keyboard moves between tabs by the arrow keys.

import { fill, html } from "../ui/element.js";

/**
 * @typedef {object} Tab
 * @property {string} key
 * @property {string} title
 * @property {HTMLElement} panel
 */

export class Tabs {
  element = html("section", { class: "tabbed" });
  #list = html("div", { class: "tab-list", role: "tablist" });
  #tabs;
  /** @type {Map<string, HTMLButtonElement>} */
  #buttons = new Map();
  #onChange;

  shown = "";

  /**
   * @param {string} label
   * @param {Tab[]} tabs
   * @param {() => void} onChange
   */
  constructor(label, tabs, onChange) {
    this.#tabs = tabs;
    this.#onChange = onChange;
    this.#list.setAttribute("aria-label", label);
    for (const { key, title, panel } of tabs) {
      panel.id = `panel-${key}`;
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", `tab-${key}`);
      const attributes = { role: "tab", id: `tab-${key}`, "aria-controls": panel.id, class: "panel-tab", "data-tab": key };
      const button = html("button", { ...attributes, onclick: () => this.show(key) }, html("span", {}, title), html("span", { class: "badge" }));
      this.#buttons.set(key, button);
      this.#list.append(button);
    }
    this.#list.addEventListener("keydown", this.#onKeyDown);
    this.element.append(this.#list, ...tabs.map(({ panel }) => panel));
    this.#show(tabs[0]?.key ?? "");
  }

  /** @param {string} key */
  show(key) {
    this.#show(key);
    this.setBadge(key, 0);
    this.#onChange();
  }

  /** @param {string} key */
  #show(key) {
    this.shown = key;
    for (const { key: each, panel } of this.#tabs) {
      panel.hidden = each !== key;
      const button = this.#buttons.get(each);
      button?.setAttribute("aria-selected", String(each === key));
      button?.setAttribute("tabindex", each === key ? "0" : "-1");
    }
  }

  /** Shows a tab and moves the focus to it. @param {string} key */
  open(key) {
    this.show(key);
    this.#buttons.get(key)?.focus();
    this.element.scrollIntoView({ block: "nearest" });
  }

  /**
   * Shows how much is new behind a tab.
   * @param {string} key
   * @param {number} number
   */
  setBadge(key, number) {
    const badge = this.#buttons.get(key)?.querySelector(".badge");
    if (badge) fill(badge, number > 0 && String(number));
  }

  /** @param {KeyboardEvent} event */
  #onKeyDown = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    const at = this.#tabs.findIndex(({ key }) => key === this.shown);
    const next = this.#tabs[(at + step + this.#tabs.length) % this.#tabs.length];
    if (next !== undefined) this.open(next.key);
    event.preventDefault();
    event.stopPropagation();
  };
}
