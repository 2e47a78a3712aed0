// Shapes of a layout: outlines, lines between points, goals, the view box, and neighbours by
// direction. It computes numbers and draws nothing.

/** @import {BoardLayout, LayoutCell, LayoutEdge} from "../wire.js" */

/** @typedef {{ x: number, y: number }} Place */

/** Distance of neighbours, with room for rounding. */
const NEIGHBOUR_MAX = 1.01;

/** Distance of a goal from the centres of its cells, and its extension beyond the outer centres. */
const GOAL_DISTANCE = 0.64;
const GOAL_EXTENSION = 0.32;

/** Margins around the outermost cells and goals. */
const [CELL_MARGIN, GOAL_MARGIN] = [0.62, 0.14];

/** Radius of a ring's hole, as a share of the distance to the centres of its sectors. */
const RING_HOLE = 0.4;

/** Levels of a sector, if the layout names none. */
const LEVELS_DEFAULT = 4;

/** Radius of pieces by shape. */
const PIECE_RADIUS = /** @type {Record<string, number>} */ ({ hex: 0.37, octagon: 0.35, square: 0.2 });

/** Radius of pieces in all other shapes. */
const PIECE_RADIUS_DEFAULT = 0.37;

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

const HEX = polygon(6, 0.5 / Math.cos(Math.PI / 6), 0);
const OCTAGON = polygon(8, 0.5 / Math.cos(Math.PI / 8), 0.5);
const SQUARE = polygon(4, Math.SQRT1_2 * (Math.SQRT2 - 1), 0);

/** @param {Place[]} places */
function closed(places) {
  return `M${places.map(({ x, y }) => `${round(x)} ${round(y)}`).join("L")}Z`;
}

/** @param {Place[]} places */
function open(places) {
  return `M${places.map(({ x, y }) => `${round(x)} ${round(y)}`).join("L")}`;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 1000) / 1000;
}

/**
 * The measures of a ring.
 * @typedef {object} Ring
 * @property {number} hole radius of the hole in the middle
 * @property {number} step thickness of a level
 * @property {number} half half of a sector's angle
 */

/** A board as shapes. */
export class Geometry {
  /** @param {BoardLayout} layout */
  constructor(layout) {
    /** @type {Map<string, LayoutCell>} */
    this.cells = new Map(layout.cells.map((cell) => [cell.name, cell]));
    this.middle = middleOf(layout.cells);
    this.levels = layout.levels ?? LEVELS_DEFAULT;
    this.ring = this.#ring();
    this.goals = goals(layout.edges, this.cells, this.middle);
    this.frame = this.#frame();
  }

