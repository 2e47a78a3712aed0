// Remembers how far each view of the history was scrolled, and goes there again on the way back.

import { tabStorage } from "../strings/storage.js";
import { resizeObserver } from "./observers.js";

/** How long a view may take to become long enough, in milliseconds. */
const GROWING_MS = 3_000;

/** The key under which the browser stores the scroll positions while the page loads again. */
const KEY = "adamant.scroll";

/** Places that are remembered. */
const PLACES_MAX = 50;

/** The user's own scrolling, which ends the way back. */
const OWN_SCROLLING = ["wheel", "touchstart", "keydown", "pointerdown"];

export class ScrollMemory {
  #content;
  /** The place of the shown view in the history. */
  #at;
  /** How far the views were scrolled, by their places. @type {Map<number, number>} */
  #scrolled = new Map(JSON.parse(tabStorage.getItem(KEY) ?? "[]"));
  #stop = () => {};

  /** @param {Element} content what grows while a view loads */
  constructor(content) {
    this.#content = content;
    this.#at = placeOf(history.state) ?? this.#newPlace();
    // The browser would scroll before the view is there.
    history.scrollRestoration = "manual";
    addEventListener("pagehide", () => {
      this.#scrolled.set(this.#at, scrollY);
      tabStorage.setItem(KEY, JSON.stringify([...this.#scrolled].slice(-PLACES_MAX)));
    });
  }

  /** Scrolls to where the view was when the page was left. */
  restore() {
    this.#scrollTo(this.#scrolled.get(this.#at) ?? 0);
  }

  /**
   * Adds an address to the history.
   * @param {string} path
   */
  push(path) {
    this.#stop();
    this.#scrolled.set(this.#at, scrollY);
    history.pushState(null, "", path);
    this.#at = this.#newPlace();
  }

  /** Gives the shown entry of the history a place that no other has, also after the page was left. */
  #newPlace() {
    const at = Math.max(Date.now(), ...[...this.#scrolled.keys()].map((other) => other + 1));
    history.replaceState({ at }, "");
    return at;
  }

  /**
   * Notes that another view of the history is to be shown.
   * @param {PopStateEvent} event
   */
  pop({ state }) {
    this.#stop();
    const at = placeOf(state) ?? this.#newPlace();
    if (at !== this.#at) this.#scrolled.set(this.#at, scrollY);
    this.#at = at;
  }

  /** @param {number} y */
  #scrollTo(y) {
    const scroll = () => {
      scrollTo(0, y);
      if (document.documentElement.scrollHeight - innerHeight >= y) this.#stop();
    };
    const growth = resizeObserver(scroll);
    const end = setTimeout(() => this.#stop(), GROWING_MS);
    const stop = () => this.#stop();
    this.#stop = () => {
      this.#stop = () => {};
      growth.disconnect();
      clearTimeout(end);
      for (const type of OWN_SCROLLING) removeEventListener(type, stop);
    };
    for (const type of OWN_SCROLLING) addEventListener(type, stop, { passive: true });
    growth.observe(this.#content);
    scroll();
  }
}

/** @param {unknown} state of the history */
function placeOf(state) {
  return state !== null && typeof state === "object" && "at" in state && typeof state.at === "number" ? state.at : undefined;
}
