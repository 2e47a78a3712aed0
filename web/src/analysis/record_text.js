// Records of games as text: reads those that people write, journals, and plain moves, and writes
// the first form. Whether the moves are legal is for the server to say.

import { strings } from "../strings/strings.js";
import { optionValue } from "../explore/address.js";

/** @import {Options} from "../wire.js" */

const t = strings.analysis.record;

/** Characters of a record: as many as the server's programs read. */
export const RECORD_MAX = 1 << 20;

/** Letters of a name in a written record. */
const NAME_MAX = 32;

/** Letters of a mistaken line that are repeated. */
const QUOTED_MAX = 30;

/** A skip, which follows by the rules. */
const SKIP = "pass";

/** What a move can be written with. */
const MOVE = /^[A-Za-z0-9][A-Za-z0-9,+-]{0,399}$/;

/**
 * A record as read.
 * @typedef {object} GameRecord
 * @property {string | undefined} rules the kind of game, if the record says it
 * @property {Options} options
 * @property {string[]} users by seat; empty if the record names none
 * @property {string[]} moves
 * @property {boolean} isCut whether it goes on after a player has left, which cannot be analysed
 */

/** Why a text is no record, as a sentence. */
export class RecordError extends Error {}

/**
 * Reads a record.
 * @param {string} text
 * @returns {GameRecord}
 */
export function readRecord(text) {
  if (text.length > RECORD_MAX) throw new RecordError(t.tooLong);
  // What is not text has such characters.
  if (/[\u0000-\u0008\ufffd]/.test(text)) throw new RecordError(t.noText);
  const content = text.replace(/^\ufeff/, "");
  return content.trimStart().startsWith("{") ? readJournal(content) : readText(content);
}

/** @param {string} text */
function readJournal(text) {
  /** @type {GameRecord | undefined} */
  let record;
  let left = false;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const event = parse(line);
    if (event === undefined) throw new RecordError(t.noEvent(index + 1));
    if (event.kind === "created" && typeof event.rules === "string") {
      const users = Array.isArray(event.seats) ? event.seats.map((/** @type {any} */ seat) => String(seat?.user ?? seat)) : [];
      record = { rules: strings.kind(event.rules), options: event.options ?? {}, users, moves: [], isCut: false };
    }
    if (record === undefined) throw new RecordError(t.noStart);
    // Skips count until the end, because a takeback names a ply.
    if (event.kind === "taken_back") record.moves = record.moves.slice(0, Number(event.ply) || 0);
    const move = event.kind === "moved" ? event.move : { swapped: "swap", skipped: SKIP }[/** @type {string} */ (event.kind)];
    if (typeof move === "string") {
      record.isCut ||= left;
      if (!left) record.moves.push(move);
    }
    left ||= event.kind === "removed" && ["resigned", "timed_out", "abandoned"].includes(event.reason);
  }
  if (record === undefined) throw new RecordError(t.noStart);
  return { ...record, moves: record.moves.filter((move) => move !== SKIP) };
}

/**
 * @param {string} line
 * @returns {any}
 */
function parse(line) {
  try {
    const event = JSON.parse(line);
    return event !== null && typeof event === "object" ? event : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} text
 * @returns {GameRecord}
 */
function readText(text) {
  /** @type {GameRecord} */
  let record = { rules: undefined, options: {}, users: [], moves: [], isCut: false };
  let [isFirst, isOver] = [true, false];
  for (const [index, row] of text.split("\n").entries()) {
    let words = (row.split("#")[0] ?? "").trim().split(/\s+/).filter((word) => word !== "");
    if (words.length === 0) continue;
    if (isFirst && words[1]?.toLowerCase() === "challenge") record = readChallenge(words);
    else {
      // Numbers of moves, and who gives up.
      words = words.map((word) => word.replace(/^\d+\.+/, "")).filter((word, at) => word !== "" && !(at === 0 && /^\d+$/.test(word)));
      if (words[1]?.toLowerCase() === "resign") words = words.slice(1);
      for (const word of words) {
        const low = word.toLowerCase();
        if (low === SKIP) continue;
        if (!MOVE.test(word)) throw new RecordError(t.noMove(index + 1, word.slice(0, QUOTED_MAX)));
        record.isCut ||= isOver;
        if (isOver) continue;
        if (low === "resign" || low === "draw") isOver = true;
        else record.moves.push(word);
      }
    }
    isFirst = false;
  }
  if (isFirst) throw new RecordError(t.empty);
  return record;
}

/**
 * @param {string[]} words
 * @returns {GameRecord}
 */
function readChallenge([rules = "", , ...words]) {
  const kind = rules.toLowerCase();
  if (!strings.kinds.includes(kind)) throw new RecordError(t.noGame(rules.slice(0, QUOTED_MAX)));
  const options = words.filter((word) => word.startsWith("-")).map((word) => /^--?([^=]+)(?:=(.*))?$/.exec(word));
  const given = options.map((option) => [option?.[1]?.toLowerCase() ?? "", flag(option?.[2])]);
  return { rules: kind, options: Object.fromEntries(given), users: words.filter((word) => !word.startsWith("-")), moves: [], isCut: false };
}

/** @param {string | undefined} text */
function flag(text) {
  if (text === undefined || text === "on") return true;
  return text === "off" ? false : optionValue(text);
}

/**
 * Writes a record.
 * @param {{ rules: string, options: Options, users: readonly string[], moves: readonly string[] }} game
 */
export function writeRecord({ rules, options, users, moves }) {
  const given = Object.entries(options).filter(([, value]) => value !== false);
  const words = given.map(([name, value]) => (value === true ? `-${name}` : `-${name}=${value}`));
  return [[strings.kind(rules), "challenge", ...words, ...users.map(recordName)].join(" "), ...moves, ""].join("\n");
}

/**
 * Returns a name as records allow it.
 * @param {string} user
 * @param {number} seat
 * @param {readonly string[]} users
 */
function recordName(user, seat, users) {
  const plain = (/** @type {string} */ name) => name.normalize("NFD").replace(/[^A-Za-z0-9_-]+/g, "").replace(/^[_-]+/, "").slice(0, NAME_MAX - 2);
  const name = plain(user) || `player${seat + 1}`;
  return users.slice(0, seat).some((other) => plain(other).toLowerCase() === name.toLowerCase()) ? `${name}-${seat + 1}` : name;
}
