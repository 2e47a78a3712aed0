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

/** What the rim adds to the width of a goal whose colour is that of the ground. */
export const GOAL_RIM = 0.07;

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
  const goals = edges.map((edge) => ({ ...edge, cells: inOrder(edge.cells, cells, middle) })).filter((goal) => goal.cells.length > 1);
  /** The goals that hold the way from one cell to the next, by the names of both. @type {Map<string, Set<number>>} */
  const holders = new Map();
  goals.forEach((goal, index) => {
    for (const way of waysOf(goal.cells)) holders.set(way, (holders.get(way) ?? new Set()).add(index));
  });
  // Each run of ways that the same goals hold is drawn once, with a strip for each.
  return goals.flatMap((goal, index) => {
    const ways = waysOf(goal.cells).map((way) => [...(holders.get(way) ?? [])]);
    const starts = ways.flatMap((held, at) => (at === 0 || held.join() !== ways[at - 1]?.join() ? [at] : []));
    return starts.flatMap((start, run) => {
      const held = ways[start] ?? [];
      if (held[0] !== index) return [];
      const places = goal.cells.slice(start, (starts[run + 1] ?? ways.length) + 1).flatMap((name) => cells.get(name) ?? []);
      // The seat that begins at this edge comes first.
      const seats = held.flatMap((each) => goals[each] ?? []).sort((one, other) => Number(other.name === "home") - Number(one.name === "home"));
      return strips(seats.map(({ seat }) => seat), places, middle);
    });
  });
}

/** @param {readonly string[]} names of cells in order */
function waysOf(names) {
  return names.slice(1).map((name, index) => [names[index], name].sort().join(" "));
}

/**
 * @param {number[]} seats
 * @param {Place[]} places in order
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
 * Returns the direction from the board's middle to that of some places.
 * @param {Place[]} places
 * @param {Place} middle
 */
function outwards(places, middle) {
  const own = {
    x: places.reduce((sum, place) => sum + place.x, 0) / places.length - middle.x,
    y: places.reduce((sum, place) => sum + place.y, 0) / places.length - middle.y,
  };
  const length = Math.hypot(own.x, own.y) || 1;
  return { x: own.x / length, y: own.y / length };
}

/**
 * Returns the cells of an edge in order along it.
 * @param {readonly string[]} names
 * @param {ReadonlyMap<string, LayoutCell>} cells
 * @param {Place} middle
 */
function inOrder(names, cells, middle) {
  const known = names.flatMap((name) => cells.get(name) ?? []);
  const out = outwards(known, middle);
  const along = (/** @type {Place} */ place) => place.y * out.x - place.x * out.y;
  return known.sort((one, other) => along(one) - along(other)).map(({ name }) => name);
}

/**
 * Returns a line through cells at the board's edge, moved outwards.
 * @param {Place[]} places in order along the edge
 * @param {Place} middle
 * @param {number} distance
 */
function offsetOutwards(places, middle, distance) {
  const out = outwards(places, middle);
  const normals = places.slice(1).map((place, index) => {
    const before = /** @type {Place} */ (places[index]);
    const [dx, dy] = [place.x - before.x, place.y - before.y];
    const size = Math.hypot(dx, dy) || 1;
    // In this order the outside is always on the same side.
    return { x: dy / size, y: -dx / size };
  });
  const line = places.map((place, index) => {
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
