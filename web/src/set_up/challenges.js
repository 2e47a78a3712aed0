// Challenges, invitations and seeks: how they are made and accepted, and their terms in words.

import { strings } from "../strings/strings.js";

/** @import {App} from "../app.js" */
/** @import {Clock, NewRequest, Options, SeekEntry} from "../wire.js" */

/**
 * The settings of a game.
 * @typedef {object} GameConfig
 * @property {string} rules
 * @property {Record<string, boolean | number | string>} [options]
 * @property {Clock} [clock]
 * @property {boolean} [rated]
 * @property {number} [delay]
 * @property {boolean} [unlisted]
 */

/**
 * Challenges other users. Shows the game if it begins immediately.
 * @param {App} app
 * @param {GameConfig} config
 * @param {string[]} others
 * @param {number | "random"} seat the user's own seat
 * @returns {Promise<string | undefined>} the challenge, if it waits for an answer
 */
export async function challenge(app, config, others, seat) {
  await app.identity.ensureUser();
  const me = app.connection.welcome?.user?.name ?? "";
  const seats = [...others];
  seats.splice(seat === "random" ? 0 : seat, 0, me);
  const done = await app.connection.request({
    type: "challenge",
    ...config,
    seats,
    shuffle: seat === "random",
  });
  const challenge = done.challenge ?? "";
  // It may have been closed before this reply came.
  const closed = app.games.closedChallenge(challenge);
  if (closed?.game != null) app.navigate(`/game/${closed.game}`);
  // The page reports a refusal on every view.
  if (closed !== undefined) return undefined;
  app.games.awaited.add(challenge);
  await app.games.refreshOutgoing();
  return challenge;
}

/**
 * Makes an invitation for anybody who has its link.
 * @param {App} app
 * @param {GameConfig} config
 * @param {{ players: number, seat: number | "random" }} table
 * @returns {Promise<string>} the invitation
 */
export async function invite(app, config, table) {
  await app.identity.ensureUser();
  const done = await app.connection.request({ type: "invite", ...config, ...table });
  app.games.awaited.add(done.invite);
  return done.invite ?? "";
}

/**
 * Looks for opponents. Shows the game if it begins immediately.
 * @param {App} app
 * @param {GameConfig} config
 * @param {Omit<Extract<NewRequest, { type: "seek" }>, "type" | keyof GameConfig> & { lasting?: boolean, rating?: { min: number, max: number } }} terms
 * @returns {Promise<string | undefined>} the seek, if it waits for players
 */
export async function seek(app, config, terms) {
  await app.identity.ensureUser();
  const done = await app.connection.request({ type: "seek", ...config, ...terms });
  if (done.game != null) app.navigate(`/game/${done.game}`);
  else app.games.awaited.add(done.seek);
  return done.game == null ? (done.seek ?? undefined) : undefined;
}

/**
 * Accepts a seek, a challenge or an invitation. Shows the game if it begins.
 * @param {App} app
 * @param {{ seek: string } | { challenge: string } | { invite: string }} which
 */
export async function accept(app, which) {
  await app.identity.ensureUser();
  const done = await app.connection.request({ type: "accept", ...which });
  if (done.game != null) app.navigate(`/game/${done.game}`);
  // The game waits for further players.
  else app.games.awaited.add(Object.values(which)[0]);
}

/**
 * What all challenges and invitations have in common.
 * @typedef {object} Terms
 * @property {string} rules
 * @property {Options} options
 * @property {Clock} clock
 * @property {boolean} rated
 * @property {number} [delay]
 */

/**
 * The terms, the game first.
 * @param {Terms} terms
 * @param {{ untimed_ms: number, timed_ms: number } | undefined} [claimAfter]
 */
export function termsInWords({ rules, options, clock, rated, delay }, claimAfter) {
  const { rated: ratedText, unrated } = strings.home;
  return [
    strings.gameName(rules),
    rated ? ratedText : unrated,
    strings.clock(clock),
    strings.options(options, rules),
    delay ? strings.newGame.delayed(delay) : "",
    claimAfter === undefined ? "" : strings.claimAfter(clock.mode, claimAfter),
  ].filter((each) => each !== "");
}

/**
 * Where the user sits in a challenge.
 * @param {{ seats: string[], shuffle: boolean }} challenge
 * @param {string} user
 */
export function seatInWords({ seats, shuffle }, user) {
  return shuffle ? strings.challenge.randomSeat : strings.challenge.seat(seats.indexOf(user));
}

/**
 * The terms of a seek.
 * @param {SeekEntry} seek
 */
export function seekInWords(seek) {
  const t = strings.home;
  return [
    strings.gameName(seek.rules),
    strings.clock(seek.clock),
    strings.options(seek.options, seek.rules),
    seek.players > 2 && t.seated(seek.joined.length, seek.players),
    seek.rated && t.rated,
    seek.rating != null && t.ratedFrom(seek.rating.min, seek.rating.max),
    seek.bot && strings.game.bot,
  ]
    .filter(Boolean)
    .join(" · ");
}
