// The recovery code of an account: the page shows it once, when the server makes it.

import { Sheet } from "../game/sheets.js";
import { strings } from "../strings/strings.js";
import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { passwordError } from "./validation.js";

/** @import {App} from "../app.js" */

const t = strings.account;

/**
 * Shows a code until the user closes it.
 * @param {string | null | undefined} code as in an `ok`
 */
export function showRecovery(code) {
  if (code == null) return;
  const copied = html("span", { class: "soft", role: "status" });
  const copy = async () => {
    // Without a secure connection the browser gives no access to the clipboard: the code can be selected.
    await navigator.clipboard?.writeText(code).then(() => fill(copied, t.codeCopied), () => undefined);
  };
  const buttons = html("p", {}, html("button", { onclick: () => sheet.element.close() }, t.codeKept), " ", html("button", { class: "quiet", onclick: copy }, t.copyCode), " ", copied);
  const sheet = new Sheet(t.recovery, html("p", {}, t.recoveryMeans), html("code", { class: "secret" }, code), buttons);
  sheet.element.addEventListener("close", () => sheet.element.remove());
  document.body.append(sheet.element);
  sheet.open();
}

/** The form for a new code. @param {App} app */
export function recoveryForm(app) {
  const user = html("input", { name: "user", value: app.connection.welcome?.user?.name ?? "", autocomplete: "username", hidden: true });
  const password = html("input", { type: "password", name: "password", autocomplete: "current-password" });
  const answer = html("p", { class: "error", role: "alert" });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const wrong = passwordError(password.value, false);
    fill(answer, wrong);
    if (wrong !== undefined) return password.focus();
    try {
      const done = await app.connection.request({ type: "recovery_code", password: password.value });
      form.reset();
      showRecovery(done.recovery);
    } catch (error) {
      fill(answer, errorText(error));
    }
    return undefined;
  };
  const form = html(
    "form",
    { class: "card", novalidate: true, onsubmit: submit },
    html("h2", {}, t.recovery),
    html("p", { class: "about" }, t.recoveryMeans),
    user,
    html("label", {}, t.oldPassword, password),
    answer,
    html("button", { type: "submit" }, t.newRecovery),
  );
  return form;
}
