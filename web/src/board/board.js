// `<adamant-board>`: draws any board from a layout and a position, and reports clicks and drags. It
// knows no rules: its owner decides what a click means.

import { fill, svg } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { changes } from "./changes.js";
import { Drag, cellOf } from "./drag.js";
import { Geometry } from "./geometry.js";
import { drawStack } from "./pieces.js";
import { markersOf, threatMarker } from "./markers.js";

/** @import {BoardLayout} from "../wire.js" */
/** @import {Position} from "./changes.js" */
/** @import {Dragged, Point} from "./drag.js" */
/** @import {Letters} from "./pieces.js" */
/** @import {Highlight} from "./markers.js" */

/** Duration of an animation, in milliseconds. */
const FLIGHT_MS = 260;

/** @type {ReadonlySet<string>} */
const NO_CELLS = new Set();

/**
 * The content of the board.
 * @typedef {object} BoardView
 * @property {Position} position
 * @property {ReadonlyMap<string, ReadonlySet<Highlight>>} highlights
 * @property {ReadonlySet<string>} [movable] cells whose pieces can be dragged
 * @property {string} [draggedPieces] the pieces that are dragged together, if the game names them
 * @property {boolean} [noAnimation] whether pieces appear at their new places without animation
 */

/** Directions of the arrow keys. @type {Record<string, [number, number]>} */
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
  #markersLayer = svg("g", { class: "markers" });
  #threatsLayer = svg("g", { class: "markers" });
  /** Cells that have highlights. @type {string[]} */
  #highlighted = [];
  /** The dragged pieces and the rest of their stack. */
  #dragLayer = svg("g", { class: "drag" });
  /** Describes the drawn drag, to redraw it only after a change. */
  #dragDrawn = "";
  #over = "";
  /** @type {ReadonlySet<string>} */
  #movable = new Set();
  #draggedPieces = "";
  #focused = "";
  #live = false;
  #drag = new Drag(this, {
    canDrag: (cell) => this.#live && this.#movable.has(cell) && this.#position[cell] !== undefined,
    onStart: (dragged) => this.#emit("grab", { cell: dragged.cell, level: dragged.level }),
    onMove: (dragged, at, over) => this.#showDrag(dragged, at, over),
    onEnd: (dragged, over) => this.#drop(dragged, over),
  });

  connectedCallback() {
    this.addEventListener("click", this.#onClick);
    this.addEventListener("keydown", this.#onKeyDown);
    if (this.#live) this.#drag.open();
  }

  disconnectedCallback() {
    this.removeEventListener("click", this.#onClick);
    this.removeEventListener("keydown", this.#onKeyDown);
    this.#drag.close();
  }

  /**
   * Draws an empty board.
   * @param {BoardLayout} layout
   * @param {{ live: boolean, labels: boolean }} how `live` boards react to clicks
   */
  setLayout(layout, { live, labels }) {
    this.#live = live;
    this.#geometry = new Geometry(layout);
    this.#letters = lettersOf(layout);
    this.#position = {};
    this.#stacks.clear();
    this.#cells.clear();
    this.#highlighted = [];
    const { x, y, width, height } = this.#geometry.frame;
    const view = svg("svg", { viewBox: `${x} ${y} ${width} ${height}`, role: live ? "grid" : "img" });
    view.setAttribute("aria-label", strings.board);
    fill(this.#piecesLayer);
    fill(this.#markersLayer);
    fill(this.#threatsLayer);
    view.append(
      ...this.#background(),
      this.#cellsLayer(layout, labels),
      this.#markersLayer,
      this.#piecesLayer,
      this.#threatsLayer,
      this.#dragLayer,
    );
    fill(this, view);
    this.style.setProperty("--ratio", String(width / height));
    this.#focus(layout.cells[0]?.name ?? "", false);
    if (live && this.isConnected) this.#drag.open();
  }

  /** The background: lines between points, and goals. */
  #background() {
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
    for (const r of geometry.levelCircles()) {
      layer.append(svg("circle", { class: "level", cx: x, cy: y, r }));
    }
    return layer;
  }

  /**
   * Shows a position and animates the pieces that moved.
   * @param {BoardView} view
   */
  show({ position, highlights, movable = NO_CELLS, draggedPieces = "", noAnimation = false }) {
    if (this.#geometry === undefined) return;
    this.#draggedPieces = draggedPieces;
    const before = this.#position;
    const { lost, gained, flights } = changes(before, position);
    for (const name of [...lost, ...gained]) this.#drawStack(name, position[name] ?? "");
    this.#position = position;
    this.#highlight(highlights);
    this.#showMovable(movable);
    if (noAnimation || Object.keys(before).length === 0 || !wantsMotion()) return;
    for (const { from, to } of flights) this.#fly(from, to, position[to] ?? "");
    if (flights.length === 0) for (const name of gained) this.#fadeIn(name);
  }

  /**
   * @param {string} name
   * @param {string} stack
   */
  #drawStack(name, stack) {
    this.#stacks.get(name)?.remove();
    this.#stacks.delete(name);
    const cell = this.#geometry?.cells.get(name);
    if (cell === undefined || this.#geometry === undefined) return;
    if (stack === "") return;
    const group = svg("g", { transform: `translate(${cell.x} ${cell.y})` });
    group.dataset["cell"] = name;
    group.append(drawStack(this.#geometry, cell, stack, this.#letters));
    this.#stacks.set(name, group);
    this.#piecesLayer.append(group);
  }

  /** @param {ReadonlyMap<string, ReadonlySet<Highlight>>} highlights */
  #highlight(highlights) {
    const [markers, threats] = [/** @type {SVGElement[]} */ ([]), /** @type {SVGElement[]} */ ([])];
    // Cells without highlights stay as they are: a page may have many boards with many cells.
    const touched = new Set([...this.#highlighted, ...highlights.keys()]);
    this.#highlighted = [...highlights.keys()];
    for (const name of this.#live ? this.#cells.keys() : touched) {
      const cell = this.#geometry?.cells.get(name);
      const own = highlights.get(name);
      const group = this.#cells.get(name);
      group?.setAttribute("class", ["cell", cell?.shape, ...(own ?? [])].join(" "));
      const stack = this.#position[name] ?? "";
      const threatened = own?.has("threatened") ?? false;
      if (this.#live) group?.setAttribute("aria-label", strings.cell(name, stack, threatened));
      if (own === undefined || cell === undefined || this.#geometry === undefined) continue;
      markers.push(...markersOf(this.#geometry, cell, own, stack !== ""));
      if (threatened) threats.push(threatMarker(this.#geometry, cell));
    }
    fill(this.#threatsLayer, threats);
    fill(this.#markersLayer, markers);
  }

  /**
   * @param {string} from
   * @param {string} to
   * @param {string} stack the pieces at the destination
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
  #fadeIn(name) {
    const group = this.#stacks.get(name)?.firstElementChild;
    group?.animate([{ transform: "scale(.4)", opacity: 0 }, { transform: "none", opacity: 1 }], {
      duration: FLIGHT_MS,
      easing: "cubic-bezier(.3, .1, .2, 1)",
    });
  }

  /** @param {Event} event */
  #onClick = (event) => {
    const place = cellOf(event.target);
    if (!this.#live || this.#drag.endsInClick || place === undefined) return;
    this.#focus(place.cell, false);
    this.#pick(place.cell, place.level, event instanceof MouseEvent && event.shiftKey);
  };

  /** @param {ReadonlySet<string>} movable */
  #showMovable(movable) {
    this.#movable = movable;
    for (const [name, group] of this.#cells) {
      for (const each of [group, this.#stacks.get(name)]) each?.toggleAttribute("data-movable", movable.has(name));
    }
    const { dragged } = this.#drag;
    // A piece that can no longer move is dropped: the game has gone on.
    if (dragged !== undefined && (!movable.has(dragged.cell) || !this.#position[dragged.cell])) this.#drag.cancel();
    else this.#drag.repeatMove();
  }

  /**
   * Draws the dragged pieces under the pointer, and the rest of the stack in its cell.
   * @param {Dragged} dragged
   * @param {Point} at
   * @param {string | undefined} over
   */
  #showDrag(dragged, at, over = "") {
    const cell = this.#geometry?.cells.get(dragged.cell);
    const place = this.#toBoard(at);
    if (cell === undefined || this.#geometry === undefined || place === undefined) return;
    const stack = this.#position[dragged.cell] ?? "";
    const from = this.#dragFrom(dragged);
    const drawn = `${dragged.cell} ${stack} ${from}`;
    if (drawn !== this.#dragDrawn) {
      this.#dragDrawn = drawn;
      const rest = svg("g", { transform: `translate(${cell.x} ${cell.y})` });
      rest.append(drawStack(this.#geometry, cell, stack.slice(0, from), this.#letters));
      const ghost = svg("g", { class: "ghost" });
      ghost.append(drawStack(this.#geometry, cell, stack, this.#letters, from));
      fill(this.#dragLayer, rest, ghost);
      // The stack stays in the document: touch events go to the element that was touched first.
      this.#stacks.get(dragged.cell)?.setAttribute("visibility", "hidden");
    }
    const own = this.#geometry.piece(cell, from);
    const ghost = this.#dragLayer.lastElementChild;
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
   * Returns the lowest dragged piece of a stack.
   * @param {Dragged} dragged
   */
  #dragFrom({ cell, level, all }) {
    const { length } = this.#position[cell] ?? "";
    if (all) return 0;
    if (level === undefined) return length - 1;
    return this.#draggedPieces === "" ? level : length - this.#draggedPieces.length;
  }

  /** Converts a point of the screen to board coordinates. @param {Point} at */
  #toBoard({ x, y }) {
    const matrix = this.querySelector("svg")?.getScreenCTM();
    return matrix ? new DOMPoint(x, y).matrixTransform(matrix.inverse()) : undefined;
  }

  /**
   * @param {Dragged} dragged
   * @param {string | undefined} over
   */
  #drop(dragged, over) {
    const pieces = (this.#position[dragged.cell] ?? "").length - this.#dragFrom(dragged);
    fill(this.#dragLayer);
    this.#dragDrawn = "";
    this.#hover("");
    delete this.dataset["dragging"];
    this.#stacks.get(dragged.cell)?.removeAttribute("visibility");
    if (over === undefined || over === dragged.cell) return this.#emit("release", {});
    this.#focus(over, false);
    return this.#emit("drop", { cell: over, pieces, all: dragged.all });
  }

  /** @param {KeyboardEvent} event */
  #onKeyDown = (event) => {
    if (!this.#live || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[event.key];
    if (arrow !== undefined && !event.shiftKey) {
      const next = this.#geometry?.nextInDirection(this.#focused, ...arrow);
      if (next !== undefined) this.#focus(next, true);
    } else if (event.key === " ") this.#pick(this.#focused, undefined, event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  /**
   * @param {string} cell
   * @param {number | undefined} level the clicked piece of the stack, 0 for the lowest
   * @param {boolean} other whether the second of two meanings is wanted
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

  /** Moves the keyboard's focus to the last focused cell. */
  takeFocus() {
    this.#focus(this.#focused, true);
  }

  /**
   * @param {string} name
   * @param {boolean} take whether to move the keyboard's focus, too
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
