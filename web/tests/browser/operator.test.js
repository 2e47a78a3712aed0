// What the page shows of the acts of an operator: notices, invitations, bans; and codes for new passwords.

import assert from "node:assert/strict";
import { browser, server, setUp, test, visit } from "./harness.js";

setUp();

test("who needs an invitation is asked for it, and who has a code sets a password", async () => {
  await server.govern("sign-up", "accounts", "invitation", "--reason", "a test");
  const { page, context, pageErrors } = await visit(browser, `${server.url}/account`);
  const form = page.locator("form").filter({ has: page.getByRole("heading", { name: "Sign up" }) });
  await form.locator("[name=user]").fill("Petra");
  await form.locator("[name=password]").fill("correct horse");
  assert.equal(await form.locator("[name=invitation]").isVisible(), false);
  await form.getByRole("button", { name: "Sign up" }).click();
  await form.locator(".error").filter({ hasText: "a new account needs an invitation on this server" }).waitFor();
  const { invitations } = await server.govern("sign-up", "invite", "--reason", "a test");
  await form.locator("[name=invitation]").fill(invitations[0].code);
  await form.getByRole("button", { name: "Sign up" }).click();
  await page.locator(".me").filter({ hasText: "Petra" }).waitFor();
  const sheet = page.getByRole("dialog", { name: "Recovery code" });
  const first = (await sheet.locator("code").textContent()) ?? "";
  await sheet.getByRole("button", { name: "I have kept it" }).click();
  await page.locator(".me").click();
  const renewal = page.locator("form").filter({ has: page.getByRole("heading", { name: "Recovery code" }) });
  await renewal.locator("[name=password]").fill("correct horse");
  await renewal.getByRole("button", { name: "Make a new code" }).click();
  const code = (await sheet.locator("code").textContent()) ?? "";
  assert.notEqual(code, first);
  await context.close();

  const other = await visit(browser, `${server.url}/account`);
  await other.page.getByText("I have lost my password").click();
  const reset = other.page.locator("form").filter({ has: other.page.getByRole("heading", { name: "Set the password" }) });
  await reset.locator("[name=user]").fill("petra");
  await reset.locator("[name=password]").fill("open barley");
  await reset.locator("[name=code]").fill(code.toUpperCase().replaceAll("-", " "));
  await reset.getByRole("button", { name: "Set the password" }).click();
  await other.page.locator(".me").filter({ hasText: "Petra" }).waitFor();
  assert.deepEqual([...pageErrors, ...other.pageErrors], []);
  await other.context.close();
});

test("the page shows notices, and a banned user why", async () => {
  await server.govern("sign-up", "accounts", "open", "--reason", "a test");
  const { page, context } = await visit(browser, `${server.url}/account`);
  const form = page.locator("form").filter({ has: page.getByRole("heading", { name: "Sign up" }) });
  await form.locator("[name=user]").fill("Paul");
  await form.locator("[name=password]").fill("correct horse");
  await form.getByRole("button", { name: "Sign up" }).click();
  await page.locator(".me").filter({ hasText: "Paul" }).waitFor();
  await server.govern("notice", "user", "paul", "a word with you");
  await page.getByText("The operator of this server says: a word with you").waitFor();
  await server.govern("maintenance", "plan", "--in", "5m", "a new version");
  await page.getByText("In 5 min no new games begin: a new version").waitFor();
  await server.govern("maintenance", "cancel", "--reason", "a test");
  await page.getByText("The planned restart is cancelled.").waitFor();
  await server.govern("bans", "user", "paul", "--reason", "rude words");
  await page.getByText("this user is banned: rude words").waitFor();
  await context.close();
});

test("a player reports another, and the reporter and the reported read what came of it", async () => {
  const join = async (/** @type {string} */ name) => {
    const visited = await visit(browser, `${server.url}/account`);
    const form = visited.page.locator("form").filter({ has: visited.page.getByRole("heading", { name: "Sign up" }) });
    await form.locator("[name=user]").fill(name);
    await form.locator("[name=password]").fill("correct horse");
    await form.getByRole("button", { name: "Sign up" }).click();
    await visited.page.locator(".me").filter({ hasText: name }).waitFor();
    return visited;
  };
  const [reporter, reported] = [await join("Rita"), await join("Rolf")];
  const { page } = reporter;
  await page.goto(`${server.url}/user/Rolf`);
  await page.getByRole("button", { name: "Report" }).click();
  const sheet = page.getByRole("dialog", { name: "Report Rolf to the operator" });
  await sheet.getByLabel("What it is about").selectOption("name");
  await sheet.getByLabel("What has happened").fill("his name\noffends me");
  await sheet.getByRole("button", { name: "Send" }).click();
  await page.getByText("Thank you. You will hear what the operator did.").waitFor();
  assert.equal(await sheet.count(), 0);

  const { reports } = await server.govern("reports", "list");
  const [{ id, by, user, about, text }] = reports;
  assert.deepEqual([by, user, about, text], ["Rita", "Rolf", "name", "his name offends me"]);
  await server.govern("reports", "close", String(id), "--step", "warn", "--reason", "choose another name", "--answer", "He was warned.");
  await page.getByText("Thank you for your report: the operator has acted on it. He was warned.").waitFor();
  const warning = reported.page.getByText("The operator of this server warns you: choose another name");
  await warning.waitFor();
  await reported.page.reload();
  await warning.waitFor();
  await reported.page.locator(".trouble").filter({ hasText: "warns you" }).getByRole("button", { name: "All right" }).click();
  await warning.waitFor({ state: "detached" });
  assert.deepEqual([...reporter.pageErrors, ...reported.pageErrors], []);
  await reporter.context.close();
  await reported.context.close();
});
