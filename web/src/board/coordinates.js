// Coordinates along the edge of a board: one label for the letter and one for the number of each
// line of cells, beside the first cell of the line. It computes places and draws nothing.

/** @import {LayoutCell} from "../wire.js" */
/** @import {Goal} from "./goals.js" */
/** @import {Frame, Place} from "./geometry.js" */

/** A label along the edge. @typedef {Place & { text: string }} EdgeLabel */

/** Least distance of a label from the centres of cells, from goals, and from other labels. */
const [FROM_CELL, FROM_GOAL, FROM_LABEL] = [0.72, 0.27, 0.3];

/** How far a label moves outwards at a time, and how often. */
const [STEP, STEPS_MAX] = [0.04, 60];

/** Margins around the outermost cells, goals and labels. */
const [CELL_MARGIN, GOAL_MARGIN, LABEL_MARGIN] = [0.62, 0.14, 0.2];

/**
 * @param {LayoutCell[]} cells
 * @param {readonly Goal[]} goals
 * @returns {EdgeLabel[]}
 */
export function edgeLabels(cells, goals) {
  /** @type {EdgeLabel[]} */
  const labels = [];
  for (const part of [/^[a-z]+/, /\d+$/]) {
    /** @type {Map<string, LayoutCell[]>} */
    const lines = new Map();
    for (const cell of cells) {
      const text = part.exec(cell.name)?.[0];
      if (text !== undefined) lines.set(text, [...(lines.get(text) ?? []), cell]);
    }
    const outwards = commonDirection([...lines.values()]);
    for (const [text, line] of lines) {
      const start = furthest(line, outwards);
      labels.push({ text, ...freePlace(start, outwards(line), cells, goals, labels) });
    }
  }
  return labels;
}

/**
 * Returns the direction in which the labels of lines stand: to the left or below. Lines that bend
 * go on in the direction of their own first two cells.
 * @param {LayoutCell[][]} lines
 * @returns {(line: LayoutCell[]) => Place}
 */
function commonDirection(lines) {
  const along = (/** @type {LayoutCell[]} */ line) => {
    const [first, last] = [line[0], line.at(-1)];
    const spread = { x: (last?.x ?? 0) - (first?.x ?? 0), y: (last?.y ?? 0) - (first?.y ?? 0) };
    const size = Math.hypot(spread.x, spread.y) || 1;
    return { x: spread.x / size, y: spread.y / size };
  };
  const longest = along([...lines].sort((one, other) => other.length - one.length)[0] ?? []);
  // Mostly upright lines have their labels below, the others on the left.
  const flip = Math.abs(longest.y) > Math.abs(longest.x) + 0.01 ? longest.y < 0 : longest.x > 0;
  const common = flip ? { x: -longest.x, y: -longest.y } : longest;
  return (line) => {
    const [one, other] = ends(line, common);
    if (one === undefined || other === undefined) return common;
    const own = along([other, one]);
    return own.x * common.x + own.y * common.y > 0.4 ? own : common;
  };
}

/**
 * The last cell of a line in a direction and its neighbour in the line.
 * @param {LayoutCell[]} line
 * @param {Place} direction
 */
function ends(line, direction) {
  const sorted = line.toSorted((one, other) => ahead(other, direction) - ahead(one, direction));
  return [sorted[0], sorted[1]];
}

/**
 * @param {Place} place
 * @param {Place} direction
 */
function ahead(place, direction) {
  return place.x * direction.x + place.y * direction.y;
}

/**
 * @param {LayoutCell[]} line
 * @param {(line: LayoutCell[]) => Place} outwards
 */
function furthest(line, outwards) {
  return /** @type {LayoutCell} */ (ends(line, outwards(line))[0]);
}

/**
 * Returns the first place outside of a cell where nothing else is drawn.
 * @param {Place} start
 * @param {Place} direction
 * @param {LayoutCell[]} cells
 * @param {readonly Goal[]} goals
 * @param {EdgeLabel[]} labels
 * @returns {Place}
 */
function freePlace(start, direction, cells, goals, labels) {
  const near = (/** @type {Place} */ place, /** @type {Place[]} */ others, /** @type {number} */ distance) =>
    others.some((other) => Math.hypot(other.x - place.x, other.y - place.y) < distance);
  let place = start;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    place = { x: place.x + direction.x * STEP, y: place.y + direction.y * STEP };
    const taken = near(place, cells, FROM_CELL) || near(place, labels, FROM_LABEL) || goals.some((goal) => distanceTo(goal.line, place) < FROM_GOAL);
    if (!taken) return place;
  }
  return place;
}

/**
 * @param {Place[]} line
 * @param {Place} place
 */
function distanceTo(line, place) {
  let least = Number.POSITIVE_INFINITY;
  for (const [index, end] of line.entries()) {
    const start = line[index - 1] ?? end;
    const [dx, dy] = [end.x - start.x, end.y - start.y];
    const size = dx * dx + dy * dy || 1;
    const part = Math.min(1, Math.max(0, ((place.x - start.x) * dx + (place.y - start.y) * dy) / size));
    least = Math.min(least, Math.hypot(start.x + dx * part - place.x, start.y + dy * part - place.y));
  }
  return least;
}

/**
 * Returns the frame around cells, goals and labels.
 * @param {LayoutCell[]} cells
 * @param {readonly Goal[]} goals
 * @param {EdgeLabel[]} labels
 * @returns {Frame}
 */
export function bounds(cells, goals, labels) {
  const parts = /** @type {[Place[], number][]} */ ([
    [cells, CELL_MARGIN],
    [goals.flatMap((goal) => goal.line), GOAL_MARGIN],
    [labels, LABEL_MARGIN],
  ]);
  const all = parts.flatMap(([places, margin]) => places.map(({ x, y }) => ({ x, y, margin })));
  const [left, right] = [Math.min(...all.map((each) => each.x - each.margin)), Math.max(...all.map((each) => each.x + each.margin))];
  const [top, bottom] = [Math.min(...all.map((each) => each.y - each.margin)), Math.max(...all.map((each) => each.y + each.margin))];
  return { x: left, y: top, width: right - left, height: bottom - top };
}
