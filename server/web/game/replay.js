// Any board that the game went through: which one is looked at, the slider and the buttons that leaf
// through them, and the boards themselves, asked for as they are needed.

import { changes } from "../board/changes.js";
import { html } from "../ui/element.js";
import { words } from "../words.js";

/** @import {PlyPosition, Snapshot} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {LastMove} from "./feed.js" */

const say = words.replay;

/** Boards that are asked for at once: the server's most. */
const BLOCK = 100;

/** What the keys do outside of fields. @type {Record<string, "first" | "back" | "forth" | "last">} */
const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "forth", End: "last" };

export class Replay {
  element = html("section", { class: "replay", "aria-label": say.heading, hidden: true });
  #connection;
  #game;
  #heard;
  /** Boards by ply, as far as they are known. @type {Map<number, PlyPosition>} */
  #boards = new Map();
  /** The moves that the boards belong to. @type {readonly string[]} */
  #moves = [];
  /** Blocks that were asked for, until they come. @type {Set<number>} */
  #asked = new Set();
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
    this.#connection = connection;
    this.#game = game;
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

  /**
   * What is looked at, once it is known.
   * @returns {{ board: PlyPosition, lastMove: LastMove } | undefined}
   */
  get shown() {
    return this.#ply === undefined ? undefined : this.at(this.#ply);
  }

  /**
   * The board after a ply, and what that ply did. What is not known yet is asked for.
   * @param {number} ply
   */
  at(ply) {
    const [before, board] = [this.#boards.get(Math.max(ply - 1, 0)), this.#boards.get(ply)];
    if (before === undefined || board === undefined) {
      this.#ask(Math.max(ply - 1, 0));
      this.#ask(ply);
      return undefined;
    }
    const captured = board.captures.map((capture) => capture.cell);
    return { board, lastMove: { ...changes(before.position, board.position), captured } };
  }

  /** @param {Snapshot} snapshot */
  show({ moves }) {
    let same = 0;
    while (same < moves.length && moves[same] === this.#moves[same]) same += 1;
    // Later ones were taken back, or came by another way.
    for (const ply of this.#boards.keys()) if (ply > same) this.#boards.delete(ply);
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
    first.disabled = back.disabled = now === 0;
    forth.disabled = this.#buttons.last.disabled = now === last;
  }

  /**
   * Asks for the boards about a ply.
   * @param {number} ply
   */
  async #ask(ply) {
    const from = ply - (ply % BLOCK);
    if (this.#boards.has(ply) || this.#asked.has(from)) return;
    this.#asked.add(from);
    const asked = this.#moves;
    try {
      const question = /** @type {const} */ ({ type: "positions", game: this.#game, from_ply: from, limit: BLOCK });
      const { positions } = await this.#connection.request(question);
      // A move that came meanwhile adds to the line; one that was taken back changes it: ask again.
      const holds = asked.every((move, at) => move === this.#moves[at]);
      if (holds) for (const board of positions) this.#boards.set(board.ply, board);
    } catch {
      // Whoever looks again asks again.
      return;
    } finally {
      this.#asked.delete(from);
    }
    this.#heard();
  }
}
