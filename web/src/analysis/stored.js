// What this browser keeps of analyses: the last one, and the game at one screen of each kind.

import { MoveTree } from "./move_tree.js";
import { storage } from "../strings/storage.js";

/** @import {Options} from "../wire.js" */
/** @import {Source} from "../explore/address.js" */
/** @import {StoredNode} from "./move_tree.js" */

const ANALYSIS = "adamant.analysis";
const HOT_SEAT = "adamant.hotseat.";

/**
 * An analysis.
 * @typedef {object} Kept
 * @property {MoveTree} tree
 * @property {readonly string[]} at the moves up to the shown position
 * @property {readonly string[]} users by seat, if they are known
 */

/**
 * A game of several people at one screen.
 * @typedef {object} HotSeatGame
 * @property {Options} options
 * @property {readonly string[]} users in turn order
 * @property {readonly string[]} moves
 */

/**
 * Returns the analysis of this source, if it is the last one.
 * @param {Source} source
 * @returns {Kept | undefined}
 */
export function keptAnalysis(source) {
  const kept = /** @type {{ source: string, tree: StoredNode, at: string[], users: string[] } | undefined} */ (read(ANALYSIS));
  if (kept?.source !== JSON.stringify(source) || !Array.isArray(kept.tree)) return undefined;
  return { tree: MoveTree.from(kept.tree), at: kept.at, users: kept.users };
}

/**
 * @param {Source} source
 * @param {Kept} kept
 */
export function keepAnalysis(source, { tree, at, users }) {
  write(ANALYSIS, { source: JSON.stringify(source), tree, at, users });
}

/**
 * @param {string} rules
 * @returns {HotSeatGame | undefined}
 */
export function keptGame(rules) {
  const game = /** @type {HotSeatGame | undefined} */ (read(HOT_SEAT + rules));
  return Array.isArray(game?.users) && Array.isArray(game.moves) ? game : undefined;
}

/**
 * @param {string} rules
 * @param {HotSeatGame} game
 */
export function keepGame(rules, game) {
  write(HOT_SEAT + rules, game);
}

/** @param {string} key */
function read(key) {
  try {
    return JSON.parse(storage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} key
 * @param {object} value
 */
function write(key, value) {
  storage.setItem(key, JSON.stringify(value));
}
