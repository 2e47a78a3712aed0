// A move in the making as it is sent and answered: what a choice makes of it. Plain values; who asks the
// server, and when, is the composer's.

/** @import {Sketch, SketchAnswer} from "../wire.js" */

/** @typedef {"from" | "to"} Role */

/** A picked cell as the server has understood it. @typedef {SketchAnswer["from"][number]} PickedCell */

/**
 * Whether a sketch stands for one move, and nothing could be added to it.
 * @param {SketchAnswer} answer
 */
export function isComplete({ move, from, to, next }) {
  return move != null && next.every((each) => each.instead_of != null) && ![...from, ...to].some(isOpen);
}

/**
 * The sketch in which pieces go from where they were picked up to a cell, if they can.
 * @param {{ cell: string, answer: SketchAnswer }} before the cell, and what was composed before
 * @param {SketchAnswer} answer what is composed since
 * @param {string} cell
 * @param {number} pieces how many they are
 * @param {boolean} all whether they are all of their stack
 * @returns {Sketch | undefined}
 */
export function dropPieces(before, answer, cell, pieces, all) {
  const isOf = (/** @type {string} */ name) => (/** @type {{ cell: string }} */ each) => each.cell === name;
  const known = before.answer;
  // A further stack that is dragged to where another goes joins it there.
  const further = known.to.some(isOf(cell)) && !known.from.some(isOf(before.cell));
  if (further && known.next.some((next) => next.cell === before.cell && next.as === "from")) {
    const sketch = sketchOf(known);
    return { ...sketch, from: [...(sketch.from ?? []), { cell: before.cell, pieces }] };
  }
  const sketch = sketchOf(answer);
  const source = sketch.from?.find(isOf(before.cell));
  const choices = answer.from.find(isOf(before.cell))?.choices ?? [];
  if (all && source?.choice != null) source.choice = longest(choices) ?? source.choice;
  const picked = sketch.to?.find(isOf(cell));
  if (picked !== undefined) {
    // Where several stacks go to one cell, the amounts are theirs.
    const amount = picked.pieces == null ? source : picked;
    if (amount?.pieces != null) amount.pieces += pieces;
    return sketch;
  }
  const next = answer.next.find((each) => each.cell === cell && each.as === "to");
  if (next === undefined) return undefined;
  const rest = next.instead_of == null ? sketch : unpickCell(sketch, next.instead_of);
  return { ...rest, to: [...(rest.to ?? []), { cell, pieces }] };
}

/** @param {string[]} choices */
function longest(choices) {
  return [...choices].sort((one, other) => other.length - one.length)[0];
}

/** @param {PickedCell} picked */
export function isOpen(picked) {
  if ((picked.choices?.length ?? 0) > 1) return true;
  return picked.least != null && picked.most != null && picked.least < picked.most;
}

/** @param {PickedCell} picked */
export function canAddPiece(picked) {
  return picked.pieces != null && picked.most != null && picked.pieces < picked.most;
}

/**
 * What an answer understood, to be changed and sent again.
 * @param {SketchAnswer} answer
 * @returns {Sketch}
 */
export function sketchOf(answer) {
  const plain = (/** @type {PickedCell} */ { cell, pieces, choice }) => ({
    cell,
    ...(pieces == null ? {} : { pieces }),
    ...(choice == null ? {} : { choice }),
  });
  return { from: answer.from.map(plain), to: answer.to.map(plain) };
}

/**
 * @param {Sketch} sketch
 * @param {string} cell
 * @returns {Sketch}
 */
export function unpickCell(sketch, cell) {
  const others = (/** @type {{ cell: string }} */ each) => each.cell !== cell;
  return { from: sketch.from?.filter(others) ?? [], to: sketch.to?.filter(others) ?? [] };
}

/**
 * The sketch with a cell in the role that the answer has for it.
 * @param {SketchAnswer} answer
 * @param {string} cell
 * @param {string} part
 * @param {boolean} other
 * @returns {Sketch | undefined}
 */
export function pickCell(answer, cell, part, other) {
  const roles = answer.next.filter((next) => next.cell === cell);
  const next = (other ? roles[1] : undefined) ?? roles[0];
  if (next === undefined) return undefined;
  let sketch = unpickCell(sketchOf(answer), cell);
  if (next.instead_of != null) sketch = unpickCell(sketch, next.instead_of);
  const entry = part === "" || next.as !== "from" ? { cell } : { cell, choice: part };
  const list = sketch[next.as] ?? [];
  return { ...sketch, [next.as]: [...list, entry] };
}
