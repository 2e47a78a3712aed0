// How many moves a takeback takes back: the server returns to the beginning of the last turn in which
// the player who asks has moved.

/** @import {Snapshot} from "../wire.js" */

/** A skipped turn among the moves, and a change of seats, which nobody takes back. */
const [SKIP, SWAP] = ["pass", "swap"];

/**
 * @param {Pick<Snapshot, "moves" | "seats" | "to_move">} snapshot
 * @param {number} seat who asks
 * @returns {number} none if the player has no move to take back; one if it is unknown, as after the end of a player
 */
export function takenBack({ moves, seats, to_move: next }, seat) {
  if (next == null || seats.some(({ state }) => state !== "in")) return 1;
  let taken = 0;
  for (let back = 1; back <= moves.length; back += 1) {
    const mover = (next - back + back * seats.length) % seats.length;
    const move = moves[moves.length - back];
    if (move === SWAP) return 0;
    if (move === SKIP) continue;
    taken += 1;
    if (mover === seat) return taken;
  }
  return 0;
}
