// Texts of errors, clocks and games.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { LANGUAGES, pickLanguage, strings } from "../../src/strings/strings.js";

/** @import {Failed} from "../../src/wire.js" */

/** Returns the error codes of the protocol's schema. */
async function codes() {
  const text = await readFile(new URL("../../../clients/typescript/src/protocol.ts", import.meta.url), "utf8");
  const union = /export type ErrorCode =([^;]+);/.exec(text)?.[1] ?? "";
  return [...union.matchAll(/"([a-z_]+)"/g)].map(([, code]) => /** @type {Failed["code"]} */ (code));
}

/** Returns the names of the limits that docs/PROTOCOL.md lists. */
async function limits() {
  const text = await readFile(new URL("../../../docs/PROTOCOL.md", import.meta.url), "utf8");
  const rows = text.matchAll(/"limit":"([a-z_]+)"|^\| .* \| .*: `([a-z_]+)` \|$/gm);
  return new Set([...rows].map(([, one, other]) => one ?? other ?? ""));
}

/**
 * @param {Failed["code"]} code
 * @param {string} message
 * @param {Partial<Failed>} [more]
 */
function said(code, message, more = {}) {
  return strings.failed({ type: "error", code, message, retry: "never", ...more });
}

test("every error code has a sentence for players", async () => {
  const all = await codes();
  assert.ok(all.length > 20, all.join());
  for (const code of all) {
    const text = said(code, "layout: a game is named by 1 to 16 letters and digits at line 1 column 34");
    assert.match(text, /^[A-Z].*[.!?]$/, code);
    if (!["forbidden", "not_found", "illegal_move", "rate_limited", "banned", "sign_up_closed", "maintenance", "silenced"].includes(code)) {
      assert.doesNotMatch(text, /column|layout/, code);
    }
  }
  assert.equal(said("not_found", "there is no user ann"), "There is no user ann.");
  assert.equal(said("illegal_move", "c1-c9: c9 is not on the board", { why: "c9 is not on the board" }), "c9 is not on the board.");
  assert.equal(said("bad_message", "layout: a game is named by 1 letter"), "A game is named by 1 letter.");
  assert.match(said("bad_message", "layout: missing field `game`"), /^The server cannot read this/);
  assert.equal(said("bad_message", "-size: from 3 to 9"), "-size: from 3 to 9.");
});

test("rate limits name the limit and the wait", () => {
  const wait = (/** @type {number} */ ms, limit = "messages") =>
    said("rate_limited", "at most 30 seeks a minute", { limit, retry: "after", retry_after_ms: ms });
  assert.equal(wait(1), "That was a little fast. Try again in 1 second.");
  assert.equal(wait(59_001), "That was a little fast. Try again in 60 seconds.");
  assert.equal(wait(61_000), "That was a little fast. Try again in 2 minutes.");
  assert.equal(wait(7_300_000, "seeks_per_min"), "At most 30 seeks a minute. Try again in 3 hours.");
});

test("clocks are described in plain words", () => {
  const fischer = (/** @type {number} */ base, /** @type {number} */ inc) => strings.clock({ mode: "fischer", base_ms: base, inc_ms: inc });
  assert.equal(fischer(60_000, 0), "1 min");
  assert.equal(fischer(180_000, 2_000), "3 min + 2 s a move");
  assert.equal(fischer(86_400_000, 3_600_000), "1 day + 1 hour a move");
  assert.equal(fischer(90_000, 0), "90 s");
  assert.equal(strings.clock({ mode: "byoyomi", base_ms: 0, periods: 3, period_ms: 30_000 }), "0 s + 3 × 30 s");
  assert.equal(strings.clock({ mode: "days", per_move_days: 1 }), "1 day a move");
});

test("the first language of the browser that the page has is used, unless the user chose one", () => {
  assert.equal(pickLanguage(null, ["fr-CH", "de-CH", "en"]), "de");
  assert.equal(pickLanguage("en", ["de-DE"]), "en");
  assert.equal(pickLanguage("constructor", ["fr"]), "en");
});

