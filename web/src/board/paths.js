// Paths of SVG from places.

/** @import {Place} from "./geometry.js" */

/** @param {number} value */
export function round(value) {
  return Math.round(value * 1000) / 1000;
}

/**
 * Returns a path through places.
 * @param {Place[]} places
 */
export function open(places) {
  return `M${places.map(({ x, y }) => `${round(x)} ${round(y)}`).join("L")}`;
}

/**
 * Returns a path through places and back.
 * @param {Place[]} places
 */
export function closed(places) {
  return `${open(places)}Z`;
}

/**
 * Returns a circle as a path.
 * @param {number} r
 * @param {Place} [middle]
 */
export function circle(r, { x, y } = { x: 0, y: 0 }) {
  return `M${round(x - r)} ${round(y)}a${round(r)} ${round(r)} 0 1 0 ${round(2 * r)} 0a${round(r)} ${round(r)} 0 1 0 ${round(-2 * r)} 0Z`;
}
