// Any board that the game went through: which one is looked at, and the slider and the buttons that
// leaf through them.

import { html } from "../ui/element.js";
import { strings } from "../strings.js";
import { PositionCache } from "./position_cache.js";

/** @import {Snapshot} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */

const t = strings.replay;

/** What the keys do outside of fields. @type {Record<string, "first" | "back" | "forward" | "last">} */
const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last" };

export class Replay {
  element = html("section", { class: "replay", "aria-label": t.heading, hidden: true });
  #positions;
  #onChange;
  /** The moves that stand. @type {readonly string[]} */
  #moves = [];
  /** The ply that is looked at; `undefined` follows the game. @type {number | undefined} */
  #ply;
  #slider = html("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": t.slider });
  #buttons;

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {number | undefined} ply where to begin
   * @param {() => void} onChange told that there is something else to see
   */
  constructor(connection, game, ply, onChange) {
    this.#positions = new PositionCache(connection, game, onChange);
    this.#ply = ply;
    this.#onChange = onChange;
    const button = (/** @type {"first" | "back" | "forward" | "last"} */ step, /** @type {string} */ sign) =>
      html("button", { class: "quiet", "aria-label": t[step], title: t[step], onclick: () => this.go(step) }, sign);
    this.#buttons = {
      first: button("first", "«"),
      back: button("back", "‹"),
      forward: button("forward", "›"),
      last: button("last", "»"),
    };
    const { first, back, forward, last } = this.#buttons;
    this.#slider.addEventListener("input", () => this.goTo(Number(this.#slider.value)));
    this.element.append(first, back, this.#slider, forward, last);
  }

  /** The ply that is looked at, or `undefined` if it is the game itself. */
  get ply() {
    return this.#ply;
  }

  /** What is looked at, once it is known. */
  get shown() {
    return this.#ply === undefined ? undefined : this.at(this.#ply);
  }

  /**
   * The board after a ply, and what that ply did, once they are known.
   * @param {number} ply
   */
  at(ply) {
    return this.#positions.at(ply);
  }

  /** Takes the keyboard's focus, to where keys leaf. */
  takeFocus() {
    this.#slider.focus({ preventScroll: true });
  }

  /** @param {Snapshot} snapshot */
  show({ moves }) {
    this.#positions.setMoves(moves);
    this.#moves = moves;
    if (this.#ply !== undefined && this.#ply >= moves.length) this.#ply = undefined;
    this.element.hidden = moves.length === 0;
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
   * Takes a key that leafs, and says whether it was one.
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
