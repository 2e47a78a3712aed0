// The mail address of an account, to which the server sends a code if the password is lost.

import { strings } from "../strings/strings.js";
import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { passwordError } from "./validation.js";

/** @import {Mail, NewRequest} from "../wire.js" */
/** @import {App} from "../app.js" */

const t = strings.account;

export class MailSettings {
  element;
  #app;
  #state = html("div", { role: "status" });
  #error = html("p", { class: "error", role: "alert" });
  #user;
  #address = html("input", { type: "email", name: "mail", autocomplete: "email", maxlength: 254, spellcheck: "false" });
  #password = html("input", { type: "password", name: "password", autocomplete: "current-password" });
  #code = html("input", { name: "code", autocomplete: "one-time-code", maxlength: 64, spellcheck: "false" });
  #confirm;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#user = html("input", { name: "user", value: app.connection.welcome?.user?.name ?? "", autocomplete: "username", hidden: true });
    const set = html(
      "form",
      { novalidate: true, onsubmit: (/** @type {Event} */ event) => this.#onSet(event, this.#address.value.trim()) },
      this.#user,
      html("label", {}, t.mailAddress, this.#address),
      html("label", {}, t.oldPassword, this.#password),
      html("button", { type: "submit" }, t.mailSet),
    );
    this.#confirm = html(
      "form",
      { class: "inline", hidden: true, novalidate: true, onsubmit: (/** @type {Event} */ event) => this.#onConfirm(event) },
      html("label", {}, t.mailCode, this.#code),
      html("button", { type: "submit" }, t.mailConfirm),
    );
    this.element = html("section", { class: "card mail" }, html("h2", {}, t.mail), html("p", { class: "about" }, t.mailMeans), this.#state, this.#confirm, this.#error, set);
    this.#load();
  }

  async #load() {
    try {
      this.#draw(await this.#app.connection.request({ type: "mail_get" }));
    } catch (error) {
      fill(this.#error, errorText(error));
    }
  }

  /** @param {Mail} mail */
  #draw({ address, waiting }) {
    const remove = () => this.#run({ type: "mail_set", password: this.#password.value }, t.mailDeleted);
    const known = address != null && [html("p", {}, html("code", {}, address), " ", html("button", { type: "button", class: "quiet", onclick: remove }, t.mailDelete))];
    update(this.#state, known, waiting != null && html("p", {}, t.mailWaits(waiting)));
    this.#confirm.hidden = waiting == null;
  }

  /**
   * @param {Event} event
   * @param {string} address
   */
  async #onSet(event, address) {
    event.preventDefault();
    if (!/^[^@\s]+@[^@\s]+$/.test(address)) {
      fill(this.#error, t.mailRule);
      return this.#address.focus();
    }
    if (await this.#run({ type: "mail_set", password: this.#password.value, address })) this.#code.focus();
    return undefined;
  }

  /** @param {Event} event */
  async #onConfirm(event) {
    event.preventDefault();
    if (await this.#run({ type: "mail_confirm", code: this.#code.value.trim() }, t.mailConfirmed)) this.#code.value = "";
  }

  /**
   * Returns whether the server has agreed.
   * @param {Extract<NewRequest, { type: "mail_set" | "mail_confirm" }>} request
   * @param {string} [done] what to say then
   */
  async #run(request, done) {
    const wrong = request.type === "mail_set" ? passwordError(request.password, false) : undefined;
    fill(this.#error, wrong);
    if (wrong !== undefined) {
      this.#password.focus();
      return false;
    }
    try {
      await this.#app.connection.request(request);
    } catch (error) {
      fill(this.#error, errorText(error));
      return false;
    }
    this.#password.value = "";
    if (done !== undefined) this.#app.showToast(done);
    await this.#load();
    return true;
  }
}
