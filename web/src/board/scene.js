// The drawing of one board: its cells, the pieces on them, and all marks. It knows no input.

import { fill, svg } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { cellName } from "./cell_names.js";
import { changes } from "./changes.js";
import { arrows, chosenRing, markersOver, markersUnder, winningChain } from "./markers.js";
import { GOAL_RIM, GOAL_WIDTH } from "./goals.js";
import { drawStack } from "./pieces.js";

/** @import {LayoutCell} from "../wire.js" */
/** @import {BoardView} from "./board.js" */
/** @import {Position} from "./changes.js" */
/** @import {Geometry} from "./geometry.js" */
/** @import {Letters, Style} from "./pieces.js" */
/** @import {Reader} from "./cell_names.js" */

/** Duration of an animation, in milliseconds. */
const FLIGHT_MS = 260;
const EASING = "cubic-bezier(.3, .1, .2, 1)";

/** Size of the names along the edge, as a share of the board's width. */
const LABEL_SIZE = 0.026;

/** Distance of the outer edge of the board from its outer cells. */
const RIM = 0.3;

/**
 * How a board is drawn.
 * @typedef {object} Look
 * @property {boolean} live whether its cells react
 * @property {"cells" | "edge" | "off"} coordinates
 * @property {Style} style
 * @property {string} name the board's name for screen readers
 * @property {Reader} reader
 */

export class Scene {
  /** @type {SVGSVGElement} */
  element;
  geometry;
  /** The group of each cell. @type {Map<string, SVGGElement>} */
  cells = new Map();
  /** The pieces of each cell. @type {Map<string, SVGGElement>} */
  stacks = new Map();
  /** What is drawn. @type {Position} */
  position = {};
  #look;
  #letters;
  /** Cells that have highlights. @type {string[]} */
  #highlighted = [];
  /** Cells of the preview. @type {string[]} */
  #previewed = [];
  #under = layer("markers");
  #pieces = layer("pieces");
  #over = layer("markers");
  #pressed = layer("markers");
  #drag = layer("drag");
  #focus = layer("markers");

