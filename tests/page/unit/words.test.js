// What the page says: of refusals, clocks and games.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { words } from "../../../server/web/words.js";

/** @import {Failed} from "../../../server/web/wire.js" */

/** The codes of errors that the protocol's document lists. */
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
  return words.failed({ type: "error", code, message, retry: "never", ...more });
}

test("every refusal is a sentence for people", async () => {
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
  assert.equal(said("bad_message", "-size: from 3 to 9"), "-size: from 3 to 9.");
});

test("a limit is worded by its name, and the wait is named", () => {
  const wait = (/** @type {number} */ ms, limit = "messages") =>
    said("rate_limited", "at most 30 seeks a minute", { limit, retry: "after", retry_after_ms: ms });
  assert.equal(wait(1), "That was a little fast. Try again in 1 second.");
  assert.equal(wait(59_001), "That was a little fast. Try again in 60 seconds.");
  assert.equal(wait(61_000), "That was a little fast. Try again in 2 minutes.");
  assert.equal(wait(7_300_000, "seeks_per_min"), "At most 30 seeks a minute. Try again in 3 hours.");
});
