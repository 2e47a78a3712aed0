// Checks a page with axe, which finds faults of accessibility.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/** @import {Page} from "playwright-core" */

const source = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Returns the problems of a page, whose context must bypass its policy for scripts.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
export async function problems(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  return page.evaluate(async () => {
    const { axe } = /** @type {any} */ (window);
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    return violations.map((/** @type {any} */ each) => `${each.id}: ${each.nodes[0].html} ${each.nodes[0].failureSummary}`);
  });
}
