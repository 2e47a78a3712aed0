// Draws the pieces of a cell: single pieces, stacks that show their height, and rings that show
// each piece. Seats differ in colour, brightness and pattern, and kinds of pieces in their inlays.

import { svg } from "../ui/element.js";
import { addPaint, faceOf, sideOf } from "./paint.js";
import { circle, closed, round } from "./paths.js";

/** @import {BoardLayout, LayoutCell} from "../wire.js" */
/** @import {Geometry} from "./geometry.js" */

/**
 * The seat and the kind of a piece, by its letter. Kind 0 is that of seats with one kind; further
 * kinds have an inlay.
 * @typedef {Map<string, { seat: number, kind: number }>} Letters
 */

/**
 * How pieces are drawn.
 * @typedef {object} Style
 * @property {boolean} [shadows] whether pieces cast a shadow; many small boards do without
 * @property {boolean} [letters] whether each piece has its letter
 */

/** Thickness of a piece, as a share of its radius. */
const THICKNESS = 0.14;

/**
 * How a stack grows: its height as a share of the radius approaches the limit, and each piece adds
 * to it.
 */
const [RISE_MAX, RISE_RATE] = [1.75, 0.085];

/** The share of a stack's rise by which it stands below the middle of its cell. */
const SINK = 0.26;

/** Size of an inlay, as a share of the radius. */
const INLAY = 0.5;

/**
 * @param {Pick<BoardLayout, "letters">} layout
 * @returns {Letters}
 */
export function lettersOf(layout) {
  /** @type {Letters} */
  const letters = new Map();
  layout.letters.forEach((own, seat) => {
    const inlaid = own.length > 1;
    [...own].forEach((letter, index) => letters.set(letter, { seat, kind: inlaid ? index + 1 : 0 }));
  });
  return letters;
}

/**
 * Draws the pieces of a cell, or the upper part of them, relative to the cell's centre.
 * @param {Geometry} geometry
 * @param {LayoutCell} cell
 * @param {string} stack a letter for each piece, the lowest first
 * @param {Letters} letters
 * @param {Style} style
 * @param {number} [from] the lowest piece to draw, 0 for all
 * @returns {SVGGElement}
 */
export function drawStack(geometry, cell, stack, letters, style, from = 0) {
  const group = svg("g", { class: "stack" });
  if (cell.shape === "sector") {
    [...stack].forEach((letter, level) => {
      if (level < from) return;
      const { x, y, r } = geometry.piece(cell, level);
      const piece = svg("g", { transform: `translate(${round(x)} ${round(y)})`, "data-level": level });
      drawPile(piece, r, letter, letters, style);
      group.append(piece);
    });
    return group;
  }
  drawPile(group, geometry.piece(cell, 0).r, stack.slice(from), letters, style);
  return group;
}

/**
 * Returns the height of a stack above its lowest piece.
 * @param {number} r
 * @param {number} pieces
 */
function riseOf(r, pieces) {
  return r * RISE_MAX * (1 - Math.exp(-RISE_RATE * (pieces - 1)));
}

/**
 * Returns where the upper side of a stack lies, relative to the middle of its cell.
 * @param {number} r
 * @param {number} pieces
 */
export function topOf(r, pieces) {
  return riseOf(r, pieces) * (SINK - 1) - r * THICKNESS * 0.5;
}

/**
 * @param {SVGGElement} group
 * @param {number} r
 * @param {string} stack
 * @param {Letters} letters
 * @param {Style} style
 */
function drawPile(group, r, stack, letters, style) {
  const pieces = [...stack];
  const letter = pieces.at(-1);
  if (letter === undefined) return;
  const thickness = r * THICKNESS;
  const top = topOf(r, pieces.length);
  const bottom = top + riseOf(r, pieces.length) + thickness;
  if (style.shadows) group.append(svg("ellipse", { class: "shadow", cx: r * 0.1, cy: round(bottom + r * 0.1), rx: r * 1.2, ry: r * 1.12, fill: "url(#piece-shadow)" }));
  // The lower edge of the piece at an index, the upper edge of the one below.
  const edgeAt = (/** @type {number} */ index) => top + riseOf(r, pieces.length) - riseOf(r, index + 1) + thickness;
  for (const run of runs(pieces)) {
    group.append(side(r, edgeAt(run.from), run.to === pieces.length ? top : edgeAt(run.to), run.letter, letters));
  }
  const edges = pieces.slice(1).map((_, index) => {
    const y = round(edgeAt(index + 1));
    return `M${round(-r)} ${y}A${r} ${r} 0 0 0 ${round(r)} ${y}`;
  });
  const { seat, kind } = letters.get(letter) ?? { seat: 0, kind: 0 };
  const piece = svg("g", { class: `piece seat${seat} kind${kind}` });
  if (edges.length > 0) piece.append(svg("path", { class: "edges", d: edges.join("") }));
  piece.append(svg("circle", { class: "face", cy: round(top), r, fill: `url(#${faceOf(seat, kind)})` }));
  const text = pieces.length > 1 ? String(pieces.length) : style.letters ? letter : "";
  const transform = `translate(0 ${round(top)})`;
  const pattern = patternOf(seat, r);
  if (pattern !== "") piece.append(svg("path", { class: "pattern", d: pattern, transform }));
  if (kind > 0 && text === "") piece.append(svg("path", { class: "inlay", d: inlayOf(seat, kind, r), transform }));
  if (text !== "") piece.append(topText(text, top, r));
  group.append(piece);
}

