// Shapes of a layout, turned so that a seat's side is down: outlines, lines between points, places
// of pieces, the view box, and neighbours by direction. It computes numbers and draws nothing.

import { bounds, edgeLabels } from "./coordinates.js";
import { goalsOf } from "./goals.js";
import { circle, closed, open, round } from "./paths.js";

/** @import {BoardLayout, LayoutCell} from "../wire.js" */
/** @import {Position} from "./changes.js" */

/** @typedef {{ x: number, y: number }} Place */
/** @typedef {{ x: number, y: number, width: number, height: number }} Frame */

/** Distance of neighbours, with room for rounding. */
const NEIGHBOUR_MAX = 1.01;

/** Radius of a ring's hole, as a share of the distance to the centres of its sectors. */
const RING_HOLE = 0.4;

/** Distance of the names of sectors from the ring. */
const RING_LABEL = 0.24;

/** Levels of a sector, if the layout names none. */
const LEVELS_DEFAULT = 4;

/** Radius of pieces by shape, and in all other shapes. */
const PIECE_RADIUS = /** @type {Record<string, number>} */ ({ hex: 0.36, octagon: 0.37, square: 0.2, point: 0.39 });
const PIECE_RADIUS_DEFAULT = 0.37;

/** Radius of the circle within a cell, by shape, and in all other shapes. */
const CELL_RADIUS = /** @type {Record<string, number>} */ ({ square: (Math.SQRT2 - 1) / 2 });
const CELL_RADIUS_DEFAULT = 0.5;

/** The step that the board is turned by: every shape looks alike after it. */
const TURN_STEP = Math.PI / 6;

/**
 * @param {number} corners
 * @param {number} radius
 * @param {number} turn of the first corner, as a share of a corner's angle
 * @returns {Place[]}
 */
function polygon(corners, radius, turn) {
  return Array.from({ length: corners }, (_, corner) => {
    const angle = ((corner + turn) * 2 * Math.PI) / corners;
    return { x: radius * Math.sin(angle), y: -radius * Math.cos(angle) };
  });
}

const POLYGONS = /** @type {Record<string, Place[]>} */ ({
  hex: polygon(6, 0.5 / Math.cos(Math.PI / 6), 0),
  octagon: polygon(8, 0.5 / Math.cos(Math.PI / 8), 0.5),
  square: polygon(4, Math.SQRT1_2 * (Math.SQRT2 - 1), 0),
});

/**
 * @param {Place} place
 * @param {Place} middle
 * @param {number} angle clockwise
 * @returns {Place}
 */
function turned({ x, y }, middle, angle) {
  const [dx, dy] = [x - middle.x, y - middle.y];
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return { x: middle.x + dx * cos - dy * sin, y: middle.y + dx * sin + dy * cos };
}

/**
 * The measures of a ring.
 * @typedef {object} Ring
 * @property {number} hole radius of the hole in the middle
 * @property {number} step thickness of a level
 * @property {number} half half of a sector's angle
 * @property {number} outer radius of the whole ring
 */

/** A board as shapes. */
export class Geometry {
  /**
   * @param {BoardLayout} layout
   * @param {{ seat?: number, start?: Position, flipped?: boolean, edge?: boolean }} [how] the seat whose
   *   side is down, the position before the first move, whether the board is turned round, and
   *   whether names stand along its edge
   */
  constructor(layout, { seat = 0, start = {}, flipped = false, edge = false } = {}) {
    this.middle = middleOf(layout.cells);
    this.turn = turnOf(layout, seat, start, this.middle) + (flipped ? Math.PI : 0);
    /** @type {Map<string, LayoutCell>} */
    this.cells = new Map(layout.cells.map((cell) => [cell.name, { ...cell, ...turned(cell, this.middle, this.turn) }]));
    this.levels = layout.levels ?? LEVELS_DEFAULT;
    this.ring = this.#ring();
    this.goals = goalsOf(layout.edges, this.cells, this.middle);
    /** The names along the edge. */
    this.labels = edge && this.ring === undefined ? edgeLabels([...this.cells.values()], this.goals) : [];
    this.frame = this.#frame(edge);
  }

