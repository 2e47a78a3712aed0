// Which cell a finger means: the one that it touches, or the nearest one in reach where something
// can be done.

/** @import {Geometry, Place} from "./geometry.js" */

/** How far beside a cell a finger may come down and still mean it, in pixels of the screen. */
const REACH_PX = 20;

/** By how much a cell is preferred where something can be done, in cells. */
const SMALLEST_BONUS = 0.12;

/**
 * @param {Geometry} geometry
 * @param {Place} at in board coordinates
 * @param {ReadonlySet<string>} pickable cells where something can be done
 * @param {number} scale pixels of the screen in a cell
 * @returns {string | undefined}
 */
export function nearestCell(geometry, at, pickable, scale) {
  let best;
  let least = REACH_PX / scale;
  for (const name of pickable) {
    const cell = geometry.cells.get(name);
    if (cell === undefined || cell.shape === "sector") continue;
    const radius = geometry.cellRadius(cell);
    // A small cell between large ones is hard to touch: its reach is a little wider.
    const distance = Math.hypot(cell.x - at.x, cell.y - at.y) - radius - (radius < 0.5 ? SMALLEST_BONUS : 0);
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}