/** The texts of the other languages. */
const others = await Promise.all(
  Object.entries(LANGUAGES)
    .filter(([code]) => code !== "en")
    .map(async ([code, { load }]) => ({ code, theirs: (await load()).strings })),
);

/**
 * Compares the texts of a language with the English ones.
 * @param {unknown} own
 * @param {unknown} theirs
 * @param {string} where
 */
function compare(own, theirs, where) {
  assert.equal(typeof theirs, typeof own, where);
  if (typeof own === "string") {
    assert.equal(theirs === "", own === "", `${where} is empty`);
  } else if (typeof own === "function") {
    assert.equal(/** @type {Function} */ (theirs).length, own.length, `parameters of ${where}`);
  } else if (own !== null && typeof own === "object") {
    assert.equal(Array.isArray(theirs), Array.isArray(own), where);
    const other = /** @type {Record<string, unknown>} */ (theirs);
    assert.deepEqual(Object.keys(other).sort(), Object.keys(own).sort(), `keys of ${where}`);
    for (const [key, value] of Object.entries(own)) compare(value, other[key], `${where}.${key}`);
  }
}

test("every language has the texts that English has", () => {
  assert.ok(others.length > 0);
  for (const { code, theirs } of others) compare(strings, theirs, code);
});

test("every language describes the games and their options that English describes", () => {
  const options = { adamas: ["size", "pieces", "prog_cap"], stymie: ["size", "swap"], diam: ["board", "pieces", "nomirror"] };
  for (const { code, theirs } of others) {
    for (const kind of strings.kinds) {
      for (const players of [2, 3]) {
        assert.equal(theirs.game.rulesOf(kind, players).length, strings.game.rulesOf(kind, players).length, `${code} ${kind}`);
        for (const seat of [undefined, 0, 1]) assert.notEqual(theirs.game.goal(kind, seat, players), "", `${code} ${kind}`);
      }
    }
    for (const [kind, names] of Object.entries(options)) {
      for (const name of names) compare(strings.option(kind, name), theirs.option(kind, name), `${code} ${kind} -${name}`);
    }
  }
});

test("every error has a sentence in every language", async () => {
  for (const { code, theirs } of others) {
    for (const error of await codes()) {
      const text = theirs.failed({ type: "error", code: error, message: "there is no user ann", retry: "after", retry_after_ms: 60_000 });
      assert.match(text, /^[A-Z].*[.!?)]$/, `${code} ${error}`);
      assert.notEqual(text, said(error, "there is no user ann", { retry_after_ms: 60_000 }), code);
    }
  }
});

test("every limit has a sentence in every language", async () => {
  const all = await limits();
  assert.ok(all.size >= 20, [...all].join());
  for (const { theirs } of others) {
    for (const limit of all) {
      const text = theirs.failed({ type: "error", code: "rate_limited", message: "at most 3", retry: "never", limit });
      assert.match(text, /^[A-ZÄÖÜ][^()]*\.$/, limit);
    }
  }
});

test("every reason why a move is illegal has a sentence in every language", async () => {
  const text = await readFile(new URL("../../../docs/PROTOCOL.md", import.meta.url), "utf8");
  const rows = [...text.matchAll(/^\| `([a-z]+\.[a-z_]+)` \| (.+) \|$/gm)];
  assert.ok(rows.length > 50, String(rows.length));
  for (const [, key = "", template = ""] of rows) {
    const names = new Set([...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name));
    const args = Object.fromEntries([...names].map((name) => [name, `<${name}>`]));
    const answer = { why: "in the server's words", why_key: key, why_args: args };
    assert.equal(strings.why(answer), "In the server's words.");
    for (const { code, theirs } of others) {
      const sentence = theirs.why(answer);
      assert.notEqual(sentence, "In the server's words.", `${code} ${key}`);
      assert.match(sentence, /[.!]$/, `${code} ${key}`);
      assert.doesNotMatch(sentence, /[{}?]/, `${code} ${key}`);
      for (const name of names) assert.ok(sentence.includes(`<${name}>`), `${code} ${key} does not name ${name}`);
    }
  }
  for (const { theirs } of others) assert.equal(theirs.why({ why: "new rule", why_key: "diam.unknown" }), "New rule.");
});
