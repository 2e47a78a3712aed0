// Addresses of analyses: what they begin from, the shown ply, and the moves that were tried.

/** @import {Options} from "../wire.js" */

/** Moves that the server tries at once. */
export const MOVES_MAX = 512;

/** Letters of an address with moves: more than that many programs cut. */
export const ADDRESS_MAX = 2_000;

/** Letters of a move. */
const MOVE_MAX = 400;

/** Parts of the query that are no options of the game. */
const OWN = ["ply", "players", "hotseat"];

/**
 * What an analysis begins from.
 * @typedef {{ game: string } | { rules: string, options: Options, players: number }} Source
 */

/**
 * What an address says.
 * @typedef {object} Address
 * @property {Source} source
 * @property {number} from the ply of the game from which the moves were tried
 * @property {readonly string[]} moves
 * @property {number | undefined} ply the shown ply; by default the last one
 */

/**
 * Returns the address of an analysis. Moves that are too long for it are left out.
 * @param {Address} address
 */
export function addressOf({ source, from, moves, ply }) {
  const query = new URLSearchParams();
  if (!("game" in source)) {
    for (const [name, value] of Object.entries(source.options)) query.set(name, String(value));
    if (source.players !== 2) query.set("players", String(source.players));
  }
  if (ply !== undefined) query.set("ply", String(ply));
  const path = "game" in source ? `/analysis/game/${source.game}` : `/analysis/${source.rules}`;
  const start = query.size === 0 ? path : `${path}?${query}`;
  if (moves.length === 0) return { path: start, isWhole: true };
  const whole = `${start}#${"game" in source ? `${from}:` : ""}${encodeURI(moves.join(";"))}`;
  const isWhole = whole.length <= ADDRESS_MAX;
  return { path: isWhole ? whole : start, isWhole };
}

/**
 * Reads the address of an analysis.
 * @param {{ game: string } | { rules: string }} what
 * @param {string} search
 * @param {string} hash
 * @returns {Address}
 */
export function readAddress(what, search, hash) {
  const query = new URLSearchParams(search);
  const [, from = "0", text = ""] = /^#(?:(\d{1,5}):)?(.*)$/.exec(hash) ?? [];
  const ply = query.get("ply");
  return {
    source: "game" in what ? what : { rules: what.rules, options: optionsOf(query), players: numberOf(query.get("players")) ?? 2 },
    from: Number(from),
    moves: movesOf(text),
    ply: numberOf(ply),
  };
}

/** @param {string} text */
function movesOf(text) {
  try {
    const moves = decodeURIComponent(text).split(";").filter((move) => move !== "");
    return moves.every((move) => move.length <= MOVE_MAX) ? moves.slice(0, MOVES_MAX) : [];
  } catch {
    return [];
  }
}

/** @param {string | null} text */
function numberOf(text) {
  return text !== null && /^\d{1,5}$/.test(text) ? Number(text) : undefined;
}

/** @param {URLSearchParams} query */
function optionsOf(query) {
  const given = [...query].filter(([name]) => !OWN.includes(name) && /^[a-z_]{1,16}$/.test(name));
  return Object.fromEntries(given.map(([name, value]) => [name, optionValue(value)]));
}

/**
 * Returns the value of an option from its text.
 * @param {string} text
 */
export function optionValue(text) {
  if (text === "true" || text === "false") return text === "true";
  return /^\d+$/.test(text) ? Number(text) : text;
}
