// Markers of highlighted cells, the path of the last move and the winning cells. Some are drawn
// under the pieces and some over them. The style sheet colours the cells themselves.

import { svg } from "../ui/element.js";
import { topOf } from "./pieces.js";
import { closed, open, round } from "./paths.js";

/** @import {LayoutCell} from "../wire.js" */
/** @import {Changes, Flight, Position} from "./changes.js" */
/** @import {Geometry, Place} from "./geometry.js" */

/**
 * A highlight of a cell.
 * @typedef {"source" | "target" | "capture" | "chosen" | "threatened" | "last-from" | "last-to" | "last-captured" | "suggested"} Highlight
 */

/** Cells of a chain are linked up to this distance. */
const LINK_MAX = 1.05;

/** Widths of an arrow at its start and its end, and the size of its head. */
const [TAIL, SHAFT, HEAD, HEAD_LENGTH] = [0.03, 0.1, 0.3, 0.26];

/** Rays of the mark of a capture. */
const RAYS = 12;

/**
 * Returns the markers under the pieces.
 * @param {Geometry} geometry
 * @param {LayoutCell} cell
 * @param {ReadonlySet<Highlight>} highlights
 * @param {boolean} occupied whether pieces stand on the cell
 * @returns {SVGElement[]}
 */
export function markersUnder(geometry, cell, highlights, occupied) {
  const markers = [];
  const { r } = geometry.piece(cell, 0);
  if (highlights.has("target") && cell.shape !== "sector" && !occupied) {
    markers.push(svg("circle", { class: "hint", cx: cell.x, cy: cell.y, r: round(Math.max(r * 0.34, 0.1)) }));
  }
  // A piece hides the colour of a small cell.
  if (highlights.has("last-to") && occupied && geometry.cellRadius(cell) < r * 1.2) {
    markers.push(svg("circle", { class: "last-ring", cx: cell.x, cy: round(cell.y + r * 0.04), r: round(r * 1.22) }));
  }
  if (highlights.has("chosen")) markers.push(chosenRing(geometry, cell));
  return markers;
}

/**
 * The ring around a chosen cell.
 * @param {Geometry} geometry
 * @param {LayoutCell} cell
 */
export function chosenRing(geometry, cell) {
  return svg("path", { class: "chosen-ring", d: geometry.outline(cell), transform: `translate(${cell.x} ${cell.y})` });
}

/**
 * Returns the markers over the pieces.
 * @param {Geometry} geometry
 * @param {LayoutCell} cell
 * @param {ReadonlySet<Highlight>} highlights
 * @param {number} pieces on the cell
 * @returns {SVGElement[]}
 */
export function markersOver(geometry, cell, highlights, pieces) {
  const markers = [];
  const { r } = geometry.piece(cell, 0);
  const top = { x: cell.x, y: cell.y + (cell.shape === "sector" || pieces === 0 ? 0 : topOf(r, pieces)) };
  if (highlights.has("suggested")) markers.push(svg("path", { class: "suggested-mark", d: geometry.outline(cell), transform: `translate(${cell.x} ${cell.y})` }));
  if (highlights.has("capture")) markers.push(svg("path", { class: "capture-mark", d: corners(top, r * 1.16) }));
  if (highlights.has("last-captured")) markers.push(svg("path", { class: "captured-mark", d: rays(top, r) }));
  if (highlights.has("threatened")) markers.push(threat(top, r));
  return markers;
}

/**
 * Four arcs around a piece that can be captured, like the corners of a sight.
 * @param {Place} at
 * @param {number} r
 */
function corners({ x, y }, r) {
  return [0, 1, 2, 3]
    .map((quarter) => {
      const [from, to] = [(quarter + 0.2) * (Math.PI / 2), (quarter + 0.8) * (Math.PI / 2)];
      const point = (/** @type {number} */ angle) => `${round(x + r * Math.cos(angle))} ${round(y + r * Math.sin(angle))}`;
      return `M${point(from)}A${round(r)} ${round(r)} 0 0 1 ${point(to)}`;
    })
    .join("");
}

/**
 * Rays around the place of a capture.
 * @param {Place} at
 * @param {number} r
 */
