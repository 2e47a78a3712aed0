// The games that can be played here. The document brings them along, so that a view shows them
// without asking the server.

import { strings } from "../strings/strings.js";

/** @import {GameCatalogue} from "../wire.js" */
/** @import {Connection} from "./connection.js" */

/** The id of the element with the catalogue, as JSON. */
const BLOCK = "catalogue";

/** @type {GameCatalogue | undefined} */
let known;

/** Returns the catalogue that came with the document. */
export function catalogue() {
  const text = globalThis.document?.getElementById(BLOCK)?.textContent;
  if (text) known ??= JSON.parse(text);
  return known;
}

/**
 * Returns the goal of a game in a sentence; empty before the catalogue is known.
 * @param {string} rules
 */
export function goalOf(rules) {
  const game = catalogue()?.games.find((each) => strings.kind(each.rules) === strings.kind(rules));
  return strings.gameGoal(rules, game?.goal ?? "");
}

/**
 * Returns the catalogue, from the server if the document has none.
 * @param {Connection} connection
 * @returns {Promise<GameCatalogue>}
 */
export async function loadCatalogue(connection) {
  known = catalogue() ?? (await connection.request({ type: "catalogue" }));
  return known;
}
