// What a challenge or an invitation asks for, in words to read before accepting it.

import { strings } from "../strings/strings.js";

/** @import {Clock, Options} from "../wire.js" */

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
