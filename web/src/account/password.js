// The form to change the password.

import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { passwordError } from "./sign_in.js";

/** @import {App} from "../app.js" */

const t = strings.account;

/** @param {App} app */
export function passwordForm(app) {
  const user = html("input", { name: "user", value: app.connection.welcome?.user?.name ?? "", autocomplete: "username", hidden: true });
  const old = html("input", { type: "password", name: "old", autocomplete: "current-password" });
  const wanted = html("input", { type: "password", name: "new", autocomplete: "new-password" });
  const everywhere = html("input", { type: "checkbox", name: "everywhere" });
  const answer = html("p", { class: "error", role: "alert" });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const wrong = passwordError(old.value, false) ?? passwordError(wanted.value, true);
    fill(answer, wrong);
    if (wrong !== undefined) return (passwordError(old.value, false) === undefined ? wanted : old).focus();
    try {
      const done = await app.connection.request({ type: "password_change", old: old.value, new: wanted.value, revoke_all: everywhere.checked });
      if (done.token != null) app.identity.saveToken(done.token);
      form.reset();
      app.showToast(t.passwordChanged);
    } catch (error) {
      fill(answer, errorText(error));
    }
    return undefined;
  };
  const form = html(
    "form",
    { class: "card", novalidate: true, onsubmit: submit },
    html("h2", {}, t.changePassword),
    user,
    html("label", {}, t.oldPassword, old),
    html("label", {}, t.newPassword, wanted, html("small", {}, t.passwordRule)),
    html("label", { class: "check" }, everywhere, t.revokeAll),
    answer,
    html("button", { type: "submit" }, t.changePassword),
  );
  return form;
}
