// Draws the pieces of a cell: single pieces, piles with a number, and stacks that show each piece.
// Seats differ in colour, brightness and pattern.

import { svg } from "../ui/element.js";

/** @import {Geometry} from "./geometry.js" */
/** @import {LayoutCell} from "../wire.js" */

/**
 * The seat and the kind of a piece, by its letter.
 * @typedef {Map<string, { seat: number, kind: number }>} Letters
 */

/** Discs of a pile that are drawn. The number gives the rest. */
const PILE_DISCS_MAX = 6;

/** Vertical distance of the discs of a pile. */
const PILE_STEP = 0.055;

/**
 * Draws the pieces of a cell, or the upper part of them, relative to the cell's centre.
 * @param {Geometry} geometry
 * @param {LayoutCell} cell
 * @param {string} stack a letter for each piece, the lowest first
 * @param {Letters} letters
 * @param {number} [from] the lowest piece to draw, 0 for all
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
