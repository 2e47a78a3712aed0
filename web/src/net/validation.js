// Checks names and ids before the page sends them.

/** Length of a password in bytes. */
export const PASSWORD_BYTES = { least: 8, most: 256 };

/**
 * Returns whether this is a valid user name.
 * @param {string} text
 */
export function isUserName(text) {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{1,19}$/.test(text);
}

/**
 * Returns whether this is a valid game id.
 * @param {string} text
 */
export function isGameId(text) {
  return /^[A-Za-z0-9]{1,16}$/.test(text);
}

/**
 * Returns whether this is a valid name of an invitation.
 * @param {string} text
 */
export function isInvite(text) {
  return /^[A-Za-z0-9_]{3,64}$/.test(text);
}