  /**
   * @param {Geometry} geometry
   * @param {Letters} letters
   * @param {Look} look
   */
  constructor(geometry, letters, look) {
    this.geometry = geometry;
    this.#letters = letters;
    this.#look = look;
    const { x, y, width, height } = geometry.frame;
    this.element = svg("svg", { viewBox: `${x} ${y} ${width} ${height}`, role: look.live ? "grid" : "img", "aria-label": look.name });
    this.element.append(this.#ground(), this.#cellsLayer(), this.#labels(), this.#under, this.#pieces, this.#over, this.#pressed, this.#drag, this.#focus);
  }

  /** The ground: the board itself, lines between points, and goals. */
  #ground() {
    const { geometry } = this;
    const ground = layer(this.#look.style.shadows ? "ground raised" : "ground");
    const links = geometry.links();
    if (links !== "") ground.append(svg("path", { class: "land-rim", d: links }));
    else ground.append(this.#surface("plate", RIM));
    ground.append(...this.#goals());
    if (links !== "") ground.append(svg("path", { class: "land", d: links }), svg("path", { class: "grain", d: links }), svg("path", { class: "links", d: links }));
    return ground;
  }

  #goals() {
    const { goals } = this.geometry;
    return goals.flatMap(({ path, seat, width }) => [
      svg("path", { class: `goal-rim seat${seat}`, d: path, "stroke-width": width + GOAL_RIM }),
      svg("path", { class: `goal seat${seat}`, d: path, "stroke-width": width }),
      ...(width > GOAL_WIDTH / 2 ? [svg("path", { class: `goal-pattern seat${seat}`, d: path })] : []),
    ]);
  }

  /**
   * The whole board as one shape.
   * @param {string} name
   * @param {number} rim width of its edge
   */
  #surface(name, rim) {
    const { ring, middle, cells } = this.geometry;
    if (ring !== undefined) {
      const r = (ring.hole + ring.outer) / 2;
      return svg("circle", { class: `${name} ring`, cx: middle.x, cy: middle.y, r, "stroke-width": ring.outer - ring.hole + rim / 2 });
    }
    if (![...cells.values()].some((cell) => cell.shape === "octagon")) {
      return svg("path", { class: name, d: [...cells.keys()].map((cell) => this.#outlineAt(cell)).join(""), "stroke-width": rim });
    }
    // Octagons and squares fill a rectangle but for its corners and notches.
    const [xs, ys] = [[...cells.values()].map((cell) => cell.x), [...cells.values()].map((cell) => cell.y)];
    const [x, y] = [Math.min(...xs) - 0.5, Math.min(...ys) - 0.5];
    return svg("rect", { class: name, x, y, width: Math.max(...xs) + 0.5 - x, height: Math.max(...ys) + 0.5 - y, "stroke-width": rim / 4 });
  }

  /** @param {string} name */
  #outlineAt(name) {
    const cell = /** @type {LayoutCell} */ (this.geometry.cells.get(name));
    // The outline begins at a corner, which is relative to the middle of the cell.
    const [x = 0, y = 0] = [cell.x, cell.y];
    return this.geometry.outline(cell).replace(/([ML])(\S+) (\S+?)(?=[LZ])/g, (_, letter, dx, dy) => `${letter}${(x + Number(dx)).toFixed(3)} ${(y + Number(dy)).toFixed(3)}`);
  }

  #cellsLayer() {
    const { geometry } = this;
    const cells = layer("cells");
    for (const row of geometry.rows()) {
      const group = svg("g", { role: this.#look.live ? "row" : undefined });
      for (const cell of row) group.append(this.#cell(cell));
      cells.append(group);
    }
    const { x, y } = geometry.middle;
    if (geometry.cells.values().next().value?.shape !== "point") cells.append(this.#surface("grain", 0));
    for (const r of geometry.levelCircles()) cells.append(svg("circle", { class: "level", cx: x, cy: y, r }));
    return cells;
  }

  /** @param {LayoutCell} cell */
  #cell(cell) {
    const { live, coordinates } = this.#look;
    const group = svg("g", { class: `cell ${cell.shape}`, transform: `translate(${cell.x} ${cell.y})`, "data-cell": cell.name });
    group.append(svg("path", { class: "area", d: this.geometry.outline(cell) }));
    if (cell.shape === "point") group.append(svg("circle", { class: "dot", r: 0.085 }));
    if (coordinates === "cells" || (coordinates === "edge" && cell.shape === "sector")) {
      const text = svg("text", { class: "label", ...this.geometry.label(cell) });
      text.textContent = cell.name;
      group.append(text);
    }
    if (live) {
      group.setAttribute("role", "gridcell");
      group.setAttribute("tabindex", "-1");
    }
    this.cells.set(cell.name, group);
    return group;
  }

  /** The names along the edge. */
  #labels() {
    const labels = layer("edge-labels");
    labels.setAttribute("font-size", String(this.geometry.frame.width * LABEL_SIZE));
    labels.setAttribute("aria-hidden", "true");
    for (const { x, y, text } of this.geometry.labels) {
      const label = svg("text", { x, y });
      label.textContent = text;
      labels.append(label);
    }
    return labels;
  }

  /**
   * @param {BoardView} view
   * @param {boolean} animated
   */
  show(view, animated) {
    const shown = view.preview ?? view.position;
    const before = this.position;
    const { lost, gained, flights } = changes(before, shown);
    for (const name of [...lost, ...gained]) this.#drawStack(name, shown[name] ?? "");
    this.position = shown;
    this.press(undefined);
    this.#showPreview(view);
    this.#showMarks(view);
    if (!animated || Object.keys(before).length === 0) return;
    for (const { from, to } of flights) this.#fly(from, to);
    if (flights.length === 0) for (const name of gained) this.#fadeIn(name);
  }

  /**
   * @param {string} name
   * @param {string} stack
   */
  #drawStack(name, stack) {
    this.stacks.get(name)?.remove();
    this.stacks.delete(name);
    const cell = this.geometry.cells.get(name);
    if (cell === undefined || stack === "") return;
    const group = svg("g", { transform: `translate(${cell.x} ${cell.y})`, "data-cell": name });
    group.append(this.drawPieces(cell, stack));
    this.stacks.set(name, group);
    // A tall stack covers what stands behind it.
    const next = [...this.#pieces.children].find((each) => this.#yOf(each) > cell.y + 0.01);
    this.#pieces.insertBefore(group, next ?? null);
  }

  /** @param {Element} stack */
  #yOf(stack) {
    return this.geometry.cells.get(stack.getAttribute("data-cell") ?? "")?.y ?? 0;
  }

  /**
   * @param {LayoutCell} cell
   * @param {string} stack
   * @param {number} [from] the lowest piece to draw
   */
  drawPieces(cell, stack, from = 0) {
    return drawStack(this.geometry, cell, stack, this.#letters, this.#look.style, from);
  }

  /** Draws the sketched move as not made yet, or as sent. @param {BoardView} view */
  #showPreview({ position, preview, sent = false }) {
    for (const name of this.#previewed) this.stacks.get(name)?.classList.remove("preview", "sent");
    const { lost, gained } = preview === undefined ? { lost: [], gained: [] } : changes(position, preview);
    this.#previewed = [...lost, ...gained];
    for (const name of this.#previewed) this.stacks.get(name)?.classList.add(sent ? "sent" : "preview");
  }

  /** @param {BoardView} view */
  #showMarks({ position, preview, sent = false, highlights, path = [], suggested = [], winning = [], pickable }) {
    const { geometry } = this;
    const lit = new Set(winning);
    const [under, over] = [winningChain(geometry, winning), /** @type {SVGElement[]} */ ([])];
    under.push(...arrows(geometry, path, position, "last-path"));
    over.push(...arrows(geometry, suggested, position, "suggested-path"));
    if (preview !== undefined) under.push(...arrows(geometry, changes(position, preview).flights, preview, sent ? "sent-path" : "planned-path"));
    // Cells without highlights stay as they are: a page may have many boards with many cells.
    const touched = new Set([...this.#highlighted, ...highlights.keys(), ...winning]);
    this.#highlighted = [...highlights.keys(), ...winning];
    for (const name of this.#look.live ? this.cells.keys() : touched) {
      const cell = geometry.cells.get(name);
      const group = this.cells.get(name);
      if (cell === undefined || group === undefined) continue;
      const own = highlights.get(name);
      const classes = ["cell", cell.shape, ...(own ?? []), lit.has(name) ? "winning" : ""].join(" ").trimEnd();
      if (group.getAttribute("class") !== classes) group.setAttribute("class", classes);
      const stack = this.position[name] ?? "";
      if (this.#look.live) this.#describe(group, name, stack, own, pickable?.has(name) ?? false);
      if (own === undefined) continue;
      under.push(...markersUnder(geometry, cell, own, stack !== ""));
      over.push(...markersOver(geometry, cell, own, stack.length));
    }
    fill(this.#under, under);
    fill(this.#over, over);
  }

  /**
   * Tells screen readers what is on a cell and what can be done there.
   * @param {SVGGElement} group
   * @param {string} name
   * @param {string} stack
   * @param {BoardView["highlights"] extends ReadonlyMap<string, infer Own> ? Own | undefined : never} highlights
   * @param {boolean} pickable
   */
  #describe(group, name, stack, highlights, pickable) {
    const label = cellName(name, stack, highlights, this.#look.reader, this.#letters);
    if (group.getAttribute("aria-label") !== label) group.setAttribute("aria-label", label);
    const chosen = highlights?.has("chosen") ?? false;
    if (chosen || pickable) group.setAttribute("aria-selected", String(chosen));
    else group.removeAttribute("aria-selected");
    for (const each of [group, this.stacks.get(name)]) each?.toggleAttribute("data-can", pickable);
  }

  /**
   * Marks a cell as chosen until the next change.
   * @param {string | undefined} name
   */
  press(name) {
    const cell = this.geometry.cells.get(name ?? "");
    if (cell === undefined && this.#pressed.firstChild === null) return;
    fill(this.#pressed, cell && chosenRing(this.geometry, cell));
  }

  /**
   * Draws the keyboard's focus over everything else.
   * @param {string | undefined} name
   */
  focus(name) {
    const cell = this.geometry.cells.get(name ?? "");
    const ring = cell && svg("path", { class: "focus-ring", d: this.geometry.outline(cell), transform: `translate(${cell.x} ${cell.y})` });
    fill(this.#focus, ring);
  }

  /**
   * Draws dragged pieces under the pointer, and the rest of the stack in its cell.
   * @param {LayoutCell} cell
   * @param {number} from the lowest dragged piece
   */
  lift(cell, from) {
    const stack = this.position[cell.name] ?? "";
    const rest = svg("g", { transform: `translate(${cell.x} ${cell.y})` });
    rest.append(this.drawPieces(cell, stack.slice(0, from)));
    const ghost = svg("g", { class: "ghost" });
    ghost.append(this.drawPieces(cell, stack, from));
    fill(this.#drag, rest, ghost);
    // The stack stays in the document: touch events go to the element that was touched first.
    this.stacks.get(cell.name)?.setAttribute("visibility", "hidden");
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  moveLifted(x, y) {
    this.#drag.lastElementChild?.setAttribute("transform", `translate(${x} ${y})`);
  }

  /** @param {string} name the cell whose pieces were dragged */
  putDown(name) {
    fill(this.#drag);
    this.stacks.get(name)?.removeAttribute("visibility");
  }

  /**
   * Shakes a cell and what stands on it.
   * @param {string} name
   * @param {boolean} animated
   */
  shake(name, animated) {
    const cell = this.geometry.cells.get(name);
    if (cell === undefined) return;
    const mark = svg("path", { class: "refused", d: this.geometry.outline(cell), transform: `translate(${cell.x} ${cell.y})` });
    this.#over.append(mark);
    mark.animate([{ opacity: 1 }, { opacity: 0 }], { duration: 700, easing: "ease-in" }).finished.then(() => mark.remove(), () => mark.remove());
    const shaken = this.stacks.get(name)?.firstElementChild;
    const at = (/** @type {number} */ x) => ({ transform: `translateX(${x}px)` });
    if (animated) shaken?.animate([0, 0.07, -0.07, 0.05, -0.04, 0.02, 0].map(at), { duration: 380 });
  }

  /**
   * @param {string} from
   * @param {string} to
   */
  #fly(from, to) {
    const [start, end] = [this.geometry.cells.get(from), this.geometry.cells.get(to)];
    const group = this.stacks.get(to)?.firstElementChild;
    if (start === undefined || end === undefined || !group) return;
    const away = `translate(${start.x - end.x}px, ${start.y - end.y}px)`;
    group.animate([{ transform: away }, { transform: "none" }], { duration: FLIGHT_MS, easing: EASING });
  }

  /** @param {string} name */
  #fadeIn(name) {
    const group = this.stacks.get(name)?.firstElementChild;
    group?.animate([{ transform: "scale(1.25)", opacity: 0 }, { transform: "none", opacity: 1 }], { duration: FLIGHT_MS, easing: EASING });
  }
}

/** @param {string} name */
function layer(name) {
  return svg("g", { class: name });
}

/** The name of a board without players. */
export const BOARD_NAME = strings.board.name;