  /** @returns {Ring | undefined} */
  #ring() {
    const sectors = [...this.cells.values()].filter((cell) => cell.shape === "sector");
    const [first] = sectors;
    if (first === undefined) return undefined;
    const radius = Math.hypot(first.x - this.middle.x, first.y - this.middle.y);
    const hole = radius * RING_HOLE;
    const step = (2 * (radius - hole)) / this.levels;
    return { hole, step, half: Math.PI / sectors.length, outer: hole + this.levels * step };
  }

  /**
   * Returns the outline of a cell, relative to its centre.
   * @param {LayoutCell} cell
   * @returns {string}
   */
  outline(cell) {
    if (cell.shape === "sector") return this.#wedge(cell, 0, this.levels);
    const corners = POLYGONS[cell.shape];
    if (corners === undefined) return circle(CELL_RADIUS_DEFAULT);
    return closed(corners.map((corner) => turned(corner, { x: 0, y: 0 }, this.turn)));
  }

  /**
   * Returns the outline of some levels of a sector, relative to the cell's centre.
   * @param {LayoutCell} cell
   * @param {number} from
   * @param {number} to
   */
  #wedge(cell, from, to) {
    if (this.ring === undefined) return "";
    const { hole, step, half } = this.ring;
    const towards = Math.atan2(cell.y - this.middle.y, cell.x - this.middle.x);
    const inner = hole + from * step;
    const outer = hole + to * step;
    const at = (/** @type {number} */ radius, /** @type {number} */ angle) => {
      const x = this.middle.x + radius * Math.cos(towards + angle) - cell.x;
      const y = this.middle.y + radius * Math.sin(towards + angle) - cell.y;
      return `${round(x)} ${round(y)}`;
    };
    return (
      `M${at(inner, -half)}L${at(outer, -half)}A${round(outer)} ${round(outer)} 0 0 1 ${at(outer, half)}` +
      `L${at(inner, half)}A${round(inner)} ${round(inner)} 0 0 0 ${at(inner, -half)}Z`
    );
  }

  /**
   * Returns the radii of the circles between the levels of a ring.
   * @returns {number[]}
   */
  levelCircles() {
    const { ring } = this;
    if (ring === undefined) return [];
    return Array.from({ length: this.levels - 1 }, (_, level) => ring.hole + (level + 1) * ring.step);
  }

  /**
   * Returns the place and the radius of a piece, relative to its cell's centre.
   * @param {LayoutCell} cell
   * @param {number} level 0 for the lowest piece
   */
  piece(cell, level) {
    if (this.ring === undefined || cell.shape !== "sector") {
      return { x: 0, y: 0, r: PIECE_RADIUS[cell.shape] ?? PIECE_RADIUS_DEFAULT };
    }
    const { hole, step, half } = this.ring;
    const radius = hole + (level + 0.5) * step;
    const towards = Math.atan2(cell.y - this.middle.y, cell.x - this.middle.x);
    return {
      x: this.middle.x + radius * Math.cos(towards) - cell.x,
      y: this.middle.y + radius * Math.sin(towards) - cell.y,
      r: Math.min(step * 0.46, (hole + step * 0.5) * Math.sin(half) * 0.92),
    };
  }

  /**
   * Returns the radius of the circle within a cell.
   * @param {LayoutCell} cell
   */
  cellRadius(cell) {
    return CELL_RADIUS[cell.shape] ?? CELL_RADIUS_DEFAULT;
  }

  /**
   * Returns the place of a cell's name, relative to its centre.
   * @param {LayoutCell} cell
   * @returns {Place}
   */
  label(cell) {
    if (cell.shape === "hex") return { x: 0, y: 0.49 };
    if (cell.shape === "point") return { x: 0, y: 0.29 };
    if (this.ring === undefined || cell.shape !== "sector") return { x: 0, y: 0 };
    const radius = this.ring.outer + RING_LABEL;
    const towards = Math.atan2(cell.y - this.middle.y, cell.x - this.middle.x);
    return {
      x: this.middle.x + radius * Math.cos(towards) - cell.x,
      y: this.middle.y + radius * Math.sin(towards) - cell.y,
    };
  }

  /**
   * Returns the lines between neighbouring points, as one path.
   * @returns {string}
   */
  links() {
    const points = [...this.cells.values()].filter((cell) => cell.shape === "point");
    let path = "";
    points.forEach((one, index) => {
      for (const other of points.slice(index + 1)) {
        if (Math.hypot(one.x - other.x, one.y - other.y) <= NEIGHBOUR_MAX) path += open([one, other]);
      }
    });
    return path;
  }

  /**
   * @param {boolean} edge whether names stand along the edge
   * @returns {Frame}
   */
  #frame(edge) {
    if (this.ring !== undefined) {
      const radius = this.ring.outer + (edge ? 0.47 : 0.14);
      const { x, y } = this.middle;
      return { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius };
    }
    return bounds([...this.cells.values()], this.goals, this.labels);
  }

  /**
   * Returns the nearest cell in a direction, for arrow keys.
   * @param {string} from
   * @param {number} dx
   * @param {number} dy
   * @returns {string | undefined}
   */
  nextInDirection(from, dx, dy) {
    const here = this.cells.get(from);
    if (here === undefined) return undefined;
    // Left and right stay in a row; up and down go to the next row, even between two cells of this.
    const sideways = dx === 0 ? 0.9 : 1.6;
    let best;
    let least = Number.POSITIVE_INFINITY;
    for (const cell of this.cells.values()) {
      const [x, y] = [cell.x - here.x, cell.y - here.y];
      const ahead = x * dx + y * dy;
      const aside = Math.abs(x * dy - y * dx);
      if (ahead < 0.1 || aside > ahead * 1.8) continue;
      const cost = ahead + aside * sideways;
      if (cost < least) [best, least] = [cell.name, cost];
    }
    return best;
  }

  /**
   * Returns the cells in rows from the top, each from the left.
   * @returns {LayoutCell[][]}
   */
  rows() {
    /** @type {Map<number, LayoutCell[]>} */
    const rows = new Map();
    for (const cell of this.cells.values()) {
      const y = Math.round(cell.y * 100);
      rows.set(y, [...(rows.get(y) ?? []), cell]);
    }
    const sorted = [...rows].sort(([one], [other]) => one - other).map(([, row]) => row);
    for (const row of sorted) row.sort((one, other) => one.x - other.x);
    return sorted;
  }
}

