// `<adamant-board>`: any board, drawn from a layout and a position, that can be pointed at. It knows
// no game: what may be chosen, what a choice means and what it leads to is told from outside.

import { fill, svg } from "../ui/element.js";
import { words } from "../words.js";
import { changes } from "./changes.js";
import { Geometry } from "./geometry.js";
import { stackOf } from "./pieces.js";

/** @import {BoardLayout} from "../wire.js" */
/** @import {Position} from "./changes.js" */
/** @import {Letters} from "./pieces.js" */

/** How long pieces fly, in milliseconds. */
const FLIGHT_MS = 260;

/**
 * What is pointed out about a cell.
 * @typedef {"source" | "target" | "capture" | "chosen" | "last-from" | "last-to" | "last-captured"} Mark
 */

/**
 * What the board is to show.
 * @typedef {object} Picture
 * @property {Position} position
 * @property {ReadonlyMap<string, ReadonlySet<Mark>>} marks
 * @property {boolean} [still] whether nothing flies, as when leafing through a game
 */

/** The directions of the arrow keys. @type {Record<string, [number, number]>} */
const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export class Board extends HTMLElement {
  /** @type {Geometry | undefined} */
  #geometry;
  /** @type {Letters} */
  #letters = new Map();
  /** @type {Map<string, SVGGElement>} */
  #cells = new Map();
  /** @type {Map<string, SVGGElement>} */
  #stacks = new Map();
  /** @type {Position} */
  #position = {};
  #piecesLayer = svg("g", { class: "pieces" });
  #marksLayer = svg("g", { class: "marks" });
  #flightLayer = svg("g", { class: "flights" });
  /** Cells that have marks. @type {string[]} */
  #marked = [];
  #focused = "";
  #live = false;

  connectedCallback() {
    this.addEventListener("click", this.#clicked);
    this.addEventListener("keydown", this.#typed);
  }

  disconnectedCallback() {
    this.removeEventListener("click", this.#clicked);
    this.removeEventListener("keydown", this.#typed);
  }

  /**
   * Draws an empty board.
   * @param {BoardLayout} layout
   * @param {{ live: boolean, labels: boolean }} how `live` boards can be pointed at
   */
  setUp(layout, { live, labels }) {
    this.#live = live;
    this.#geometry = new Geometry(layout);
    this.#letters = lettersOf(layout);
    this.#position = {};
    this.#stacks.clear();
    this.#cells.clear();
    this.#marked = [];
    const { x, y, width, height } = this.#geometry.frame;
    const picture = svg("svg", { viewBox: `${x} ${y} ${width} ${height}`, role: live ? "grid" : "img" });
    picture.setAttribute("aria-label", words.board);
    fill(this.#piecesLayer);
    fill(this.#marksLayer);
    picture.append(
      ...this.#ground(),
      this.#cellsLayer(layout, labels),
      this.#marksLayer,
      this.#piecesLayer,
      this.#flightLayer,
    );
    fill(this, picture);
    this.style.setProperty("--ratio", String(width / height));
    this.#focus(layout.cells[0]?.name ?? "", false);
  }

  /** What lies under the cells: lines between points, and goals. */
  #ground() {
    const geometry = /** @type {Geometry} */ (this.#geometry);
    const parts = [];
    for (const { path, seats } of geometry.goals) {
      const goal = svg("g", { class: "goal" });
      seats.forEach((seat, index) => {
        goal.append(svg("path", { d: path, class: `seat${seat} ${index > 0 ? "shared" : ""}` }));
      });
      parts.push(goal);
    }
    const links = geometry.links();
    if (links !== "") {
      parts.push(svg("path", { class: "land", d: links }), svg("path", { class: "links", d: links }));
    }
    return parts;
  }

  /**
   * @param {BoardLayout} layout
   * @param {boolean} labels
   */
  #cellsLayer(layout, labels) {
    const geometry = /** @type {Geometry} */ (this.#geometry);
    const layer = svg("g", { class: "cells", role: this.#live ? "row" : "presentation" });
    for (const cell of layout.cells) {
      const group = svg("g", {
        class: `cell ${cell.shape}`,
        transform: `translate(${cell.x} ${cell.y})`,
      });
      group.dataset["cell"] = cell.name;
      group.append(svg("path", { class: "area", d: geometry.outline(cell) }));
      if (cell.shape === "point") group.append(svg("circle", { class: "dot", r: 0.09 }));
      if (labels) {
        const text = svg("text", { class: "label", ...geometry.label(cell) });
        text.textContent = cell.name;
        group.append(text);
      }
      if (this.#live) {
        group.setAttribute("role", "gridcell");
        group.setAttribute("tabindex", "-1");
        group.setAttribute("aria-label", cell.name);
      }
      this.#cells.set(cell.name, group);
      layer.append(group);
    }
    const { x, y } = geometry.middle;
    for (const r of geometry.circles()) {
      layer.append(svg("circle", { class: "level", cx: x, cy: y, r }));
    }
    return layer;
  }

  /**
   * Shows a position, letting pieces fly from where they were.
   * @param {Picture} picture
   */
  show({ position, marks, still = false }) {
    if (this.#geometry === undefined) return;
    const before = this.#position;
    const { lost, gained, flights } = changes(before, position);
    for (const name of [...lost, ...gained]) this.#place(name, position[name] ?? "");
    this.#position = position;
    this.#mark(marks);
    if (still || Object.keys(before).length === 0 || !wantsMotion()) return;
    for (const { from, to } of flights) this.#fly(from, to, position[to] ?? "");
    if (flights.length === 0) for (const name of gained) this.#appear(name);
  }

  /**
   * @param {string} name
   * @param {string} stack
   */
  #place(name, stack) {
    this.#stacks.get(name)?.remove();
    this.#stacks.delete(name);
    const cell = this.#geometry?.cells.get(name);
    if (cell === undefined || this.#geometry === undefined) return;
    if (this.#live) this.#cells.get(name)?.setAttribute("aria-label", words.cell(name, stack));
    if (stack === "") return;
    const group = svg("g", { transform: `translate(${cell.x} ${cell.y})` });
    group.dataset["cell"] = name;
    group.append(stackOf(this.#geometry, cell, stack, this.#letters));
    this.#stacks.set(name, group);
    this.#piecesLayer.append(group);
  }

  /** @param {ReadonlyMap<string, ReadonlySet<Mark>>} marks */
  #mark(marks) {
    const signs = [];
    // The others have no marks and get none: a board has many cells, and a page may have many boards.
    const touched = new Set([...this.#marked, ...marks.keys()]);
    this.#marked = [...marks.keys()];
    for (const name of touched) {
      const cell = this.#geometry?.cells.get(name);
      const own = marks.get(name);
      this.#cells.get(name)?.setAttribute("class", ["cell", cell?.shape, ...(own ?? [])].join(" "));
      if (own === undefined || cell === undefined) continue;
      const at = { cx: cell.x, cy: cell.y };
      const r = this.#geometry?.piece(cell, 0).r ?? 0.3;
      if (own.has("target") && cell.shape !== "sector" && !this.#position[name]) {
        signs.push(svg("circle", { class: "hint", ...at, r: r * 0.36 }));
      }
      if (own.has("chosen")) {
        const d = this.#geometry?.outline(cell);
        signs.push(svg("path", { class: "chosen-ring", d, transform: `translate(${cell.x} ${cell.y})` }));
      }
      if (own.has("capture")) signs.push(svg("circle", { class: "prey", ...at, r: r * 1.18 }));
      if (own.has("last-captured")) {
        const [x, y, d] = [cell.x, cell.y, r * 1.1];
        const cross = `M${x - d} ${y - d}l${2 * d} ${2 * d}M${x + d} ${y - d}l${-2 * d} ${2 * d}`;
        signs.push(svg("path", { class: "fallen", d: cross }));
      }
    }
    fill(this.#marksLayer, signs);
  }

  /**
   * @param {string} from
   * @param {string} to
   * @param {string} stack what stands at the destination now
   */
  #fly(from, to, stack) {
    const [start, end] = [this.#geometry?.cells.get(from), this.#geometry?.cells.get(to)];
    const group = this.#stacks.get(to)?.firstElementChild;
    if (start === undefined || end === undefined || !group || stack === "") return;
    const away = `translate(${start.x - end.x}px, ${start.y - end.y}px)`;
    group.animate([{ transform: away }, { transform: "none" }], {
      duration: FLIGHT_MS,
      easing: "cubic-bezier(.3, .1, .2, 1)",
    });
  }

  /** @param {string} name */
  #appear(name) {
    const group = this.#stacks.get(name)?.firstElementChild;
    group?.animate([{ transform: "scale(.4)", opacity: 0 }, { transform: "none", opacity: 1 }], {
      duration: FLIGHT_MS,
      easing: "cubic-bezier(.3, .1, .2, 1)",
    });
  }

  /** @param {Event} event */
  #clicked = (event) => {
    if (!this.#live || !(event.target instanceof Element)) return;
    const group = event.target.closest("[data-cell]");
    if (!(group instanceof SVGElement)) return;
    const name = group.dataset["cell"] ?? "";
    const level = event.target.closest("[data-level]");
    this.#focus(name, false);
    const part = level instanceof SVGElement ? Number(level.dataset["level"]) : undefined;
    this.#pick(name, part, event instanceof MouseEvent && event.shiftKey);
  };

  /** @param {KeyboardEvent} event */
  #typed = (event) => {
    if (!this.#live || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[event.key];
    if (arrow !== undefined && !event.shiftKey) {
      const next = this.#geometry?.towards(this.#focused, ...arrow);
      if (next !== undefined) this.#focus(next, true);
    } else if (event.key === " ") this.#pick(this.#focused, undefined, event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  /**
   * @param {string} cell
   * @param {number | undefined} level the piece of the stack that was pointed at, 0 for the lowest
   * @param {boolean} other whether the less usual of two meanings is wanted
   */
  #pick(cell, level, other) {
    this.dispatchEvent(new CustomEvent("pick", { detail: { cell, level, other } }));
  }

  /**
   * @param {string} name
   * @param {boolean} take whether the keyboard's focus goes there, too
   */
  #focus(name, take) {
    this.#cells.get(this.#focused)?.setAttribute("tabindex", "-1");
    this.#focused = name;
    const cell = this.#cells.get(name);
    if (!this.#live || cell === undefined) return;
    cell.setAttribute("tabindex", "0");
    if (take) cell.focus();
  }
}

/**
 * @param {BoardLayout} layout
 * @returns {Letters}
 */
function lettersOf(layout) {
  /** @type {Letters} */
  const letters = new Map();
  layout.letters.forEach((own, seat) => {
    [...own].forEach((letter, kind) => letters.set(letter, { seat, kind }));
  });
  return letters;
}

function wantsMotion() {
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

customElements.define("adamant-board", Board);
