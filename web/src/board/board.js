// `<adamant-board>`: any board, drawn from a layout and a position, that can be pointed at. It knows
// no game: what may be chosen, what a choice means and what it leads to is told from outside.

import { fill, svg } from "../ui/element.js";
import { words } from "../strings.js";
import { changes } from "./changes.js";
import { Drag, cellOf } from "./drag.js";
import { Geometry } from "./geometry.js";
import { stackOf } from "./pieces.js";
import { signsOf, threatOf } from "./markers.js";

/** @import {BoardLayout} from "../wire.js" */
/** @import {Position} from "./changes.js" */
/** @import {Held, Point} from "./drag.js" */
/** @import {Letters} from "./pieces.js" */
/** @import {Mark} from "./markers.js" */

/** How long pieces fly, in milliseconds. */
const FLIGHT_MS = 260;

/** @type {ReadonlySet<string>} */
const NOTHING = new Set();

/**
 * What the board is to show.
 * @typedef {object} Picture
 * @property {Position} position
 * @property {ReadonlyMap<string, ReadonlySet<Mark>>} marks
 * @property {ReadonlySet<string>} [movable] cells whose pieces can be dragged
 * @property {string} [held] which pieces go along with the one that is dragged, where that matters
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
  #threatsLayer = svg("g", { class: "marks" });
  /** Cells that have marks. @type {string[]} */
  #marked = [];
  /** What is being dragged, and what it leaves behind. */
  #heldLayer = svg("g", { class: "held" });
  /** How what is dragged is drawn, as long as that does not change. */
  #heldAs = "";
  #over = "";
  /** @type {ReadonlySet<string>} */
  #movable = new Set();
  #heldPieces = "";
  #focused = "";
  #live = false;
  #drag = new Drag(this, {
    mayHold: (cell) => this.#live && this.#movable.has(cell) && this.#position[cell] !== undefined,
    began: (held) => this.#emit("grab", { cell: held.cell, level: held.level }),
    moved: (held, at, over) => this.#carry(held, at, over),
    ended: (held, over) => this.#drop(held, over),
  });

  connectedCallback() {
    this.addEventListener("click", this.#clicked);
    this.addEventListener("keydown", this.#typed);
    if (this.#live) this.#drag.open();
  }

  disconnectedCallback() {
    this.removeEventListener("click", this.#clicked);
    this.removeEventListener("keydown", this.#typed);
    this.#drag.close();
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
    fill(this.#threatsLayer);
    picture.append(
      ...this.#ground(),
      this.#cellsLayer(layout, labels),
      this.#marksLayer,
      this.#piecesLayer,
      this.#threatsLayer,
      this.#heldLayer,
    );
    fill(this, picture);
    this.style.setProperty("--ratio", String(width / height));
    this.#focus(layout.cells[0]?.name ?? "", false);
    if (live && this.isConnected) this.#drag.open();
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
  show({ position, marks, movable = NOTHING, held = "", still = false }) {
    if (this.#geometry === undefined) return;
    this.#heldPieces = held;
    const before = this.#position;
    const { lost, gained, flights } = changes(before, position);
    for (const name of [...lost, ...gained]) this.#place(name, position[name] ?? "");
    this.#position = position;
    this.#mark(marks);
    this.#showMovable(movable);
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
    if (stack === "") return;
    const group = svg("g", { transform: `translate(${cell.x} ${cell.y})` });
    group.dataset["cell"] = name;
    group.append(stackOf(this.#geometry, cell, stack, this.#letters));
    this.#stacks.set(name, group);
    this.#piecesLayer.append(group);
  }

  /** @param {ReadonlyMap<string, ReadonlySet<Mark>>} marks */
  #mark(marks) {
    const [signs, threats] = [/** @type {SVGElement[]} */ ([]), /** @type {SVGElement[]} */ ([])];
    // The others have no marks and get none: a board has many cells, and a page may have many boards.
    const touched = new Set([...this.#marked, ...marks.keys()]);
    this.#marked = [...marks.keys()];
    for (const name of this.#live ? this.#cells.keys() : touched) {
      const cell = this.#geometry?.cells.get(name);
      const own = marks.get(name);
      const group = this.#cells.get(name);
      group?.setAttribute("class", ["cell", cell?.shape, ...(own ?? [])].join(" "));
      const stack = this.#position[name] ?? "";
      const threatened = own?.has("threatened") ?? false;
      if (this.#live) group?.setAttribute("aria-label", words.cell(name, stack, threatened));
      if (own === undefined || cell === undefined || this.#geometry === undefined) continue;
      signs.push(...signsOf(this.#geometry, cell, own, stack !== ""));
      if (threatened) threats.push(threatOf(this.#geometry, cell));
    }
    fill(this.#threatsLayer, threats);
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
    const place = cellOf(event.target);
    if (!this.#live || this.#drag.clicks || place === undefined) return;
    this.#focus(place.cell, false);
    this.#pick(place.cell, place.level, event instanceof MouseEvent && event.shiftKey);
  };

  /** @param {ReadonlySet<string>} movable */
  #showMovable(movable) {
    this.#movable = movable;
    for (const [name, group] of this.#cells) {
      for (const each of [group, this.#stacks.get(name)]) each?.toggleAttribute("data-movable", movable.has(name));
    }
    const { held } = this.#drag;
    // What cannot be moved any more is not held on to: the game has gone on.
    if (held !== undefined && (!movable.has(held.cell) || !this.#position[held.cell])) this.#drag.cancel();
    else this.#drag.look();
  }

  /**
   * Draws what is dragged under the pointer, and the rest of its stack where it was.
   * @param {Held} held
   * @param {Point} at
   * @param {string | undefined} over
   */
  #carry(held, at, over = "") {
    const cell = this.#geometry?.cells.get(held.cell);
    const place = this.#placeOf(at);
    if (cell === undefined || this.#geometry === undefined || place === undefined) return;
    const stack = this.#position[held.cell] ?? "";
    const from = this.#heldFrom(held);
    const drawn = `${held.cell} ${stack} ${from}`;
    if (drawn !== this.#heldAs) {
      this.#heldAs = drawn;
      const rest = svg("g", { transform: `translate(${cell.x} ${cell.y})` });
      rest.append(stackOf(this.#geometry, cell, stack.slice(0, from), this.#letters));
      const ghost = svg("g", { class: "ghost" });
      ghost.append(stackOf(this.#geometry, cell, stack, this.#letters, from));
      fill(this.#heldLayer, rest, ghost);
      // The stack itself stays: a finger's events go to what it touched first.
      this.#stacks.get(held.cell)?.setAttribute("visibility", "hidden");
    }
    const own = this.#geometry.piece(cell, from);
    const ghost = this.#heldLayer.lastElementChild;
    ghost?.setAttribute("transform", `translate(${place.x - own.x} ${place.y - own.y})`);
    this.dataset["dragging"] = "";
    this.#hover(over);
  }

  /** @param {string} over */
  #hover(over) {
    if (over === this.#over) return;
    this.#cells.get(this.#over)?.removeAttribute("data-over");
    this.#cells.get(over)?.setAttribute("data-over", "");
    this.#over = over;
  }

  /**
   * The lowest piece of a stack that is dragged.
   * @param {Held} held
   */
  #heldFrom({ cell, level, all }) {
    const { length } = this.#position[cell] ?? "";
    if (all) return 0;
    if (level === undefined) return length - 1;
    return this.#heldPieces === "" ? level : length - this.#heldPieces.length;
  }

  /** Where on the board a point of the screen is. @param {Point} at */
  #placeOf({ x, y }) {
    const matrix = this.querySelector("svg")?.getScreenCTM();
    return matrix ? new DOMPoint(x, y).matrixTransform(matrix.inverse()) : undefined;
  }

  /**
   * @param {Held} held
   * @param {string | undefined} over
   */
  #drop(held, over) {
    const pieces = (this.#position[held.cell] ?? "").length - this.#heldFrom(held);
    fill(this.#heldLayer);
    this.#heldAs = "";
    this.#hover("");
    delete this.dataset["dragging"];
    this.#stacks.get(held.cell)?.removeAttribute("visibility");
    if (over === undefined || over === held.cell) return this.#emit("release", {});
    this.#focus(over, false);
    return this.#emit("drop", { cell: over, pieces, all: held.all });
  }

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
    this.#emit("pick", { cell, level, other });
  }

  /**
   * @param {"pick" | "grab" | "drop" | "release"} what
   * @param {object} detail
   */
  #emit(what, detail) {
    this.dispatchEvent(new CustomEvent(what, { detail }));
  }

  /** Takes the keyboard's focus, to the cell where it was last. */
  takeFocus() {
    this.#focus(this.#focused, true);
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
    if (take) cell.focus({ preventScroll: true });
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
