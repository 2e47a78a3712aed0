// The account: settings of this browser, the password, log-ins and bots, or the forms to sign up
// and to log in.

import { language, LANGUAGES, setLanguage, strings } from "../strings/strings.js";
import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { viewSettingsPanel } from "../ui/view_settings.js";
import { Bots } from "./bots.js";
import { closingForm } from "./closing.js";
import { MailSettings } from "./mail.js";
import { recoveryForm } from "./recovery.js";
import { SignIn } from "./sign_in.js";
import { Tokens } from "./tokens.js";
import { passwordError } from "./validation.js";
import { WebhookSettings } from "./webhook.js";

/** @import {App, View} from "../app.js" */

const t = strings.account;

/** @implements {View} */
export class AccountPage {
  element = html("section", { class: "account" });
  #app;
  #sections;
  #unsubscribe;
  /** What the view was drawn for. */
  #drawnFor = "";

  /**
   * @param {App} app
   * @param {{ element: HTMLElement, close: () => void }[]} sections what users can set besides
   */
  constructor(app, sections) {
    this.#app = app;
    this.#sections = sections;
    app.setTitle(t.heading);
    this.#unsubscribe = app.connection.on("welcome", () => this.#draw());
    this.#draw();
  }

  close() {
    this.#unsubscribe();
    for (const section of this.#sections) section.close();
  }

  #draw() {
    const { user, mail } = this.#app.connection.welcome ?? {};
    const name = user?.name ?? "";
    // The forms keep their input as long as the user and what the server offers stay the same.
    const drawn = JSON.stringify([name, user?.guest, mail]);
    if (drawn === this.#drawnFor) return;
    this.#drawnFor = drawn;
    const isAccount = user != null && !user.guest;
    fill(
      this.element,
      html("h1", {}, t.heading),
      user && html("p", {}, user.guest ? t.youAreGuest(name) : t.youAre(name), " ", html("a", { href: `/user/${name}` }, t.profile)),
      !isAccount && new SignIn(this.#app, name).element,
      html("section", { class: "card" }, html("h2", {}, t.settings), viewSettingsPanel(), languageChoice()),
      user && this.#sections.map(({ element }) => element),
      isAccount && passwordForm(this.#app),
      isAccount && recoveryForm(this.#app),
      isAccount && mail && new MailSettings(this.#app).element,
      isAccount && new Tokens(this.#app).element,
      isAccount && new Bots(this.#app).element,
      isAccount && new WebhookSettings(this.#app).element,
      isAccount && closingForm(this.#app, name),
      user && html("button", { class: "quiet", onclick: () => this.#logOut(user.guest ?? false) }, t.logOut),
    );
  }

  /** @param {boolean} guest */
  async #logOut(guest) {
    if (guest && !confirm(t.logOutSure)) return;
    try {
      await this.#app.identity.logOut(guest);
      this.#app.navigate("/");
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
  }
}

/** The choice of the page's language, if there are several. */
function languageChoice() {
  const languages = Object.entries(LANGUAGES);
  if (languages.length < 2) return undefined;
  const choose = (/** @type {Event} */ { target }) => {
    if (target instanceof HTMLSelectElement) setLanguage(target.value);
  };
  const options = languages.map(([code, { name }]) => html("option", { value: code, lang: code, selected: code === language }, name));
  return html("label", { class: "field" }, html("span", {}, t.language), html("select", { name: "language", onchange: choose }, options));
}

/** The form to change the password. @param {App} app */
function passwordForm(app) {
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
