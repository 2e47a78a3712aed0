// Markers of highlighted cells. They are drawn under the pieces, except threats, which are drawn
// over them. The style sheet colours the cells themselves.

import { svg } from "../ui/element.js";

/** @import {LayoutCell} from "../wire.js" */
/** @import {Changes} from "./changes.js" */
/** @import {Geometry} from "./geometry.js" */

/**
 * A highlight of a cell.
 * @typedef {"source" | "target" | "capture" | "chosen" | "threatened" | "last-from" | "last-to" | "last-captured"} Highlight
 */

/**
 * @param {Geometry} geometry
 * @param {LayoutCell} cell
 * @param {ReadonlySet<Highlight>} highlights
 * @param {boolean} occupied whether pieces stand on the cell
 * @returns {SVGElement[]}
 */
export function markersOf(geometry, cell, highlights, occupied) {
  const markers = [];
  const { x, y } = cell;
  const at = { cx: x, cy: y };
  const { r } = geometry.piece(cell, 0);
  if (highlights.has("target") && cell.shape !== "sector" && !occupied) {
    markers.push(svg("circle", { class: "hint", ...at, r: r * 0.36 }));
  }
  if (highlights.has("chosen")) {
    const d = geometry.outline(cell);
    markers.push(svg("path", { class: "chosen-ring", d, transform: `translate(${x} ${y})` }));
  }
  if (highlights.has("capture")) markers.push(svg("circle", { class: "capture-ring", ...at, r: r * 1.18 }));
  if (highlights.has("last-captured")) {
    const [left, top, d] = [x - r * 1.1, y - r * 1.1, r * 2.2];
    const cross = `M${left} ${top}l${d} ${d}M${left + d} ${top}l${-d} ${d}`;
    markers.push(svg("path", { class: "captured-cross", d: cross }));
  }
  return markers;
}

/**
 * The marker of a stack that could be captured.
 * @param {Geometry} geometry
 * @param {LayoutCell} cell
 */
export function threatMarker(geometry, cell) {
  const { r } = geometry.piece(cell, 0);
  const marker = svg("g", { class: "threat", transform: `translate(${cell.x} ${cell.y})` });
  const badge = svg("g", { transform: `translate(${r * 0.86} ${-r * 0.86})` });
  const text = svg("text", { y: r * 0.19, "font-size": r * 0.56 });
  text.textContent = "!";
  badge.append(svg("circle", { class: "badge", r: r * 0.36 }), text);
  marker.append(svg("circle", { class: "circle", r: r * 1.14 }), badge);
  return marker;
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
