// Texts of errors, clocks and games.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { strings } from "../../src/strings/strings.js";

/** @import {Failed} from "../../src/wire.js" */

/** Returns the error codes that docs/PROTOCOL.md lists. */
async function codes() {
  const text = await readFile(new URL("../../../docs/PROTOCOL.md", import.meta.url), "utf8");
  const rows = text.matchAll(/^\| `([a-z_]+)` \| (?:never|same|after|resync)/gm);
  return [...rows].map(([, code]) => /** @type {Failed["code"]} */ (code));
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
    if (!["forbidden", "not_found", "illegal_move", "rate_limited"].includes(code)) {
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
