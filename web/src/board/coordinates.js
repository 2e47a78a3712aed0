// Coordinates along the edge of a board: one label for the letter and one for the number of each
// line of cells, beside the first cell of the line. It computes places and draws nothing.

/** @import {LayoutCell} from "../wire.js" */
/** @import {Goal} from "./goals.js" */
/** @import {Frame, Place} from "./geometry.js" */

/** A label along the edge. @typedef {Place & { text: string }} EdgeLabel */

/** Least distance of a label from the centres of cells, from goals, and from other labels. */
const [FROM_CELL, FROM_GOAL, FROM_LABEL] = [0.84, 0.32, 0.43];

/** Numbers that are nearer to a letter than this may be taken for its neighbours. */
const CLEAR = 0.7;

/** How far a label moves outwards at a time, and how often. Then its line stays without one. */
const [STEP, STEPS_MAX] = [0.08, 80];

/** Margins around the outermost cells, goals and labels. */
const [CELL_MARGIN, GOAL_MARGIN, LABEL_MARGIN] = [0.72, 0.2, 0.22];

/**
 * @param {LayoutCell[]} cells
 * @param {readonly Goal[]} goals
 * @returns {EdgeLabel[]}
 */
export function edgeLabels(cells, goals) {
  /** @type {EdgeLabel[]} */
  let best = [];
  let widest = -1;
  // Letters below and numbers on the left, unless other ends of the lines keep them further apart.
  for (const [up, right] of /** @type {[boolean, boolean][]} */ ([[false, false], [false, true], [true, false], [true, true]])) {
    const letters = labelsOf(cells, goals, /^[a-z]+/, [], up);
    const numbers = labelsOf(cells, goals, /\d+$/, letters, right);
    const apart = gap(numbers, letters);
    if (apart > widest + 0.05) [best, widest] = [[...letters, ...numbers], apart];
    // Goals leave hardly another place, and such boards are large.
    if (apart >= CLEAR || goals.length > 0) break;
  }
  return best;
}

/**
 * @param {LayoutCell[]} cells
 * @param {readonly Goal[]} goals
 * @param {RegExp} part of a cell's name
 * @param {EdgeLabel[]} placed labels that are there already
 * @param {boolean} reversed whether the labels stand at the other ends of their lines
 */
function labelsOf(cells, goals, part, placed, reversed) {
  /** @type {Map<string, LayoutCell[]>} */
  const lines = new Map();
  for (const cell of cells) {
    const text = part.exec(cell.name)?.[0];
    if (text !== undefined) lines.set(text, [...(lines.get(text) ?? []), cell]);
  }
  const outwards = commonDirection([...lines.values()], reversed);
  /** @type {EdgeLabel[]} */
  const labels = [];
  for (const [text, line] of lines) {
    const place = freePlace(furthest(line, outwards), outwards(line), cells, goals, [...placed, ...labels]);
    if (place !== undefined) labels.push({ text, ...place });
  }
  return labels;
}

/**
 * Returns the least distance between two groups of labels.
 * @param {EdgeLabel[]} some
 * @param {EdgeLabel[]} others
 */
function gap(some, others) {
  return Math.min(...some.flatMap((one) => others.map((other) => Math.hypot(one.x - other.x, one.y - other.y))));
}

/**
 * Returns the direction in which the label of a line stands: the line goes on to the left or down.
 * A single cell has the direction of most lines.
 * @param {LayoutCell[][]} lines
 * @param {boolean} reversed whether it goes on to the right or up instead
 * @returns {(line: LayoutCell[]) => Place}
 */
function commonDirection(lines, reversed) {
  const longest = lines.toSorted((one, other) => other.length - one.length)[0] ?? [];
  const along = unit({ x: (longest.at(-1)?.x ?? 0) - (longest[0]?.x ?? 0), y: (longest.at(-1)?.y ?? 0) - (longest[0]?.y ?? 0) });
  const isUpright = Math.abs(along.y) > Math.abs(along.x) + 0.01;
  const common = (isUpright ? along.y < 0 : along.x > 0) !== reversed ? { x: -along.x, y: -along.y } : along;
  const own = (/** @type {LayoutCell[]} */ line) => {
    const [one, other] = ends(line, common);
    if (one === undefined || other === undefined) return undefined;
    const direction = unit({ x: one.x - other.x, y: one.y - other.y });
    return ahead(direction, common) > 0.4 ? direction : undefined;
  };
  const found = lines.flatMap((line) => own(line) ?? []);
  const mean = unit({ x: found.reduce((sum, { x }) => sum + x, 0), y: found.reduce((sum, { y }) => sum + y, 0) });
  return (line) => own(line) ?? (found.length > 0 ? mean : common);
}

/** @param {Place} place */
function unit({ x, y }) {
  const size = Math.hypot(x, y) || 1;
  return { x: x / size, y: y / size };
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
 * @returns {Place | undefined}
 */
function freePlace(start, direction, cells, goals, labels) {
  let place = start;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    place = { x: place.x + direction.x * STEP, y: place.y + direction.y * STEP };
    const isFree = isApart(place, cells, FROM_CELL) && isApart(place, labels, FROM_LABEL) && goals.every((goal) => isOff(place, goal.line, FROM_GOAL));
    if (isFree) return place;
  }
  return undefined;
}

/**
 * Returns whether a place has a distance from all others. It runs often: squares suffice.
 * @param {Place} place
 * @param {readonly Place[]} others
 * @param {number} distance
 */
function isApart({ x, y }, others, distance) {
  const least = distance * distance;
  for (const other of others) if ((other.x - x) * (other.x - x) + (other.y - y) * (other.y - y) < least) return false;
  return true;
}

/**
 * Returns whether a place has a distance from a line.
 * @param {Place} place
 * @param {Place[]} line
 * @param {number} distance
 */
function isOff(place, line, distance) {
  let start = line[0];
  for (const end of line) {
    const from = start ?? end;
    const [dx, dy] = [end.x - from.x, end.y - from.y];
    const part = Math.min(1, Math.max(0, ((place.x - from.x) * dx + (place.y - from.y) * dy) / (dx * dx + dy * dy || 1)));
    const nearest = { x: from.x + dx * part, y: from.y + dy * part };
    if (!isApart(place, [nearest], distance)) return false;
    start = end;
  }
  return true;
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
