// Browsing earlier positions: the buttons and the slider that go along the moves, and the shown ply.

import { html } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { icon } from "./icons.js";

/** @import {Snapshot} from "../wire.js" */
/** @import {IconName} from "./icons.js" */
/** @import {PositionCache} from "./position_cache.js" */

const t = strings.replay;

/** @typedef {"first" | "back" | "forward" | "last"} Step */

/** The keys outside of input fields. @type {Record<string, Step>} */
const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last" };

/** The buttons, the slider and the keys that go along a line of moves. */
export class StepBar {
  element = html("section", { class: "replay", "aria-label": t.heading });
  #goTo;
  #slider = html("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": t.slider });
  #buttons;
  #at = 0;
  #last = 0;

  /**
   * @param {(at: number) => void} goTo called with the number of moves before the position to show
   * @param {string} [toLast] what the button to the last position is called
   */
  constructor(goTo, toLast = t.last) {
    this.#goTo = goTo;
    const button = (/** @type {Step} */ step, /** @type {IconName} */ picture, /** @type {string} */ title) =>
      html("button", { class: "quiet icon-button", "aria-label": title, title, onclick: () => this.go(step) }, icon(picture));
    this.#buttons = {
      first: button("first", "first", t.first),
      back: button("back", "previous", t.back),
      forward: button("forward", "next", t.forward),
      last: button("last", "last", toLast),
    };
    this.#slider.addEventListener("input", () => this.#go(Number(this.#slider.value)));
    const { first, back, forward, last } = this.#buttons;
    this.element.append(first, back, this.#slider, forward, last);
  }

  /**
   * @param {number} at the shown position
   * @param {number} last
   * @param {string | undefined} move the one before the shown position
   */
  show(at, last, move) {
    [this.#at, this.#last] = [at, last];
    this.#slider.max = String(last);
    this.#slider.value = String(at);
    this.#slider.setAttribute("aria-valuetext", t.ply(at, last, move));
    this.#slider.disabled = last === 0;
    const focused = document.activeElement;
    this.#buttons.first.disabled = this.#buttons.back.disabled = at === 0;
    this.#buttons.forward.disabled = this.#buttons.last.disabled = at === last;
    if (focused instanceof HTMLButtonElement && focused.disabled && this.element.contains(focused)) this.#slider.focus();
  }

  /** Moves the focus to the slider, where arrow keys browse. */
  takeFocus() {
    this.#slider.focus({ preventScroll: true });
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

  /** @param {Step} step */
  go(step) {
    this.#go({ first: 0, back: this.#at - 1, forward: this.#at + 1, last: this.#last }[step]);
  }

  /** @param {number} at */
  #go(at) {
    // Steps may come faster than positions.
    this.#at = Math.min(Math.max(at, 0), this.#last);
    this.#goTo(this.#at);
  }
}

export class Replay {
  #positions;
  #onChange;
  /** The moves of the game. @type {readonly string[]} */
  #moves = [];
  /** The shown ply; `undefined` follows the game. @type {number | undefined} */
  #ply;
  steps = new StepBar((ply) => this.goTo(ply));

  /**
   * @param {PositionCache} positions
   * @param {number | undefined} ply the ply to begin with
   * @param {() => void} onChange called when another position is to be drawn
   */
  constructor(positions, ply, onChange) {
    this.#positions = positions;
    this.#ply = ply;
    this.#onChange = onChange;
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

  /** @param {Snapshot} snapshot */
  show({ moves }) {
    this.#moves = moves;
    if (this.#ply !== undefined && this.#ply >= moves.length) this.#ply = undefined;
    this.steps.element.classList.toggle("empty", moves.length === 0);
    this.#update();
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

  #update() {
    const now = this.#ply ?? this.#moves.length;
    this.steps.show(now, this.#moves.length, this.#moves[now - 1]);
  }
}