  /** @returns {Ring | undefined} */
  #ring() {
    const sectors = [...this.cells.values()].filter((cell) => cell.shape === "sector");
    const [first] = sectors;
    if (first === undefined) return undefined;
    const radius = Math.hypot(first.x - this.middle.x, first.y - this.middle.y);
    const hole = radius * RING_HOLE;
    return { hole, step: (2 * (radius - hole)) / this.levels, half: Math.PI / sectors.length };
  }

  /**
   * Returns the outline of a cell, relative to its centre.
   * @param {LayoutCell} cell
   * @returns {string}
   */
  outline(cell) {
    switch (cell.shape) {
      case "hex":
        return closed(HEX);
      case "octagon":
        return closed(OCTAGON);
      case "square":
        return closed(SQUARE);
      case "sector":
        return this.#wedge(cell, 0, this.levels);
      default:
        return "M-.5 0a.5 .5 0 1 0 1 0a.5 .5 0 1 0 -1 0Z";
    }
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
      r: Math.min(step * 0.44, (hole + step * 0.5) * Math.sin(half) * 0.9),
    };
  }

  /**
   * Returns the place of a cell's name, relative to its centre.
   * @param {LayoutCell} cell
   * @returns {Place}
   */
  label(cell) {
    if (cell.shape === "hex") return { x: 0, y: 0.47 };
    if (cell.shape === "point") return { x: 0, y: 0.27 };
    if (this.ring === undefined || cell.shape !== "sector") return { x: 0, y: 0 };
    const radius = this.ring.hole + this.levels * this.ring.step + 0.22;
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

  #frame() {
    const xs = [...this.cells.values()].map((cell) => cell.x);
    const ys = [...this.cells.values()].map((cell) => cell.y);
    if (this.ring !== undefined) {
      const radius = this.ring.hole + this.levels * this.ring.step + 0.45;
      const { x, y } = this.middle;
      return { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius };
    }
    const line = this.goals.flatMap((goal) => goal.line);
    const range = (/** @type {number[]} */ cells, /** @type {number[]} */ goals) => [
      Math.min(Math.min(...cells) - CELL_MARGIN, Math.min(...goals) - GOAL_MARGIN),
      Math.max(Math.max(...cells) + CELL_MARGIN, Math.max(...goals) + GOAL_MARGIN),
    ];
    const [left = 0, right = 0] = range(xs, line.map((place) => place.x));
    const [top = 0, bottom = 0] = range(ys, line.map((place) => place.y));
    return { x: left, y: top, width: right - left, height: bottom - top };
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
    let best;
    let least = Number.POSITIVE_INFINITY;
    for (const cell of this.cells.values()) {
      const [x, y] = [cell.x - here.x, cell.y - here.y];
      const ahead = x * dx + y * dy;
      const aside = Math.abs(x * dy - y * dx);
      if (ahead < 0.1 || aside > ahead * 1.8) continue;
      const cost = ahead + aside * 1.6;
      if (cost < least) [best, least] = [cell.name, cost];
    }
    return best;
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
 * A line along an edge of the board, and the seats whose goal it is.
 * @typedef {{ path: string, line: Place[], seats: number[] }} Goal
 */

/**
 * @param {LayoutEdge[]} edges
 * @param {Map<string, LayoutCell>} cells
 * @param {Place} middle
 * @returns {Goal[]}
 */
function goals(edges, cells, middle) {
  /** @type {Map<string, { seats: number[], places: Place[] }>} */
  const shared = new Map();
  for (const edge of edges) {
    const key = [...edge.cells].sort().join(" ");
    const places = edge.cells.flatMap((name) => cells.get(name) ?? []);
    const goal = shared.get(key) ?? { seats: [], places };
    goal.seats.push(edge.seat);
    shared.set(key, goal);
  }
  return [...shared.values()]
    .filter(({ places }) => places.length > 1)
    .map(({ seats, places }) => {
      const line = offsetOutwards(places, middle);
      return { seats, line, path: open(line) };
    });
}

/**
 * Returns a line through cells at the board's edge, moved outwards.
 * @param {Place[]} places
 * @param {Place} middle
 */
function offsetOutwards(places, middle) {
  const own = {
    x: places.reduce((sum, place) => sum + place.x, 0) / places.length - middle.x,
    y: places.reduce((sum, place) => sum + place.y, 0) / places.length - middle.y,
  };
  const length = Math.hypot(own.x, own.y) || 1;
  const out = { x: own.x / length, y: own.y / length };
  const along = (/** @type {Place} */ place) => place.y * out.x - place.x * out.y;
  const sorted = [...places].sort((one, other) => along(one) - along(other));
  const normals = sorted.slice(1).map((place, index) => {
    const before = /** @type {Place} */ (sorted[index]);
    const [dx, dy] = [place.x - before.x, place.y - before.y];
    const size = Math.hypot(dx, dy) || 1;
    // In this order the outside is always on the same side.
    return { x: dy / size, y: -dx / size };
  });
  const line = sorted.map((place, index) => {
    const one = normals[index - 1] ?? normals[index] ?? out;
    const other = normals[index] ?? one;
    const miter = 1 + one.x * other.x + one.y * other.y;
    return {
      x: place.x + ((one.x + other.x) / miter) * GOAL_DISTANCE,
      y: place.y + ((one.y + other.y) / miter) * GOAL_DISTANCE,
    };
  });
  return extendStart(extendStart(line).reverse()).reverse();
}

/**
 * Returns the line with its first end further out.
 * @param {Place[]} line
 */
function extendStart(line) {
  const [end, next, ...rest] = line;
  if (end === undefined || next === undefined) return line;
  const size = Math.hypot(end.x - next.x, end.y - next.y) || 1;
  const by = GOAL_EXTENSION / size;
  return [{ x: end.x + (end.x - next.x) * by, y: end.y + (end.y - next.y) * by }, next, ...rest];
}
