// The form that closes an account for good.

import { strings } from "../strings/strings.js";
import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { passwordError } from "./validation.js";

/** @import {App} from "../app.js" */

const t = strings.account;

/**
 * The form, which is folded: few need it.
 * @param {App} app
 * @param {string} name the user's
 */
export function closingForm(app, name) {
  const user = html("input", { name: "user", value: name, autocomplete: "username", hidden: true });
  const password = html("input", { type: "password", name: "password", autocomplete: "current-password" });
  const sure = html("input", { type: "checkbox", name: "sure", required: true });
  const answer = html("p", { class: "error", role: "alert" });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const wrong = passwordError(password.value, false);
    fill(answer, wrong ?? (sure.checked ? undefined : t.closeSureMissing));
    if (wrong !== undefined) return password.focus();
    if (!sure.checked) return sure.focus();
    try {
      await app.identity.closeAccount(password.value);
      app.navigate("/");
      app.showToast(t.accountClosed(name));
    } catch (error) {
      fill(answer, errorText(error));
    }
    return undefined;
  };
  return html(
    "details",
    { class: "card" },
    html("summary", {}, t.closeAccount),
    html(
      "form",
      { novalidate: true, onsubmit: submit },
      html("p", { class: "about" }, t.closeMeans),
      user,
      html("label", {}, t.oldPassword, password),
      html("label", { class: "check" }, sure, t.closeSure),
      answer,
      html("button", { type: "submit", class: "danger" }, t.closeAccount),
    ),
  );
}
