// What the texts of all languages have in common: units of time, and how texts are put together.

/** @import {Failed, Options} from "../wire.js" */

/** Units of time, in milliseconds. */
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/**
 * Options of games in words: the title, a sentence about the option, its values in a list of
 * choices, and how a game with it is described.
 * @typedef {object} OptionWords
 * @property {string} title
 * @property {string} about
 * @property {(value: any) => string} [choice]
 * @property {(value: any) => string} [set]
 */

/**
 * Why the server refuses a move: its own sentence, and what a translation needs.
 * @typedef {object} Reason
 * @property {string | null} [why]
 * @property {string | null} [why_key]
 * @property {Record<string, unknown> | null} [why_args]
 */

/**
 * The texts of errors in one language.
 * @typedef {object} FailureTexts
 * @property {Record<Failed["code"], string | undefined>} failures by code; `undefined` if `other` has the text
 * @property {Record<string, string>} limits by the name of the limit
 * @property {string} unreadable in place of messages that only programmers understand
 * @property {(reason: Reason) => string} why
 * @property {(said: string, code: Failed["code"]) => string} other from the server's own sentence
 */

/** Matches error messages that only programmers understand. */
const NO_SENTENCE = /^((missing|duplicate) field|invalid (type|value|length)|unknown variant)|at line \d+ column \d+$/;

/** @param {string} rules with or without a version */
export function kind(rules) {
  return rules.split("@")[0] ?? rules;
}

/**
 * Puts a pair such as `8x4` in words.
 * @param {unknown} pair
 * @param {(one: string, other: string) => string} words
 */
export function inPairs(pair, words) {
  const [, one, other] = /^(\d+)x(\d+)$/.exec(String(pair)) ?? [];
  return one === undefined || other === undefined ? String(pair) : words(one, other);
}

/**
 * Options in words, without those that only say what is usual. An option without words has the
 * server's.
 * @param {Record<string, Record<string, OptionWords>>} words by game and option
 * @param {Options} options
 * @param {string} rules
 */
export function optionsInWords(words, options, rules) {
  return Object.entries(options)
    .filter(([, value]) => value !== false)
    .map(([name, value]) => words[kind(rules)]?.[name]?.set?.(value) ?? (value === true ? name : `${name} ${value}`))
    .join(" · ");
}

/**
 * Turns a message of the server into a sentence.
 * @param {string} text
 */
export function sentence(text) {
  // Cells and moves keep their spelling.
  const begun = /^[a-z]+\b/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/**
 * Returns why a move is refused: the language's sentence, or the server's if there is none.
 * @param {Record<string, string>} refusals sentences by key, with names of arguments in braces
 * @param {Reason} reason
 */
export function reasonText(refusals, { why, why_key: key, why_args: args }) {
  const text = refusals[key ?? ""];
  if (text !== undefined) return text.replace(/\{(\w+)\}/g, (_, name) => String(args?.[name] ?? "?"));
  return why == null ? "" : sentence(why);
}

/**
 * @param {FailureTexts} texts
 * @param {Failed} failed
 */
export function failureText({ failures, limits, unreadable, why, other }, failed) {
  const { code, message, limit } = failed;
  // The message of an invalid request begins with its type.
  const said = code === "bad_message" ? message.replace(/^[a-z_]+: /, "") : message;
  if (code === "bad_message" && NO_SENTENCE.test(said)) return unreadable;
  return failures[code] ?? limits[limit ?? ""] ?? (why(failed) || other(sentence(said), code));
}

/** The flags that are on in rated games, and off in others, unless somebody says otherwise. */
export const ON_WHEN_RATED = new Set(["stymie.swap"]);