/**
 * Returns the runs of equal pieces in a stack.
 * @param {string[]} pieces
 */
function runs(pieces) {
  /** @type {{ letter: string, from: number, to: number }[]} */
  const found = [];
  pieces.forEach((letter, index) => {
    const last = found.at(-1);
    if (last?.letter === letter) last.to = index + 1;
    else found.push({ letter, from: index, to: index + 1 });
  });
  return found;
}

/**
 * The visible edge of one piece or more.
 * @param {number} r
 * @param {number} lower
 * @param {number} upper
 * @param {string} letter
 * @param {Letters} letters
 */
function side(r, lower, upper, letter, letters) {
  const { seat, kind } = letters.get(letter) ?? { seat: 0, kind: 0 };
  const [low, high, width] = [round(lower), round(upper), round(r)];
  const d = `M${-width} ${high}V${low}A${width} ${width} 0 0 0 ${width} ${low}V${high}Z`;
  return svg("path", { class: `side seat${seat} kind${kind}`, d, fill: `url(#${sideOf(seat, kind)})` });
}

/**
 * The pattern of a seat, which tells it apart without its colour.
 * @param {number} seat
 * @param {number} r
 */
function patternOf(seat, r) {
  if (seat === 1) return circle(r * 0.8);
  if (seat !== 2) return "";
  return Array.from({ length: 10 }, (_, index) => {
    const angle = (index * Math.PI) / 5;
    return circle(r * 0.055, { x: r * 0.78 * Math.sin(angle), y: r * 0.78 * Math.cos(angle) });
  }).join("");
}

/**
 * The shapes of inlays, by seat and kind. No two are alike: who sees no colours tells by them whose a
 * piece is.
 * @type {((s: number) => string)[][]}
 */
const INLAYS = [
  [(s) => star(4, s, 0.42), (s) => circle(s * 0.72), (s) => star(5, s, 0.45)],
  [(s) => star(3, s, 0.5), (s) => star(4, s, Math.SQRT1_2), (s) => star(6, s, 0.55)],
];

/**
 * A star, or a polygon if its inner corners lie on the straight lines between the outer ones.
 * @param {number} corners
 * @param {number} s the distance of the outer corners from the middle
 * @param {number} inner that of the inner ones, as a share of it
 */
function star(corners, s, inner) {
  return closed(Array.from({ length: corners * 2 }, (_, index) => {
    const angle = (index * Math.PI) / corners;
    const radius = index % 2 === 0 ? s : s * inner;
    return { x: radius * Math.sin(angle), y: -radius * Math.cos(angle) };
  }));
}

/**
 * The inlay of a kind of pieces.
 * @param {number} seat
 * @param {number} kind
 * @param {number} r
 */
function inlayOf(seat, kind, r) {
  return INLAYS[seat]?.[kind - 1]?.(r * INLAY) ?? "";
}

/**
 * @param {string} text
 * @param {number} y
 * @param {number} r
 */
function topText(text, y, r) {
  const size = r * (text.length > 1 ? 0.92 : 1.02);
  const label = svg("text", { class: "letter", y: round(y + size * 0.355), "font-size": round(size) });
  label.textContent = text;
  return label;
}

/**
 * Draws one piece as an icon, such as for a tray of pieces that are not on the board yet.
 * @param {string} letter
 * @param {number} seat
 * @param {string[]} [letters] of each seat, as in the layout
 */
export function pieceIcon(letter, seat, letters = []) {
  addPaint();
  const icon = svg("svg", { class: "piece-icon", viewBox: "-.5 -.5 1 1", "aria-hidden": "true" });
  const group = svg("g");
  const known = lettersOf({ letters });
  drawPile(group, 0.42, letter, known.has(letter) ? known : new Map([[letter, { seat, kind: 0 }]]), { shadows: true });
  icon.append(group);
  return icon;
}

/**
 * @param {string} letter
 * @param {string[]} letters of each seat, as in the layout
 */
export function disc(letter, letters) {
  return pieceIcon(letter, letters.findIndex((own) => own.includes(letter)), letters);
}
