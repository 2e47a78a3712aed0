// Games against the computer: the server's own players, one for each level.

import { strings } from "../strings/strings.js";

/** @import {App} from "../app.js" */
/** @import {ChallengeClosed, HousePlayer, Snapshot} from "../wire.js" */

/** All levels, the weakest first: their numbers on the page are their places. */
export const LEVELS = ["easy", "level2", "level3", "medium", "level5", "level6", "level7", "hard"];

/** The level of a first game. */
const FIRST = "level2";

/** The rating for which the first level is proposed, and the points for which it is one level more. */
const [RATING_FIRST, RATING_STEP] = [1_200, 150];

/**
 * Proposes a level to a user.
 * @param {number | undefined} rating of the user in the game, if there is one
 */
export function proposedLevel(rating) {
  if (rating === undefined) return FIRST;
  const more = Math.round((rating - RATING_FIRST) / RATING_STEP);
  return LEVELS[Math.min(Math.max(LEVELS.indexOf(FIRST) + more, 0), LEVELS.length - 1)] ?? FIRST;
}

/** The storage key of the chosen level. */
const KEY = "adamant.level";

/**
 * The level that the user has chosen, if any.
 * @param {Pick<Storage, "getItem">} storage
 */
export function savedLevel(storage) {
  const saved = storage.getItem(KEY);
  return LEVELS.find((level) => level === saved);
}

/**
 * Remembers the level of the next game.
 * @param {Pick<Storage, "setItem">} storage
 * @param {string} level
 */
export function saveLevel(storage, level) {
  storage.setItem(KEY, level);
}

/**
 * Returns the server's players, the one of a level first, and then the nearest ones.
 * @param {HousePlayer[]} house
 * @param {string} wanted the level
 */
export function nearest(house, wanted) {
  const away = (/** @type {HousePlayer} */ { level }) => Math.abs(LEVELS.indexOf(level) - LEVELS.indexOf(wanted));
  return [...house].sort((one, other) => away(one) - away(other));
}

/**
 * Plays the computer at a level, in a game of three in both other seats. While it has no time
 * there, it plays at another, and the page says why.
 * @param {App} app
 * @param {{ rules: string }} config
 * @param {HousePlayer[]} house
 * @param {string} wanted the level
 * @param {{ players?: number, seat?: number | "random" }} [table] the number of players, and the seat of the user
 * @returns {Promise<boolean>} whether there is a computer to play
 */
export async function playComputer(app, config, house, wanted, { players = 2, seat = 0 } = {}) {
  let free = nearest(house, wanted).flatMap(({ user, twin }) => (players > 2 && twin != null ? [user, twin] : [user]));
  const chosen = free.slice(0, players - 1);
  if (chosen.length < players - 1) return false;
  await app.identity.ensureUser();
  const me = app.connection.welcome?.user?.name ?? "";
  /** @type {ChallengeClosed | undefined} */
  let refused;
  app.games.asksHouse = true;
  try {
    while (free.length >= players - 1) {
      const others = free.slice(0, players - 1);
      const seats = [...others];
      seats.splice(seat === "random" ? 0 : seat, 0, me);
      const { challenge = "" } = await app.connection.request({ type: "challenge", ...config, seats, shuffle: seat === "random" });
      const closed = await app.games.closing(challenge);
      if (closed.game != null) {
        app.navigate(`/game/${closed.game}`);
        const instead = others.filter((user) => !chosen.includes(user)).map((user) => strings.player(user)).join(", ");
        if (refused !== undefined) app.showToast(strings.house.instead(refusalText(refused), instead));
        return true;
      }
      refused ??= closed;
      if (closed.reason !== "busy") break;
      free = free.filter((user) => user !== (closed.by ?? others[0]));
    }
  } finally {
    app.games.asksHouse = false;
  }
  if (refused !== undefined) app.showToast(refusalText(refused));
  return true;
}

/**
 * Lets the computer play itself at a level, and shows the game.
 * @param {App} app
 * @param {{ rules: string }} config
 * @param {HousePlayer[]} house
 * @param {string} level
 * @param {number} players
 */
export async function watchComputers(app, config, house, level, players) {
  const seats = nearest(house, level).flatMap(({ user, twin }) => (twin == null ? [user] : [user, twin])).slice(0, players);
  await app.identity.ensureUser();
  const { game } = await app.connection.request({ type: "challenge", ...config, seats });
  if (game != null) app.navigate(`/game/${game}`);
}

/** A game against the computer without a clock that lies so long, in milliseconds, takes none of its time. */
const PARKED_AFTER_MS = 120_000;

/**
 * Returns whether a game against the computer has been left lying: nothing happens until the user moves.
 * @param {Snapshot} snapshot
 * @param {number | undefined} seat the user's seat
 * @param {number} now the server's time
 */
export function isParked({ seats, to_move, clock, result, at }, seat, now) {
  if (result || seat === undefined || to_move !== seat || clock.left_ms != null) return false;
  const isAlone = seats.every(({ user }, index) => index === seat || strings.game.isComputer(user));
  return isAlone && now - at >= PARKED_AFTER_MS;
}

/** Whose games are too many, by the limit that the server names. @type {Record<string, string>} */
const BUSY = { house_games_per_user: "busy_with_you", house_games_per_network: "busy_network" };

/**
 * Why a challenge was not accepted, as far as the server says.
 * @param {ChallengeClosed} closed
 */
export function refusalText({ by, reason, limit }) {
  return strings.home.refused(strings.player(by ?? ""), BUSY[limit ?? ""] ?? reason);
}
