// A small drawing for the card of each game. A game without one gets its first letter.

import { svg } from "./element.js";
import { strings } from "../strings/strings.js";

/** Shapes in a square of 48 units: a path and the class that colours it. */
const EMBLEMS = /** @type {Record<string, { d: string, paint: string }[]>} */ ({
  adamas: [
    { d: "M24 5 40.5 14.5v19L24 43 7.5 33.5v-19Z", paint: "ground" },
    { d: disc(17, 28, 7.5), paint: "seat0" },
    { d: disc(17, 25, 7.5), paint: "seat0" },
    { d: disc(17, 22, 7.5), paint: "seat0" },
    { d: disc(32, 26, 6), paint: "seat1" },
  ],
  hexma: [
    { d: "M24 4 29.8 14H41.3L35.5 24 41.3 34H29.8L24 44 18.2 34H6.7L12.5 24 6.7 14H18.2Z", paint: "ground" },
    { d: disc(24, 37, 3.6), paint: "seat0" },
    { d: disc(20, 30, 3.6), paint: "seat0" },
    { d: disc(24, 23, 3.6), paint: "seat0" },
    { d: disc(20, 16, 3.6), paint: "seat0" },
    { d: disc(28, 16, 3.6), paint: "seat1" },
    { d: disc(31, 24, 3.6), paint: "seat1" },
    { d: disc(28, 31, 3.6), paint: "seat1" },
  ],
  stymie: [
    { d: octagon(14.5, 14.5, 9.2), paint: "ground" },
    { d: octagon(33.5, 14.5, 9.2), paint: "ground" },
    { d: octagon(14.5, 33.5, 9.2), paint: "ground" },
    { d: octagon(33.5, 33.5, 9.2), paint: "ground" },
    { d: disc(14.5, 14.5, 6), paint: "seat0" },
    { d: disc(24, 24, 3.6), paint: "seat0" },
    { d: disc(33.5, 33.5, 6), paint: "seat0" },
    { d: disc(33.5, 14.5, 6), paint: "seat1" },
  ],
  diam: [
    { d: `${disc(24, 24, 20)}${disc(24, 24, 7)}`, paint: "ground ring" },
    { d: disc(24, 8.6, 4.2), paint: "seat0" },
    { d: disc(24, 39.4, 4.2), paint: "seat0" },
    { d: disc(34.9, 13.1, 4.2), paint: "seat1" },
    { d: disc(13.1, 34.9, 4.2), paint: "seat1" },
  ],
});

/**
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
function disc(x, y, r) {
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
function octagon(x, y, r) {
  const s = r * 0.4142;
  return `M${x - s} ${y - r}h${2 * s}l${r - s} ${r - s}v${2 * s}l${s - r} ${r - s}h${-2 * s}l${s - r} ${s - r}v${-2 * s}Z`;
}

/** @param {string} rules */
export function emblem(rules) {
  const drawing = svg("svg", { viewBox: "0 0 48 48", class: "emblem", "aria-hidden": "true" });
  const shapes = EMBLEMS[strings.kind(rules)];
  if (shapes === undefined) {
    const letter = svg("text", { x: 24, y: 34, class: "initial" });
    letter.textContent = strings.gameName(rules).charAt(0);
    drawing.append(letter);
    return drawing;
  }
  for (const { d, paint } of shapes) drawing.append(svg("path", { d, class: paint }));
  return drawing;
}
