// What a first visit costs: bytes, requests, and the time to the first paint far from the server.

import assert from "node:assert/strict";
import { startDistantProxy } from "./distant_proxy.js";
import { browser, long, server, setUp, visit } from "./harness.js";
import { firstPaint, loaded, visitFirst } from "../measure/first_visit.js";
import { FIRST_PAINT_MAX_MS, REQUESTS_MAX, ROUND_TRIP_MS, TRANSFER_MAX } from "../measure/thresholds.js";

/** Visits of which the fastest counts: other tests run beside this one. */
const VISITS = 3;

/** @type {Awaited<ReturnType<typeof startDistantProxy>>} */
let proxy;

setUp({
  ready: async () => {
    proxy = await startDistantProxy(server.url, ROUND_TRIP_MS);
    return () => proxy.stop();
  },
});

long("a first visit is small, and a second one requests only the document", async (t) => {
  const { page, context, pageErrors, entries: first, bytes } = await visitFirst(browser, server.url);
  t.diagnostic(`first visit: ${first.length} requests, ${bytes} bytes`);
  assert.ok(first.length <= REQUESTS_MAX, first.map(({ name }) => name).join("\n"));
  assert.ok(bytes > 10_000 && bytes < TRANSFER_MAX, `${bytes} bytes`);
  await page.reload();
  await page.locator("[data-rules]").first().waitFor();
  const again = (await loaded(page)).filter((entry) => entry.bytes > 0 && entry.name !== page.url());
  assert.deepEqual(again, []);
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("the front page shows the games soon, far from the server", async (t) => {
  const times = [];
  for (let count = 0; count < VISITS; count += 1) {
    const { page, context, pageErrors } = await visit(browser, proxy.url);
    await page.locator("[data-rules]").first().waitFor();
    times.push(await firstPaint(page));
    assert.deepEqual(pageErrors, []);
    await context.close();
  }
  t.diagnostic(`first paint: ${times.map(Math.round).join(", ")} ms`);
  assert.ok(Math.min(...times) <= FIRST_PAINT_MAX_MS, `${times.join()} ms`);
});
