// The gradients of pieces, shadows and boards. They stand in the document once, and all boards use
// them. The style sheet gives them their colours.

import { svg } from "../ui/element.js";

/** Seats and kinds of pieces that differ in colour. */
const [SEATS, KINDS] = [3, 4];

let added = false;

/** Adds the gradients to the document. */
export function addPaint() {
  if (added) return;
  added = true;
  const holder = svg("svg", { class: "paint", width: 0, height: 0, "aria-hidden": "true", focusable: "false" });
  const defs = svg("defs");
  for (let seat = 0; seat < SEATS; seat += 1) {
    for (let kind = 0; kind < KINDS; kind += 1) {
      const of = `seat${seat} kind${kind}`;
      defs.append(
        gradient("radialGradient", { id: faceOf(seat, kind), class: of, cx: 0.36, cy: 0.28, r: 0.82 }, ["light 0", "body .55", "shade 1"]),
        gradient("linearGradient", { id: sideOf(seat, kind), class: of }, ["side-edge 0", "side .3", "side .6", "side-edge 1"]),
      );
    }
  }
  defs.append(
    gradient("radialGradient", { id: "piece-shadow" }, ["shadow-core .55", "shadow-end 1"]),
    gradient("linearGradient", { id: "board-grain", x1: 0, y1: 0, x2: 0.09, y2: 0.42, spreadMethod: "reflect" }, [
      "grain-a 0", "grain-b .16", "grain-a .3", "grain-c .46", "grain-a .61", "grain-b .8", "grain-c 1",
    ]),
  );
  holder.append(defs);
  document.body.append(holder);
}

/**
 * The gradient of the upper side of a piece.
 * @param {number} seat
 * @param {number} kind
 */
export function faceOf(seat, kind) {
  return `piece-face-${seat}-${kind}`;
}

/**
 * The gradient of the edge of a piece.
 * @param {number} seat
 * @param {number} kind
 */
export function sideOf(seat, kind) {
  return `piece-side-${seat}-${kind}`;
}

/**
 * @param {"radialGradient" | "linearGradient"} kind
 * @param {Record<string, string | number>} attributes
 * @param {string[]} stops a class and an offset for each
 */
function gradient(kind, attributes, stops) {
  const element = svg(kind, attributes);
  for (const stop of stops) {
    const [name = "", offset = 0] = stop.split(" ");
    element.append(svg("stop", { class: name, offset }));
  }
  return element;
}
