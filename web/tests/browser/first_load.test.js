// What a first visit costs: bytes, requests, and the time to the first paint far from the server.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startDistantProxy } from "./distant_proxy.js";
import { setUp, visit } from "./harness.js";

/** @import {Page} from "playwright-core" */

/** Bytes that a first visit may transfer. */
const TRANSFER_MAX = 150_000;

/** The requests before the first view: document, styles, script, texts, icon, manifest. */
const REQUESTS_MAX = 8;

/** The time to the server and back, in milliseconds, and to the first paint that far away. */
const [ROUND_TRIP_MS, FIRST_PAINT_MAX_MS] = [300, 2_000];

/** Visits of which the fastest counts: other tests run beside this one. */
const VISITS = 3;

const { server, browser } = await setUp();
const proxy = await startDistantProxy(server.url, ROUND_TRIP_MS);
after(() => proxy.stop());

/**
 * Returns what the page has loaded over HTTP.
 * @param {Page} page
 */
function loaded(page) {
  return page.evaluate(() =>
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map((entry) => ({
      name: entry.name,
      bytes: /** @type {PerformanceResourceTiming} */ (entry).transferSize,
    })),
  );
}

test("a first visit is small, and a second one requests only the document", async (t) => {
  const { page, context, pageErrors } = await visit(browser, server.url);
  await page.locator("[data-rules]").first().waitFor();
  const first = await loaded(page);
  const bytes = first.reduce((sum, entry) => sum + entry.bytes, 0);
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

test("the front page shows the games soon, far from the server", async (t) => {
  const times = [];
  for (let count = 0; count < VISITS; count += 1) {
    const { page, context, pageErrors } = await visit(browser, proxy.url);
    await page.locator("[data-rules]").first().waitFor();
    const paint = await page.evaluate(
      () =>
        new Promise((resolve) => {
          new PerformanceObserver((list, observer) => {
            const entry = list.getEntriesByName("first-contentful-paint")[0];
            if (entry === undefined) return;
            observer.disconnect();
            resolve(entry.startTime);
          }).observe({ type: "paint", buffered: true });
        }),
    );
    times.push(Number(paint));
    assert.deepEqual(pageErrors, []);
    await context.close();
  }
  t.diagnostic(`first paint: ${times.map(Math.round).join(", ")} ms`);
  assert.ok(Math.min(...times) <= FIRST_PAINT_MAX_MS, `${times.join()} ms`);
});
