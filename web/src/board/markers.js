// The signs that point something out on a cell, drawn over it and under its pieces, but for threats, which
// are drawn over them. Colours of cells are the style sheet's.

import { svg } from "../ui/element.js";

/** @import {LayoutCell} from "../wire.js" */
/** @import {Geometry} from "./geometry.js" */

/**
 * What is pointed out about a cell.
 * @typedef {"source" | "target" | "capture" | "chosen" | "threatened" | "last-from" | "last-to" | "last-captured"} Mark
 */

/**
 * @param {Geometry} geometry
 * @param {LayoutCell} cell
 * @param {ReadonlySet<Mark>} marks
 * @param {boolean} occupied whether pieces stand there
 * @returns {SVGElement[]}
 */
export function signsOf(geometry, cell, marks, occupied) {
  const signs = [];
  const { x, y } = cell;
  const at = { cx: x, cy: y };
  const { r } = geometry.piece(cell, 0);
  if (marks.has("target") && cell.shape !== "sector" && !occupied) {
    signs.push(svg("circle", { class: "hint", ...at, r: r * 0.36 }));
  }
  if (marks.has("chosen")) {
    const d = geometry.outline(cell);
    signs.push(svg("path", { class: "chosen-ring", d, transform: `translate(${x} ${y})` }));
  }
  if (marks.has("capture")) signs.push(svg("circle", { class: "prey", ...at, r: r * 1.18 }));
  if (marks.has("last-captured")) {
    const [left, top, d] = [x - r * 1.1, y - r * 1.1, r * 2.2];
    const cross = `M${left} ${top}l${d} ${d}M${left + d} ${top}l${-d} ${d}`;
    signs.push(svg("path", { class: "fallen", d: cross }));
  }
  return signs;
}

/**
 * The sign about a stack that could be captured.
 * @param {Geometry} geometry
 * @param {LayoutCell} cell
 */
export function threatOf(geometry, cell) {
  const { r } = geometry.piece(cell, 0);
  const sign = svg("g", { class: "threat", transform: `translate(${cell.x} ${cell.y})` });
  const badge = svg("g", { transform: `translate(${r * 0.86} ${-r * 0.86})` });
  const text = svg("text", { y: r * 0.19, "font-size": r * 0.56 });
  text.textContent = "!";
  badge.append(svg("circle", { class: "badge", r: r * 0.36 }), text);
  sign.append(svg("circle", { class: "circle", r: r * 1.14 }), badge);
  return sign;
}
