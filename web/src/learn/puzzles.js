// The puzzles: a file of each game, and what each answer comes to. `adamant puzzles check` has proved
// the solutions; some puzzles name the replies to wrong moves.

/** @import {Explored, Options} from "../wire.js" */

/**
 * @typedef {object} Puzzle
 * @property {string} id
 * @property {string} rules
 * @property {Options} options
 * @property {string[]} moves to the position
 * @property {"win" | "save"} goal
 * @property {number} plies in which the game is won, or lost after a wrong move
 * @property {number} choices how many moves are legal
 * @property {string[]} solution for a win with the longest defence and the end
 * @property {string[]} also the other first moves that win as fast
 * @property {number} grade how hard it is, from 1
 * @property {{ reply: string, moves?: string[] }[]} [refutations] the first one answers all moves that no other lists
 */

/**
 * What an answer comes to: it solves the puzzle; it is right, and the reply comes; or it is wrong,
 * and perhaps a reply shows it.
 * @typedef {{ kind: "solved" } | { kind: "reply", reply: string } | { kind: "wrong", reply: string | undefined }} Verdict
 */

/** The puzzles are for two players. */
export const PLAYERS = 2;

/** The files by game, each loaded once. @type {Map<string, Promise<Puzzle[]>>} */
const loaded = new Map();

/**
 * Loads the puzzles of a game, the easy ones first.
 * @param {string} kind
 */
export function puzzlesOf(kind) {
  const known = loaded.get(kind);
  if (known !== undefined) return known;
  const loading = fetch(new URL(`./puzzles/${kind}.jsonl`, import.meta.url)).then(async (response) => {
    if (!response.ok) throw new Error(String(response.status));
    return readPuzzles(await response.text());
  });
  loaded.set(kind, loading);
  loading.catch(() => loaded.delete(kind));
  return loading;
}

/**
 * Reads a file with a puzzle in each line, and puts the easy ones first.
 * @param {string} text
 * @returns {Puzzle[]}
 */
export function readPuzzles(text) {
  const words = (/** @type {string} */ moves = "") => moves.split(" ").filter((move) => move !== "");
  const puzzles = text.trim().split("\n").map((line) => {
    const puzzle = JSON.parse(line);
    return { ...puzzle, moves: words(puzzle.moves), solution: words(puzzle.solution), also: words(puzzle.also) };
  });
  return puzzles.sort((one, other) => one.grade - other.grade);
}

/**
 * Judges a move.
 * @param {Puzzle} puzzle
 * @param {string} move
 * @param {number} made how many moves of the puzzle were made before, replies included
 * @param {Explored} before
 * @param {Explored} after
 * @returns {Verdict}
 */
export function judge(puzzle, move, made, before, after) {
  const isWon = after.result?.winners.length === 1 && after.result.winners[0] === before.to_move;
  // A first move that wins as fast has other replies than the solution.
  if (isWon || (made === 0 && puzzle.also.includes(move))) return { kind: "solved" };
  if (move !== puzzle.solution[made]) {
    const isRefuted = made === 0 && after.result == null;
    return { kind: "wrong", reply: isRefuted ? refutationOf(puzzle, move) : undefined };
  }
  const reply = puzzle.solution[made + 1];
  return reply === undefined ? { kind: "solved" } : { kind: "reply", reply };
}

/**
 * Returns the reply that refutes a wrong move.
 * @param {Puzzle} puzzle
 * @param {string} move
 */
export function refutationOf({ refutations = [] }, move) {
  const listed = refutations.find((each) => each.moves?.includes(move));
  return (listed ?? refutations[0])?.reply;
}
