// The moves of an analysis, with variations, and the buttons and the slider that go along the shown
// line.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { icon } from "../game/icons.js";
import { lineThrough } from "./move_tree.js";

/** @import {IconName} from "../game/icons.js" */
/** @import {MoveNode, MoveTree} from "./move_tree.js" */

const t = strings.replay;

export class MoveList {
  element = html("div", { class: "move-tree", role: "group", "aria-label": strings.game.moves });
  #goTo;

  /** @param {(node: MoveNode) => void} goTo shows the position after a move */
  constructor(goTo) {
    this.#goTo = goTo;
  }

  /**
   * @param {MoveTree} tree
   * @param {MoveNode} shown
   */
  show({ root }, shown) {
    const list = root.children.length === 0 ? html("p", { class: "empty" }, strings.game.noMoves) : html("ol", { class: "line" }, this.#after(root, shown));
    update(this.element, list);
    this.#reveal();
  }

  /**
   * Returns what follows a node: its main continuation, and after each move the others in its
   * place.
   * @param {MoveNode} node
   * @param {MoveNode} shown
   * @returns {HTMLElement[]}
   */
  #after(node, shown) {
    const items = [];
    for (let [next, ...others] = node.children; next !== undefined; [next, ...others] = next.children) {
      items.push(this.#move(next, shown));
      for (const other of others) {
        const line = html("ol", { class: "line" }, this.#move(other, shown), this.#after(other, shown));
        items.push(html("li", { class: "variation", "data-key": `line-${other.ply}-${other.move}` }, line));
      }
    }
    return items;
  }

  /**
   * @param {MoveNode} node
   * @param {MoveNode} shown
   */
  #move(node, shown) {
    const { ply, move, isGame } = node;
    const current = node === shown ? "step" : undefined;
    const button = html("button", { "aria-current": current, onclick: () => this.#goTo(node) }, html("span", { class: "number" }, ply), " ", html("span", { class: "notation" }, move));
    return html("li", { "data-key": `${ply}-${move}`, "data-ply": ply, class: isGame ? "game" : "tried" }, button);
  }

  /** Scrolls the list, and nothing else, to the shown move. */
  #reveal() {
    const list = this.element;
    const current = list.querySelector("[aria-current]");
    if (current === null) return void (list.scrollTop = 0);
    const [own, its] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
    if (its.top < own.top) list.scrollTop += its.top - own.top;
    else if (its.bottom > own.bottom) list.scrollTop += its.bottom - own.bottom;
  }
}

/** The keys outside of input fields. @type {Record<string, Step>} */
const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last" };

/** @typedef {"first" | "back" | "forward" | "last"} Step */

export class StepBar {
  element = html("section", { class: "replay", "aria-label": t.heading });
  #goTo;
  #slider = html("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": t.slider });
  #buttons;
  /** The shown line, its start first. @type {MoveNode[]} */
  #line = [];
  #at = 0;

  /** @param {(node: MoveNode) => void} goTo */
  constructor(goTo) {
    this.#goTo = goTo;
    const button = (/** @type {Step} */ step, /** @type {IconName} */ picture, /** @type {string} */ title) =>
      html("button", { class: "quiet icon-button", "aria-label": title, title, onclick: () => this.#go(step) }, icon(picture));
    this.#buttons = {
      first: button("first", "first", t.first),
      back: button("back", "previous", t.back),
      forward: button("forward", "next", t.forward),
      last: button("last", "last", strings.analysis.lastPosition),
    };
    this.#slider.addEventListener("input", () => this.#goToIndex(Number(this.#slider.value)));
    const { first, back, forward, last } = this.#buttons;
    this.element.append(first, back, this.#slider, forward, last);
  }

  /**
   * @param {MoveTree} tree
   * @param {MoveNode} shown
   */
  show({ root }, shown) {
    this.#line = [root, ...lineThrough(shown)];
    this.#at = this.#line.indexOf(shown);
    const last = this.#line.length - 1;
    this.#slider.max = String(last);
    this.#slider.value = String(this.#at);
    this.#slider.setAttribute("aria-valuetext", t.ply(this.#at, last, shown.move || undefined));
    this.#slider.disabled = last === 0;
    const focused = document.activeElement;
    this.#buttons.first.disabled = this.#buttons.back.disabled = this.#at === 0;
    this.#buttons.forward.disabled = this.#buttons.last.disabled = this.#at === last;
    if (focused instanceof HTMLButtonElement && focused.disabled && this.element.contains(focused)) this.#slider.focus();
  }

  /**
   * Handles a key. Returns whether it was one of these.
   * @param {string} key
   */
  onKey(key) {
    const step = KEYS[key];
    if (step !== undefined) this.#go(step);
    return step !== undefined;
  }

  /** @param {Step} step */
  #go(step) {
    this.#goToIndex({ first: 0, back: this.#at - 1, forward: this.#at + 1, last: this.#line.length - 1 }[step]);
  }

  /** @param {number} index */
  #goToIndex(index) {
    const node = this.#line[Math.min(Math.max(index, 0), this.#line.length - 1)];
    if (node === undefined) return;
    // Steps may come faster than positions.
    this.#at = this.#line.indexOf(node);
    this.#goTo(node);
  }
}
