// Rematches of a finished game.

/** @import {App} from "../app.js" */
/** @import {GameId} from "../wire.js" */

/**
 * Requests or accepts a rematch, and shows the new game when it begins.
 * @param {App} app
 * @param {GameId} game
 * @returns {Promise<boolean>} whether it waits for other players
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
