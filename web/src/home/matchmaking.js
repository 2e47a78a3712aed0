// Starting games: against the house, by a challenge, or with whoever comes.

/** @import {Clock, GameId, Question} from "../wire.js" */
/** @import {App} from "../main.js" */

/**
 * What a game is to be.
 * @typedef {object} Terms
 * @property {string} rules
 * @property {Record<string, boolean | number | string>} [options]
 * @property {Clock} [clock]
 * @property {boolean} [rated]
 */

/**
 * Challenges others and, if that begins a game at once, shows it.
 * @param {App} app
 * @param {Terms} terms
 * @param {string[]} others
 * @param {number | "random"} seat one's own
 * @param {{ atOnce?: boolean }} [they] whether they accept at once, as the house does
 * @returns {Promise<string | undefined>} the challenge, if it waits for an answer
 */
export async function challenge(app, terms, others, seat, { atOnce = false } = {}) {
  await app.identity.ensure();
  const me = app.connection.welcome?.user?.name ?? "";
  const seats = [...others];
  seats.splice(seat === "random" ? 0 : seat, 0, me);
  const begun = firstGame(app);
  try {
    const done = await app.connection.request({
      type: "challenge",
      ...terms,
      seats,
      shuffle: seat === "random",
    });
    const challenge = done.challenge ?? "";
    // The game may have begun before this answer came.
    const game = app.games.closing(challenge)?.game ?? (atOnce ? await begun.game : undefined);
    if (game != null) app.go(`/game/${game}`);
    else {
      app.games.expected = true;
      await app.games.asked();
    }
    return game == null ? challenge : undefined;
  } finally {
    begun.stop();
  }
}

/**
 * Looks for opponents and, if that begins a game at once, shows it.
 * @param {App} app
 * @param {Terms} terms
 * @param {Omit<Extract<Question, { type: "seek" }>, "type" | keyof Terms>} wishes
 * @returns {Promise<string | undefined>} the seek, if it waits for somebody
 */
export async function seek(app, terms, wishes) {
  await app.identity.ensure();
  const done = await app.connection.request({ type: "seek", ...terms, ...wishes });
  if (done.game != null) app.go(`/game/${done.game}`);
  else app.games.expected = true;
  return done.game == null ? (done.seek ?? undefined) : undefined;
}

/**
 * Joins a seek or agrees to a challenge and, if that begins a game, shows it.
 * @param {App} app
 * @param {{ seek: string } | { challenge: string }} which
 */
export async function accept(app, which) {
  await app.identity.ensure();
  const done = await app.connection.request({ type: "accept", ...which });
  if (done.game != null) app.go(`/game/${done.game}`);
  // Others have yet to come.
  else app.games.expected = true;
}

/**
 * Asks for a finished game once more, or agrees to that, and shows the new game as soon as it begins.
 * @param {App} app
 * @param {GameId} game
 * @returns {Promise<boolean>} whether it waits for others
 */
export async function rematch(app, game) {
  app.games.expected = true;
  const done = await app.connection.request({ type: "rematch", game });
  const next = done.game ?? app.games.closing(done.challenge ?? "")?.game;
  if (next == null) return app.games.expected;
  app.games.expected = false;
  app.go(`/game/${next}`);
  return false;
}

/**
 * The next game that begins.
 * @param {App} app
 */
function firstGame(app) {
  let stop = () => {};
  /** @type {Promise<GameId>} */
  const game = new Promise((resolve) => {
    stop = app.games.started(resolve);
  });
  return { game, stop };
}