function rays({ x, y }, r) {
  return Array.from({ length: RAYS }, (_, index) => {
    const angle = ((index + 0.5) * 2 * Math.PI) / RAYS;
    const [inner, outer] = [r * 1.14, r * (index % 2 === 0 ? 1.3 : 1.42)];
    const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
    return open([{ x: x + inner * dx, y: y + inner * dy }, { x: x + outer * dx, y: y + outer * dy }]);
  }).join("");
}

/**
 * The marker of a stack that could be captured.
 * @param {Place} at
 * @param {number} r
 */
function threat({ x, y }, r) {
  const marker = svg("g", { class: "threat", transform: `translate(${round(x)} ${round(y)})` });
  const badge = svg("g", { transform: `translate(${round(r * 0.86)} ${round(-r * 0.86)})` });
  const text = svg("text", { y: round(r * 0.19), "font-size": round(r * 0.56) });
  text.textContent = "!";
  badge.append(svg("circle", { class: "badge", r: round(r * 0.36) }), text);
  marker.append(svg("circle", { class: "circle", r: round(r * 1.14) }), badge);
  return marker;
}

/**
 * Draws a move as arrows from where its pieces left to where they went.
 * @param {Geometry} geometry
 * @param {readonly Flight[]} path
 * @param {Position} position after the move
 * @param {string} kind `last-path`, `planned-path` or `suggested-path`
 * @returns {SVGElement[]}
 */
export function arrows(geometry, path, position, kind) {
  return path.flatMap(({ from, to }) => {
    const [start, end] = [geometry.cells.get(from), geometry.cells.get(to)];
    if (start === undefined || end === undefined) return [];
    const left = geometry.piece(start, (position[from] ?? "").length);
    const arrived = geometry.piece(end, Math.max(0, (position[to] ?? "").length - 1));
    const d = arrow({ x: start.x + left.x, y: start.y + left.y }, { x: end.x + arrived.x, y: end.y + arrived.y }, arrived.r);
    return d === "" ? [] : [svg("path", { class: `path ${kind}`, d })];
  });
}

/**
 * @param {Place} from
 * @param {Place} to
 * @param {number} r of the piece at the end
 */
function arrow(from, to, r) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) - r;
  if (length < HEAD_LENGTH) return "";
  const size = length + r;
  const [ux, uy] = [(to.x - from.x) / size, (to.y - from.y) / size];
  const at = (/** @type {number} */ along, /** @type {number} */ aside) => ({ x: from.x + ux * along - uy * aside, y: from.y + uy * along + ux * aside });
  const neck = length - HEAD_LENGTH;
  return closed([
    at(0, -TAIL / 2), at(neck, -SHAFT / 2), at(neck, -HEAD / 2), at(length, 0), at(neck, HEAD / 2), at(neck, SHAFT / 2), at(0, TAIL / 2),
  ]);
}

/**
 * Draws the chain of the winning cells, under the pieces. The style sheet lights the cells.
 * @param {Geometry} geometry
 * @param {readonly string[]} winning
 * @returns {SVGElement[]}
 */
export function winningChain(geometry, winning) {
  const cells = winning.flatMap((name) => geometry.cells.get(name) ?? []);
  let d = "";
  cells.forEach((one, index) => {
    for (const other of cells.slice(index + 1)) {
      const areNeighbours = Math.hypot(one.x - other.x, one.y - other.y) <= LINK_MAX && !(one.shape === "square" && other.shape === "square");
      if (one.shape === "sector" ? cells.length === 2 : areNeighbours) d += open([one, other]);
    }
  });
  return d === "" ? [] : [svg("path", { class: "winning-chain", d })];
}

/**
 * Returns the highlights of the last move.
 * @param {Pick<Changes, "lost" | "gained">} move
 * @returns {Map<string, Set<Highlight>>}
 */
export function lastMoveHighlights({ lost, gained }) {
  /** @type {Map<string, Set<Highlight>>} */
  const highlights = new Map();
  for (const cell of lost) highlights.set(cell, new Set(["last-from"]));
  for (const cell of gained) highlights.set(cell, new Set(["last-to"]));
  return highlights;
}
