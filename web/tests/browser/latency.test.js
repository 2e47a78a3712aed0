// A slow line: a click is answered by the page itself, and a crash at any step loses nothing.

import assert from "node:assert/strict";
import { browser, long, server, setUp } from "./harness.js";
import { settled } from "./random_player.js";
import { playAgainstBots } from "./seated.js";
import { clickSource, clickToMark, delay } from "../measure/clicks.js";
import { MARK_MAX_MS } from "../measure/thresholds.js";

setUp();

for (const rules of ["adamas", "hexma", "stymie"]) {
  long(`a click on a board of ${rules} is answered at once on a slow line`, async () => {
    const { page, close, pageErrors } = await playAgainstBots(browser, server, { rules }, { page: { ready: delay } });
    await page.locator(".status.my-turn").waitFor();
    await settled(page);
    const { clicks, marked, ms } = await clickSource(page);
    assert.ok(marked && ms < MARK_MAX_MS, `${rules}: ${JSON.stringify(clicks)}`);
    // The first step came with the turn, so that what can follow it is known, too.
    if (rules !== "stymie") assert.ok((clicks[0]?.targets ?? 0) > 0);
    if (rules === "adamas") {
      const target = await page.locator(".cell.target").first().getAttribute("data-cell");
      const second = await clickToMark(page, target ?? "");
      assert.ok(second.marked && second.ms < MARK_MAX_MS, `the target: ${JSON.stringify(second)}`);
    }
    assert.deepEqual(pageErrors, []);
    await close();
  });
}

long("a crash at any step loses nothing: with a composed move, a sent one, and after its answer", async () => {
  const { page, close } = await playAgainstBots(browser, server, { rules: "stymie" });
  await page.locator(".status.my-turn").waitFor();
  await settled(page);
  await page.locator('.cell[data-cell="c3"]').click();
  await page.locator("button.play:enabled").waitFor();
  const restarted = async () => {
    await server.killAndStart();
    await page.locator(".banner").waitFor({ state: "hidden" });
  };
  await restarted();
  // It is still composed.
  await page.locator("output.move", { hasText: /^c3$/ }).waitFor();
  await Promise.all([page.locator("button.play").click(), server.killAndStart()]);
  await page.locator('[data-ply="1"]').waitFor({ state: "attached" });
  await restarted();
  assert.equal(await page.locator('[data-ply="1"]').count(), 1);
  assert.match((await page.locator(".status").textContent()) ?? "", /^Waiting for /);
  await close();
});
