// Reports a player to the operators: a sheet that asks what has happened.

import { Sheet } from "./sheets.js";
import { strings } from "../strings/strings.js";
import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";

/** @import {App} from "../app.js" */
/** @import {ReportReason} from "../wire.js" */

const t = strings.report;

/** Characters of a report, as on the server. */
const TEXT_MAX = 1000;

/**
 * @param {App} app
 * @param {readonly string[]} users of whom one is reported
 * @param {string} [game] in which it happened
 */
export function openReport(app, users, game) {
  const user = html("select", { "aria-label": t.whom }, users.map((name) => html("option", { value: name }, strings.player(name))));
  const reasons = /** @type {[ReportReason, string][]} */ (Object.entries(t.reasons));
  const reason = html("select", { "aria-label": t.about }, reasons.map(([word, text]) => html("option", { value: word }, text)));
  const text = html("textarea", { "aria-label": t.text, placeholder: t.text, maxlength: TEXT_MAX, rows: 5, required: true });
  const error = html("p", { class: "error", role: "alert" });
  const onsubmit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    // The server takes one line.
    const said = text.value.replaceAll(/\s+/g, " ").trim();
    try {
      await app.connection.request({ type: "report", user: user.value, game, reason: /** @type {ReportReason} */ (reason.value), text: said });
      sheet.element.close();
      app.showToast(t.sent);
    } catch (failed) {
      fill(error, errorText(failed));
    }
  };
  const note = game !== undefined && html("p", { class: "soft" }, t.withGame);
  const form = html("form", { class: "report", onsubmit }, users.length > 1 && user, reason, text, note, error, html("button", {}, t.send));
  const [only = ""] = users;
  const sheet = new Sheet(users.length > 1 ? t.title : t.titleOf(only), form);
  sheet.element.addEventListener("close", () => sheet.element.remove());
  document.body.append(sheet.element);
  sheet.open();
}
