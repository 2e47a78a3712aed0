// What the protocol allows as names, so that what cannot be one need not be asked for.

/** Bytes of a password, at the least and at the most. */
export const PASSWORD_BYTES = { least: 8, most: 256 };

/**
 * Whether this can be the name of a user.
 * @param {string} text
 */
export function isUserName(text) {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{1,19}$/.test(text);
}

/**
 * Whether this can be the id of a game.
 * @param {string} text
 */
export function isGameId(text) {
  return /^[A-Za-z0-9]{1,16}$/.test(text);
}
