// What a screen reader says about a cell.

import { strings } from "../strings/strings.js";

/** @import {Highlight} from "./markers.js" */
/** @import {Letters} from "./pieces.js" */

/**
 * Who reads the board.
 * @typedef {object} Reader
 * @property {number | undefined} own the seat of the user, if the user plays
 * @property {readonly string[]} users the players by seat
 * @property {ReadonlyMap<string, readonly { seat: number, name: string }[]>} edges the edges of the board that a cell lies on
 */

const t = strings.board;

/** @type {readonly Highlight[]} */
const SAID = ["chosen", "target", "capture", "threatened", "last-to", "last-from"];

/**
 * @param {string} name
 * @param {string} stack
 * @param {ReadonlySet<Highlight> | undefined} highlights
 * @param {Reader} reader
 * @param {Letters} letters
 */
export function cellName(name, stack, highlights, { own, users, edges }, letters) {
  const goals = (edges.get(name) ?? []).map((edge) => t.edge(t.edges[edge.name] ?? edge.name, edge.seat === own));
  const states = SAID.filter((each) => highlights?.has(each)).map((each) => t.states[each] ?? "");
  return [name, piecesOf(stack, own, users, letters), ...states, ...new Set(goals)].join(", ");
}

/**
 * @param {string} stack
 * @param {number | undefined} own
 * @param {readonly string[]} users
 * @param {Letters} letters
 */
function piecesOf(stack, own, users, letters) {
  const top = stack.at(-1);
  if (top === undefined) return t.empty;
  const { seat, kind } = letters.get(top) ?? { seat: 0, kind: 0 };
  const owner = seat === own ? undefined : (users[seat] ?? top);
  if (kind === 0 && [...stack].every((each) => each === top)) return owner === undefined ? t.yours(stack.length) : t.theirs(owner, stack.length);
  return t.mixed([...stack], owner);
}
