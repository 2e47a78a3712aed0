// The moves of an analysis, with variations.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";

/** @import {MoveNode, MoveTree} from "./move_tree.js" */

/**
 * The mark of a move: a sign, its class, and what it says.
 * @typedef {{ mark: string, verdict: string, said: string }} Mark
 */

export class MoveList {
  element = html("div", { class: "move-tree", role: "group", "aria-label": strings.game.moves });
  #goTo;
  #markOf;

  /**
   * @param {(node: MoveNode) => void} goTo shows the position after a move
   * @param {(node: MoveNode) => Mark | undefined} [markOf] what is said of a move
   */
  constructor(goTo, markOf = () => undefined) {
    this.#goTo = goTo;
    this.#markOf = markOf;
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
    const mark = this.#markOf(node);
    const sign = mark && html("span", { class: `mark ${mark.verdict}` }, html("span", { "aria-hidden": "true" }, mark.mark), html("span", { class: "visually-hidden" }, ` ${mark.said}`));
    const button = html("button", { "aria-current": current, onclick: () => this.#goTo(node) }, html("span", { class: "number" }, ply), " ", html("span", { class: "notation" }, move), sign);
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
