// The puzzles: their file, and what each answer comes to. `adamant puzzles check` has proved that a
// puzzle has one solution; the file names the replies to wrong moves.

/** @import {Explored, Options} from "../wire.js" */

/**
 * @typedef {object} Puzzle
 * @property {string} id
 * @property {string} rules
 * @property {Options} options
 * @property {number} players
 * @property {string[]} moves to the position
 * @property {"win" | "save"} goal
 * @property {number} plies in which the game is won, or lost after a wrong move
 * @property {number} choices how many moves are legal
 * @property {string[]} solution for a win with the longest defence and the end
 * @property {string[]} [spellings] other moves to the position of the solution
 * @property {{ reply: string, moves?: string[] }[]} [refutations] the first one answers all moves that no other lists
 */

/**
 * What an answer comes to: it solves the puzzle; it is right, and the reply comes; or it is wrong,
 * and perhaps a reply shows it.
 * @typedef {{ kind: "solved" } | { kind: "reply", reply: string } | { kind: "wrong", reply: string | undefined }} Verdict
 */

/** @type {Promise<Puzzle[]> | undefined} */
let loaded;

/** Loads the puzzles, once. */
export function allPuzzles() {
  loaded ??= fetch(new URL("./puzzles.json", import.meta.url)).then((response) => {
    if (!response.ok) throw new Error(String(response.status));
    return response.json();
  });
  loaded.catch(() => (loaded = undefined));
  return loaded;
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
  if (isWon) return { kind: "solved" };
  if (made > 0) return { kind: "wrong", reply: undefined };
  const isRight = move === puzzle.solution[0] || puzzle.spellings?.includes(move) === true;
  if (!isRight) return { kind: "wrong", reply: after.result == null ? refutationOf(puzzle, move) : undefined };
  const reply = puzzle.solution[1];
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
