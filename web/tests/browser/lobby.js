// Steps on the front page that many tests begin with.

/** @import {Page} from "playwright-core" */

/**
 * A game to set up in the dialog.
 * @typedef {object} Wanted
 * @property {string} rules
 * @property {string} [players]
 * @property {string} [seat] one's own seat, from 0
 * @property {string} [mode] of the clock
 * @property {Record<string, string>} [times] of the clock, by the names of their fields
 * @property {Record<string, string>} [options] of the rules
 */

/**
 * Opens the dialog for a game and fills it in.
 * @param {Page} page on the front page
 * @param {"person" | "friend"} against
 * @param {Wanted} wanted
 */
export async function setUpGame(page, against, { rules, players, seat, mode = "none", times = {}, options = {} }) {
  await page.locator(`[data-${against}=${rules}]`).click();
  const dialog = page.locator("dialog[open]");
  await dialog.locator(`[name=time][value=${mode === "none" ? "none" : "custom"}]`).check();
  if (mode !== "none") await dialog.locator("[name=mode]").selectOption(mode);
  for (const [name, value] of Object.entries(times)) await dialog.locator(`[name=${name}]`).fill(value);
  if (!(await dialog.locator("details.more").evaluate((more) => /** @type {HTMLDetailsElement} */ (more).open))) {
    await dialog.locator("summary").click();
  }
  // The options come with the catalogue.
  if (players !== undefined) await dialog.locator("[name=players]").selectOption(players);
  if (seat !== undefined) await dialog.locator("[name=seat]").selectOption(seat);
  for (const [name, value] of Object.entries(options)) {
    const field = dialog.locator(`.options [name=${name}]`);
    if ((await field.evaluate((each) => each.tagName)) === "SELECT") await field.selectOption(value);
    else await field.fill(value);
  }
  return dialog;
}

/**
 * Seeks an opponent for a game.
 * @param {Page} page on the front page
 * @param {Wanted} wanted
 */
export async function seekGame(page, wanted) {
  const dialog = await setUpGame(page, "person", wanted);
  await dialog.getByRole("button", { name: "Find an opponent" }).click();
  await page.locator("dialog.set-up[open]").waitFor({ state: "detached" });
}

/**
 * Joins the open game.
 * @param {Page} page on the front page
 */
export async function joinGame(page) {
  await page.getByRole("button", { name: "Join", exact: true }).click();
}
