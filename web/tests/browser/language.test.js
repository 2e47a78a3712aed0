// The page in the language of the browser, and the switch to another.

import assert from "node:assert/strict";
import { browser, long, server, setUp, typeMove, visit } from "./harness.js";

setUp();

long("a German browser sees German until its user switches to English", async () => {
  const { page, context, pageErrors } = await visit(browser, `${server.url}/account`, { locale: "de-DE" });
  const isShown = async (/** @type {string} */ heading, /** @type {string} */ language) => {
    await page.getByRole("heading", { name: heading, exact: true }).waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), language);
  };
  await isShown("Konto", "de");
  const choice = page.locator("select[name=language]");
  assert.equal(await choice.inputValue(), "de");
  await choice.selectOption("en");
  await isShown("Account", "en");
  await page.reload();
  await isShown("Account", "en");
  await choice.selectOption("de");
  await isShown("Konto", "de");
  assert.deepEqual(pageErrors, []);
  await context.close();
});

long("a refused move is explained in German", async () => {
  const { page, context, pageErrors } = await visit(browser, server.url, { locale: "de-DE" });
  await page.locator("[data-rules=stymie]").click();
  await page.locator(".status.my-turn").waitFor();
  await typeMove(page, "a2", "Zug in Notation");
  await page.getByText("Auf diesem Brett gibt es kein Feld a2.").first().waitFor();
  assert.deepEqual(pageErrors, []);
  await context.close();
});
