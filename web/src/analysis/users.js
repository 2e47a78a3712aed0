// Who plays which seat.

/** The move by which two players change seats. */
const SWAP = "swap";

/**
 * Returns the players by seat after some moves. Twice the same change leads back.
 * @param {readonly string[]} users by seat before them
 * @param {readonly string[]} moves
 */
export function usersAfter(users, moves) {
  const [one, other, ...rest] = users;
  return one !== undefined && other !== undefined && moves.includes(SWAP) ? [other, one, ...rest] : users;
}
