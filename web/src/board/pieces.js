// Draws what stands on a cell: single pieces, piles with their number, and stacks whose every piece
// is shown. Seats differ in colour, in brightness and in the pattern of their pieces.

import { svg } from "../ui/element.js";

/** @import {Geometry} from "./geometry.js" */
/** @import {LayoutCell} from "../wire.js" */

/**
 * Whose a piece is, by its letter, and which of that seat's kinds.
 * @typedef {Map<string, { seat: number, kind: number }>} Letters
 */

/** Discs of a pile that are drawn; the number tells the rest. */
const PILE_DISCS_MAX = 6;

/** How far each disc of a pile lies above the one below. */
const PILE_STEP = 0.055;

/**
 * What stands on a cell, or the upper part of it, around the cell's own middle.
 * @param {Geometry} geometry
 * @param {LayoutCell} cell
 * @param {string} stack a letter per piece, the lowest first
 * @param {Letters} letters
 * @param {number} [from] the lowest piece that is drawn, 0 for all
 * @returns {SVGGElement}
 */
export function drawStack(geometry, cell, stack, letters, from = 0) {
  const group = svg("g", { class: "stack" });
  if (cell.shape === "sector") {
    [...stack].forEach((letter, level) => {
      if (level < from) return;
      const { x, y, r } = geometry.piece(cell, level);
      const piece = disc(letter, x, y, r, letters);
      piece.dataset["level"] = String(level);
      piece.append(letterLabel(letter, x, y, r));
      group.append(piece);
    });
    return group;
  }
  pile(group, geometry.piece(cell, 0).r, stack.slice(from), letters);
  return group;
}

/**
 * @param {SVGGElement} group
 * @param {number} r
 * @param {string} stack
 * @param {Letters} letters
 */
function pile(group, r, stack, letters) {
  const pieces = [...stack];
  const shown = pieces.slice(-PILE_DISCS_MAX);
  const size = shown.length > 1 ? r * 0.92 : r;
  const rise = PILE_STEP * (shown.length - 1);
  shown.forEach((letter, index) => {
    group.append(disc(letter, 0, rise / 2 - PILE_STEP * index, size, letters));
  });
  const top = group.lastElementChild;
  const letter = pieces.at(-1);
  if (top === null || letter === undefined) return;
  const text = pieces.length > 1 ? String(pieces.length) : letter;
  top.append(letterLabel(text, 0, -rise / 2, size));
}

/**
 * @param {string} letter
 * @param {number} x
 * @param {number} y
 * @param {number} r
 * @param {Letters} letters
 */
function disc(letter, x, y, r, letters) {
  const { seat, kind } = letters.get(letter) ?? { seat: 0, kind: 0 };
  const piece = svg("g", { class: `piece seat${seat} kind${kind}` });
  piece.append(svg("circle", { class: "body", cx: x, cy: y, r }));
  piece.append(svg("circle", { class: "rim", cx: x, cy: y, r: r * 0.82 }));
  return piece;
}

/**
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
function letterLabel(text, x, y, r) {
  const size = r * (text.length > 1 ? 0.95 : 1.05);
  const label = svg("text", { class: "letter", x, y: y + size * 0.355, "font-size": size });
  label.textContent = text;
  return label;
}
