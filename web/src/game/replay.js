// Browsing earlier positions: the shown ply, the slider and the buttons.

import { html } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { icon } from "./icons.js";

/** @import {Snapshot} from "../wire.js" */
/** @import {IconName} from "./icons.js" */
/** @import {PositionCache} from "./position_cache.js" */

const t = strings.replay;

/**
 * The keys outside of input fields.
 * @type {Record<string, "first" | "back" | "forward" | "last">}
 */
const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last" };

export class Replay {
  element = html("section", { class: "replay", "aria-label": t.heading });
  #positions;
  #onChange;
  /** The moves of the game. @type {readonly string[]} */
  #moves = [];
  /** The shown ply; `undefined` follows the game. @type {number | undefined} */
  #ply;
  #slider = html("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": t.slider });
  #buttons;

  /**
   * @param {PositionCache} positions
   * @param {number | undefined} ply the ply to begin with
   * @param {() => void} onChange called when another position is to be drawn
   */
  constructor(positions, ply, onChange) {
    this.#positions = positions;
    this.#ply = ply;
    this.#onChange = onChange;
    const button = (/** @type {"first" | "back" | "forward" | "last"} */ step, /** @type {IconName} */ picture) =>
      html("button", { class: "quiet icon-button", "aria-label": t[step], title: t[step], onclick: () => this.go(step) }, icon(picture));
    this.#buttons = {
      first: button("first", "first"),
      back: button("back", "previous"),
      forward: button("forward", "next"),
      last: button("last", "last"),
    };
    const { first, back, forward, last } = this.#buttons;
    this.#slider.addEventListener("input", () => this.goTo(Number(this.#slider.value)));
    this.element.append(first, back, this.#slider, forward, last);
  }

  /** The shown ply, or `undefined` while it follows the game. */
  get ply() {
    return this.#ply;
  }

  /** The shown position, once it is loaded. */
  get shown() {
    return this.#ply === undefined ? undefined : this.at(this.#ply);
  }

  /**
   * Returns the position after a ply and what that ply changed, once loaded.
   * @param {number} ply
   */
  at(ply) {
    return this.#positions.at(ply);
  }

  /** Moves the focus to the slider, where arrow keys browse. */
  takeFocus() {
    this.#slider.focus({ preventScroll: true });
  }

  /** @param {Snapshot} snapshot */
  show({ moves }) {
    this.#moves = moves;
    if (this.#ply !== undefined && this.#ply >= moves.length) this.#ply = undefined;
    this.element.classList.toggle("empty", moves.length === 0);
    this.#slider.max = String(moves.length);
    this.#update();
  }

  /** @param {"first" | "back" | "forward" | "last"} step */
  go(step) {
    const now = this.#ply ?? this.#moves.length;
    this.goTo({ first: 0, back: now - 1, forward: now + 1, last: this.#moves.length }[step]);
  }

  /** @param {number} ply */
  goTo(ply) {
    const last = this.#moves.length;
    const wanted = ply >= last ? undefined : Math.max(ply, 0);
    if (wanted === this.#ply) return;
    this.#ply = wanted;
    const { pathname } = location;
    history.replaceState(history.state, "", wanted === undefined ? pathname : `${pathname}#${wanted}`);
    this.#update();
    this.#onChange();
  }

  /**
   * Handles a key. Returns whether it was one of these.
   * @param {string} key
   */
  onKey(key) {
    const step = KEYS[key];
    if (step !== undefined) this.go(step);
    return step !== undefined;
  }

  #update() {
    const [now, last] = [this.#ply ?? this.#moves.length, this.#moves.length];
    this.#slider.value = String(now);
    this.#slider.setAttribute("aria-valuetext", t.ply(now, last, this.#moves[now - 1]));
    const { first, back, forward } = this.#buttons;
    const focused = document.activeElement;
    first.disabled = back.disabled = now === 0;
    forward.disabled = this.#buttons.last.disabled = now === last;
    if (focused instanceof HTMLButtonElement && focused.disabled && this.element.contains(focused)) this.#slider.focus();
  }
}
