// The goals of a board as bands along its edge. An edge that is the goal of several seats has a
// band with a strip for each, that of the seat which begins there the widest and outside.

import { open } from "./paths.js";

/** @import {LayoutCell, LayoutEdge} from "../wire.js" */
/** @import {Place} from "./geometry.js" */

/**
 * Distance of a goal's middle from the centres of its cells, and its extension beyond the outer
 * centres.
 */
const DISTANCE = 0.7;
const EXTENSION = 0.4;

/** Width of a goal. */
export const GOAL_WIDTH = 0.25;

/** The share of an edge's band that belongs to the seat which begins there. */
const MAIN_SHARE = 0.6;

/**
 * A strip along an edge of the board, in the colour of the seat whose goal it is.
 * @typedef {{ path: string, line: Place[], seat: number, width: number }} Goal
 */

/**
 * @param {readonly LayoutEdge[]} edges
 * @param {ReadonlyMap<string, LayoutCell>} cells
 * @param {Place} middle
 * @returns {Goal[]}
 */
export function goalsOf(edges, cells, middle) {
  /** @type {Map<string, { seats: number[], places: Place[] }>} */
  const shared = new Map();
  for (const edge of edges) {
    const key = [...edge.cells].sort().join(" ");
    const places = edge.cells.flatMap((name) => cells.get(name) ?? []);
    const goal = shared.get(key) ?? { seats: [], places };
    // The seat that begins at this edge comes first.
    if (edge.name === "home") goal.seats.unshift(edge.seat);
    else goal.seats.push(edge.seat);
    shared.set(key, goal);
  }
  return [...shared.values()].filter(({ places }) => places.length > 1).flatMap(({ seats, places }) => strips(seats, places, middle));
}

/**
 * @param {number[]} seats
 * @param {Place[]} places
 * @param {Place} middle
 * @returns {Goal[]}
 */
function strips(seats, places, middle) {
  const rest = seats.length > 1 ? (1 - MAIN_SHARE) / (seats.length - 1) : 1;
  let outer = DISTANCE + GOAL_WIDTH / 2;
  return seats.map((seat, index) => {
    const width = GOAL_WIDTH * (seats.length > 1 && index === 0 ? MAIN_SHARE : rest);
    const line = offsetOutwards(places, middle, outer - width / 2);
    outer -= width;
    return { seat, width, line, path: open(line) };
  });
}

/**
 * Returns a line through cells at the board's edge, moved outwards.
 * @param {Place[]} places
 * @param {Place} middle
 * @param {number} distance
 */
function offsetOutwards(places, middle, distance) {
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
      x: place.x + ((one.x + other.x) / miter) * distance,
      y: place.y + ((one.y + other.y) / miter) * distance,
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
  const by = EXTENSION / size;
  return [{ x: end.x + (end.x - next.x) * by, y: end.y + (end.y - next.y) * by }, next, ...rest];
}
