// The mail address of an account, and a new password with a code from a mail.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browser, long, server, setUp, visit } from "./harness.js";

const mails = join(mkdtempSync(join(tmpdir(), "adamant-mail-")), "mails");
execFileSync("mkfifo", [mails]);

setUp({ config: `[mail]\ncommand = ["sh", "-c", "cat >${mails}"]\nfrom = "adamant@example.org"\n` });

/** The code in the next mail. */
async function code() {
  const [, found] = /^Code: (.*)$/m.exec(await readFile(mails, "utf8")) ?? [];
  assert.ok(found);
  return found;
}

long("an address is confirmed, and a lost password is replaced by mail", async () => {
  const { page, context, pageErrors } = await visit(browser, `${server.url}/account`);
  const signUp = page.locator("form").filter({ has: page.getByRole("heading", { name: "Sign up" }) });
  await signUp.locator("[name=user]").fill("Maria");
  await signUp.locator("[name=password]").fill("correct horse");
  await signUp.getByRole("button", { name: "Sign up" }).click();
  await page.getByRole("button", { name: "I have kept it" }).click();
  await page.locator(".me").click();
  const card = page.locator(".card.mail");
  const send = card.getByRole("button", { name: "Send a code to confirm it" });
  await card.locator("[name=mail]").fill("maria");
  await send.click();
  await card.getByText("That is no mail address.").waitFor();
  await card.locator("[name=mail]").fill("maria@example.org");
  await send.click();
  await card.getByText("Please enter a password.").waitFor();
  await card.locator("[name=password]").fill("correct horse");
  await send.click();
  await card.getByText("maria@example.org waits for the code").waitFor();
  await card.locator("[name=code]").fill(await code());
  await card.getByRole("button", { name: "Confirm", exact: true }).click();
  await page.getByText("The address is confirmed.").waitFor();
  await card.locator("code", { hasText: "maria@example.org" }).waitFor();
  await context.close();

  const other = await visit(browser, `${server.url}/account`);
  await other.page.getByText("I have lost my password").click();
  const reset = other.page.locator("form").filter({ has: other.page.getByRole("heading", { name: "Set the password" }) });
  await reset.locator("[name=user]").fill("maria");
  await reset.getByRole("button", { name: "Send me a code by mail" }).click();
  await other.page.getByText("If maria has a confirmed address, a code is on its way to it.").waitFor();
  await reset.locator("[name=code]").fill(await code());
  await reset.locator("[name=password]").fill("open barley");
  await reset.getByRole("button", { name: "Set the password" }).click();
  await other.page.locator(".me").filter({ hasText: "Maria" }).waitFor();
  assert.deepEqual([...pageErrors, ...other.pageErrors], []);
  await other.context.close();
});
