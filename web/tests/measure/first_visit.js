// What a first visit costs: bytes, requests, and the time to the first paint.

import { visit } from "../browser/harness.js";

/** @import {Browser, Page} from "playwright-core" */

/**
 * Returns what a page has loaded over HTTP.
 * @param {Page} page
 */
export function loaded(page) {
  return page.evaluate(() =>
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map((entry) => ({
      name: entry.name,
      bytes: /** @type {PerformanceResourceTiming} */ (entry).transferSize,
    })),
  );
}

/**
 * Opens the front page as a new visitor, with an empty cache.
 * @param {Browser} browser
 * @param {string} url
 */
export async function visitFirst(browser, url) {
  const visitor = await visit(browser, url);
  await visitor.page.locator("[data-rules]").first().waitFor();
  const entries = await loaded(visitor.page);
  return { ...visitor, entries, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/**
 * Returns when a page first painted something, in milliseconds after its address was requested.
 * @param {Page} page
 * @returns {Promise<number>}
 */
export function firstPaint(page) {
  return page.evaluate(
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
}
