// What the code of a closed connection means for coming back.

/** Codes after which the same attempt would end the same way. */
const NO_RECONNECT = new Set([1001, 1003, 1008, 1009, 4001, 4002, 4003]);

/** The code that ends a connection whose `hello` was refused. */
export const HELLO_REFUSED = 4001;

/**
 * Whether to come back after a connection was closed with this code. Codes that the protocol does
 * not name come from proxies and crashes, and are like a lost connection.
 * @param {number} code
 */
export function shouldReconnect(code) {
  return !NO_RECONNECT.has(code);
}