/** @param {LayoutCell[]} cells */
function middleOf(cells) {
  const xs = cells.map((cell) => cell.x);
  const ys = cells.map((cell) => cell.y);
  return {
    x: (Math.min(...xs) + Math.max(...xs)) / 2,
    y: (Math.min(...ys) + Math.max(...ys)) / 2,
  };
}

/**
 * Returns the angle that brings a seat's side down: where its pieces begin, if they begin on one
 * side of the board.
 * @param {BoardLayout} layout
 * @param {number} seat
 * @param {Position} start
 * @param {Place} middle
 */
function turnOf(layout, seat, start, middle) {
  const letters = layout.letters[seat] ?? "";
  const edge = layout.edges.find((each) => each.seat === seat && each.name === "home");
  const home = edge?.cells ?? Object.keys(start).filter((cell) => letters.includes(start[cell]?.charAt(0) ?? " "));
  const own = layout.cells.filter((cell) => home.includes(cell.name));
  const x = own.reduce((sum, cell) => sum + cell.x - middle.x, 0);
  const y = own.reduce((sum, cell) => sum + cell.y - middle.y, 0);
  if (Math.hypot(x, y) < 0.1) return 0;
  return Math.round((Math.PI / 2 - Math.atan2(y, x)) / TURN_STEP) * TURN_STEP;
}
