// Any board that the game went through: which one is looked at, and the slider and the buttons that
// leaf through them.

import { html } from "../ui/element.js";
import { words } from "../strings.js";
import { Boards } from "./position_cache.js";

/** @import {Snapshot} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */

const say = words.replay;

/** What the keys do outside of fields. @type {Record<string, "first" | "back" | "forth" | "last">} */
const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "forth", End: "last" };

export class Replay {
  element = html("section", { class: "replay", "aria-label": say.heading, hidden: true });
  #boards;
  #heard;
  /** The moves that stand. @type {readonly string[]} */
  #moves = [];
  /** The ply that is looked at; `undefined` follows the game. @type {number | undefined} */
  #ply;
  #slider = html("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": say.slider });
  #buttons;

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {number | undefined} ply where to begin
   * @param {() => void} heard told that there is something else to see
   */
  constructor(connection, game, ply, heard) {
    this.#boards = new Boards(connection, game, heard);
    this.#ply = ply;
    this.#heard = heard;
    const button = (/** @type {"first" | "back" | "forth" | "last"} */ way, /** @type {string} */ sign) =>
      html("button", { class: "quiet", "aria-label": say[way], title: say[way], onclick: () => this.go(way) }, sign);
    this.#buttons = {
      first: button("first", "«"),
      back: button("back", "‹"),
      forth: button("forth", "›"),
      last: button("last", "»"),
    };
    const { first, back, forth, last } = this.#buttons;
    this.#slider.addEventListener("input", () => this.look(Number(this.#slider.value)));
    this.element.append(first, back, this.#slider, forth, last);
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
    return this.#boards.at(ply);
  }

  /** Takes the keyboard's focus, to where keys leaf. */
  takeFocus() {
    this.#slider.focus({ preventScroll: true });
  }

  /** @param {Snapshot} snapshot */
  show({ moves }) {
    this.#boards.follow(moves);
    this.#moves = moves;
    if (this.#ply !== undefined && this.#ply >= moves.length) this.#ply = undefined;
    this.element.hidden = moves.length === 0;
    this.#slider.max = String(moves.length);
    this.#arrange();
  }

  /** @param {"first" | "back" | "forth" | "last"} way */
  go(way) {
    const now = this.#ply ?? this.#moves.length;
    this.look({ first: 0, back: now - 1, forth: now + 1, last: this.#moves.length }[way]);
  }

  /** @param {number} ply */
  look(ply) {
    const last = this.#moves.length;
    const wanted = ply >= last ? undefined : Math.max(ply, 0);
    if (wanted === this.#ply) return;
    this.#ply = wanted;
    const { pathname } = location;
    history.replaceState(history.state, "", wanted === undefined ? pathname : `${pathname}#${wanted}`);
    this.#arrange();
    this.#heard();
  }

  /**
   * Takes a key that leafs, and says whether it was one.
   * @param {string} key
   */
  typed(key) {
    const way = KEYS[key];
    if (way !== undefined) this.go(way);
    return way !== undefined;
  }

  #arrange() {
    const [now, last] = [this.#ply ?? this.#moves.length, this.#moves.length];
    this.#slider.value = String(now);
    this.#slider.setAttribute("aria-valuetext", say.ply(now, last, this.#moves[now - 1]));
    const { first, back, forth } = this.#buttons;
    const held = document.activeElement;
    first.disabled = back.disabled = now === 0;
    forth.disabled = this.#buttons.last.disabled = now === last;
    if (held instanceof HTMLButtonElement && held.disabled && this.element.contains(held)) this.#slider.focus();
  }
}
