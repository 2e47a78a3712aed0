// Sketches as plain values: what a pick or a drop makes of one. `move_input.js` sends them to the
// server.

/** @import {Sketch, SketchAnswer, Step} from "../wire.js" */

/** @typedef {"from" | "to"} Role */

/**
 * A picked cell as the server understands it.
 * @typedef {SketchAnswer["from"][number]} PickedCell
 */

/**
 * Returns whether a sketch is one complete move with nothing to add or to decide.
 * @param {SketchAnswer} answer
 * @param {ReadonlySet<string>} [decided] cells whose choice the player has made
 */
export function isComplete({ move, from, to, next }, decided = new Set()) {
  const isUndecided = (/** @type {PickedCell} */ each) => isOpen(each) && !(each.choices != null && decided.has(each.cell));
  return move != null && next.every((each) => each.instead_of != null) && ![...from, ...to].some(isUndecided);
}

/**
 * Returns the answer to the empty sketch, from the steps that came with the turn.
 * @param {readonly Step[]} steps
 * @returns {SketchAnswer}
 */
export function blankAnswer(steps) {
  return { move: null, from: [], to: [], next: steps.map(({ cell, as }) => ({ cell, as })) };
}

/**
 * Returns the answer to a sketch of one cell with its usual amount, if the steps tell it.
 * @param {readonly Step[]} steps
 * @param {Sketch} sketch
 * @returns {SketchAnswer | undefined}
 */
export function firstAnswer(steps, { from = [], to = [] }) {
  const [picked, ...others] = [...from, ...to];
  if (picked === undefined || others.length > 0) return undefined;
  const as = from.length > 0 ? "from" : "to";
  const step = steps.find((each) => each.cell === picked.cell && each.as === as);
  if (step === undefined || (step.move == null && step.to == null && step.from == null)) return undefined;
  const { cell, move = null, capture = [], pieces, least, most, choice, choices } = step;
  const next = [
    ...(step.to ?? []).map((each) => ({ cell: each, as: /** @type {const} */ ("to"), capture: capture.includes(each) })),
    ...(step.from ?? []).map((each) => ({ cell: each, as: /** @type {const} */ ("from") })),
  ];
  const chosen = [{ cell, pieces, least, most, choice, choices }];
  return { move, from: as === "from" ? chosen : [], to: as === "to" ? chosen : [], next };
}

/**
 * Returns what a changed sketch looks like until the server answers: its cells, and the next ones
 * of the answer before.
 * @param {SketchAnswer} before
 * @param {Sketch} sketch
 * @returns {SketchAnswer}
 */
export function guessedAnswer(before, { from = [], to = [] }) {
  const known = (/** @type {Role} */ role, /** @type {{ cell: string }} */ each) => ({
    ...before[role].find(({ cell }) => cell === each.cell),
    ...each,
  });
  const chosen = new Set([...from, ...to].map(({ cell }) => cell));
  const next = chosen.size === 0 ? [] : before.next.filter(({ cell }) => !chosen.has(cell));
  return { move: null, from: from.map((each) => known("from", each)), to: to.map((each) => known("to", each)), next };
}

/**
 * Returns the sketch after dragged pieces are dropped on a cell, if they can go there.
 * @param {{ cell: string, answer: SketchAnswer }} before the cell that they came from, and the sketch before the drag
 * @param {SketchAnswer} answer the sketch during the drag
 * @param {string} cell
 * @param {number} pieces how many pieces
 * @param {boolean} all whether they are the whole stack
 * @returns {Sketch | undefined}
 */
export function dropPieces(before, answer, cell, pieces, all) {
  const isOf = (/** @type {string} */ name) => (/** @type {{ cell: string }} */ each) => each.cell === name;
  const known = before.answer;
  // A second stack that is dropped where the first one goes joins it.
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
    // If several stacks go to one cell, the amounts belong to the stacks.
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
 * Returns the sketch that an answer describes, to change it and send it again.
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
 * Returns the sketch with a further cell in the role that the answer gives it.
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
