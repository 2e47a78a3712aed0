// What the end of a game means for one of its players, or for a spectator.

/** @import {GameEntry, GameResult, HousePlayer, Rated, Snapshot} from "../wire.js" */

/**
 * @typedef {object} Outcome
 * @property {"won" | "lost" | "drawn" | "aborted" | "over"} is `over` for spectators
 * @property {number | undefined} winner the seat that won alone
 * @property {number | undefined} loser the seat that left last, if that ended the game
 */

/** How seats leave a game by themselves. */
const LEFT = new Set(["resigned", "timed_out", "abandoned"]);

/**
 * @param {Pick<Snapshot, "result" | "seats">} game
 * @param {number | undefined} seat
 * @returns {Outcome}
 */
export function outcomeOf({ result, seats }, seat) {
  if (result == null || result.reason === "aborted") return { is: "aborted", winner: undefined, loser: undefined };
  const winner = result.winners.length === 1 ? result.winners[0] : undefined;
  const left = seats.findIndex(({ state }) => state === result.reason && LEFT.has(state));
  // Of two players, the one who left is the one who has not won.
  const loser = LEFT.has(result.reason) && seats.length === 2 && winner !== undefined ? 1 - winner : left < 0 ? undefined : left;
  if (seat === undefined) return { is: "over", winner, loser };
  return { is: outcomeFor(seat, result), winner, loser };
}

/**
 * Returns the seat that a user had in a game, also if a computer has taken it; -1 without one.
 * @param {Pick<GameEntry, "seats" | "substituted">} entry
 * @param {string | undefined} user
 */
export function seatIn({ seats, substituted }, user) {
  const is = (/** @type {string | undefined} */ name) => name?.toLowerCase() === user?.toLowerCase();
  return substituted != null && is(substituted.user) ? substituted.seat : seats.findIndex((seat) => is(seat.user));
}

/**
 * Returns how a game ended for a seat.
 * @param {number} seat
 * @param {Pick<GameResult, "winners" | "reason">} result
 * @returns {"won" | "lost" | "drawn" | "aborted"}
 */
export function outcomeFor(seat, { reason, winners }) {
  if (reason === "aborted") return "aborted";
  if (!winners.includes(seat)) return "lost";
  return winners.length === 1 ? "won" : "drawn";
}

/**
 * Returns the server's bot that plays the game, and the others that could.
 * @param {Snapshot} snapshot
 * @param {readonly HousePlayer[]} house
 */
export function otherLevels({ seats }, house) {
  const at = house.findIndex(({ user }) => seats.some((seat) => seat.user === user));
  return { level: house[at], easier: house[at - 1], harder: at < 0 ? undefined : house[at + 1] };
}

/**
 * Returns a seat's rating before and after a game.
 * @param {Rated | undefined} rated
 * @param {number | undefined} seat
 */
export function ratingChange(rated, seat) {
  const before = rated?.before[seat ?? -1];
  const after = rated?.after[seat ?? -1];
  return before === undefined || after === undefined ? undefined : { before, after, by: after - before };
}
