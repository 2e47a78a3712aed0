// The game after this one: a rematch, another level of the server's bot, or a new opponent.

/** @import {App} from "../app.js" */
/** @import {ChallengeClosed, Clock, GameId, NewRequest, Snapshot} from "../wire.js" */

/** @typedef {{ waits: boolean, closed?: Promise<ChallengeClosed> }} Begun whether the game waits for other players, and
 *   the end of a challenge to them */

/**
 * Sends a request that begins a game now or later, and shows that game when it begins.
 * @param {App} app
 * @param {NewRequest} request
 * @returns {Promise<Begun>}
 */
async function begin(app, request) {
  app.games.awaitingStart = true;
  try {
    const done = /** @type {{ game?: GameId, challenge?: string }} */ (await app.connection.request(request));
    const closed = app.games.closedChallenge(done.challenge ?? "");
    const next = done.game ?? closed?.game;
    if (next == null && closed === undefined) {
      const waits = app.games.awaitingStart;
      return done.challenge === undefined ? { waits } : { waits, closed: app.games.closing(done.challenge) };
    }
    app.games.awaitingStart = false;
    if (next != null) app.navigate(`/game/${next}`);
    return { waits: false };
  } catch (error) {
    app.games.awaitingStart = false;
    throw error;
  }
}

/**
 * Requests or accepts a rematch.
 * @param {App} app
 * @param {GameId} game
 */
export function rematch(app, game) {
  return begin(app, { type: "rematch", game });
}

/**
 * Plays the same game against another user, who takes the seat of the opponent.
 * @param {App} app
 * @param {Snapshot} snapshot
 * @param {string} opponent
 */
export function playLevel(app, snapshot, opponent) {
  const me = app.connection.welcome?.user?.name;
  const seats = snapshot.seats.map(({ user }) => (user === me ? user : opponent));
  return begin(app, { type: "challenge", ...settingsOf(snapshot), seats });
}

/**
 * Looks for somebody else to play the same game.
 * @param {App} app
 * @param {Snapshot} snapshot
 */
export function newOpponent(app, snapshot) {
  return begin(app, { type: "seek", ...settingsOf(snapshot), players: snapshot.seats.length });
}

/** @param {Snapshot} snapshot */
function settingsOf({ rules, options, rated, clock }) {
  const { left_ms: _left, running: _running, since: _since, ...control } = clock;
  return { rules, options, rated, clock: /** @type {Clock} */ (control) };
}
