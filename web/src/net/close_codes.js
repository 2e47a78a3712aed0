// Whether the page reconnects, by the close code.

/** Codes after which another attempt would end the same way. */
const NO_RECONNECT = new Set([1001, 1002, 1003, 1007, 1008, 1009, 4001, 4002, 4003]);

/** The close code after a refused `hello`. */
export const HELLO_REFUSED = 4001;

/**
 * Returns whether to reconnect after this close code. Codes that the protocol does not name come
 * from proxies and crashes and count as a lost connection.
 * @param {number} code
 */
export function shouldReconnect(code) {
  return !NO_RECONNECT.has(code);
}
