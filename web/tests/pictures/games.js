// Games whose positions look as if people had played them: the server's own search chooses the
// moves.

/** @import {Bot} from "../browser/bots.js" */

/** The strength of the moves. */
const LEVEL = "medium";

/**
 * Plays a game up to a number of moves.
 * @param {Bot} adviser who does not play it: the server advises no player of a live game
 * @param {Bot[]} bots by seat; an even number of moves of two bots leaves the first to move
 * @param {string} rules
 * @param {number} plies
 * @returns {Promise<{ game: string }>}
 */
export async function play(adviser, bots, rules, plies) {
  const [first, ...others] = /** @type {[Bot, ...Bot[]]} */ (bots);
  const seats = bots.map(({ name }) => name);
  const clock = { mode: "fischer", base_ms: 600_000, inc_ms: 5_000 };
  const { challenge } = await first.request({ type: "challenge", rules, seats, clock });
  let game = "";
  for (const other of others) ({ game } = await other.request({ type: "accept", challenge }));
  /** @type {string[]} */
  const moves = [];
  const players = bots.length;
  while (moves.length < plies) {
    const { opinion } = await adviser.request({ type: "explore", rules, players, moves, opinion: LEVEL });
    if (opinion == null) throw new Error(`${rules} is over after ${moves.join(" ")}`);
    const mover = /** @type {Bot} */ (bots[moves.length % players]);
    await mover.request({ type: "move", game, turn: moves.length, move: opinion.best });
    moves.push(opinion.best);
  }
  return { game };
}
