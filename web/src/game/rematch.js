// Playing a finished game again.

/** @import {App} from "../app.js" */
/** @import {GameId} from "../wire.js" */

/**
 * Asks for a finished game once more, or agrees to that, and shows the new game as soon as it begins.
 * @param {App} app
 * @param {GameId} game
 * @returns {Promise<boolean>} whether it waits for others
 */
export async function rematch(app, game) {
  app.games.awaitingStart = true;
  const done = await app.connection.request({ type: "rematch", game });
  const next = done.game ?? app.games.closedChallenge(done.challenge ?? "")?.game;
  if (next == null) return app.games.awaitingStart;
  app.games.awaitingStart = false;
  app.navigate(`/game/${next}`);
  return false;
}
