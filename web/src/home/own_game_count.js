// How many live games the user has, as the browser stores it: the front page leaves room for their
// boards before the server has named them.

/** @import {UserGames} from "../net/user_games.js" */

const KEY = "adamant.own-games";

/** The number when the page last knew it. */
export function ownGameCount() {
  return Number(localStorage.getItem(KEY)) || 0;
}

/**
 * Stores the number whenever it changes, on every view.
 * @param {UserGames} games
 */
export function storeOwnGameCount(games) {
  games.onChange(() => {
    const count = String(games.live.size);
    if (localStorage.getItem(KEY) !== count) localStorage.setItem(KEY, count);
  });
}
