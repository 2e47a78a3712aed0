// Signing up, logging in and out.

import { fill, html } from "../ui/element.js";
import { reason } from "../ui/reason.js";
import { words } from "../words.js";

/** @import {App, View} from "../main.js" */

const say = words.account;

/** @implements {View} */
export class Account {
  element = html("section", { class: "narrow" });
  #app;
  #stop;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#stop = app.connection.on("welcome", () => this.#draw());
    this.#draw();
  }

  close() {
    this.#stop();
  }

  #draw() {
    const user = this.#app.connection.welcome?.user;
    const name = user?.name ?? "";
    fill(
      this.element,
      html("h1", {}, say.heading),
      user && html("p", {}, user.guest ? say.youAreGuest(name) : say.youAre(name)),
      (!user || user.guest) && html("p", {}, say.keepName),
      (!user || user.guest) &&
        this.#form(say.signUp, name, "new-password", (own, password) => this.#signUp(own, password)),
      (!user || user.guest) &&
        this.#form(say.logIn, "", "current-password", (own, password) => this.#logIn(own, password)),
      user && html("button", { class: "quiet", onclick: () => this.#logOut(user.guest) }, say.logOut),
    );
  }

  /**
   * @param {string} title
   * @param {string} name
   * @param {string} autocomplete
   * @param {(user: string, password: string) => Promise<void>} send
   */
  #form(title, name, autocomplete, send) {
    const user = html("input", { name: "user", value: name, autocomplete: "username", required: true, maxlength: 20 });
    const password = html("input", { type: "password", name: "password", autocomplete, required: true });
    const answer = html("p", { class: "complaint", role: "alert" });
    const submit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      fill(answer);
      try {
        await send(user.value, password.value);
        this.#app.go("/");
      } catch (error) {
        fill(answer, reason(error));
      }
    };
    return html(
      "form",
      { class: "card", onsubmit: submit },
      html("h2", {}, title),
      html("label", {}, say.user, user),
      html("label", {}, say.password, password),
      answer,
      html("button", { type: "submit" }, title),
    );
  }

  /**
   * @param {string} user
   * @param {string} password
   */
  async #signUp(user, password) {
    const { connection, identity } = this.#app;
    const done = await connection.request({ type: "signup", user, password });
    if (done.token != null) identity.remember(done.token);
    // Only a hello tells who one is, and everything else on the page goes by that.
    connection.reopen();
  }

  /**
   * @param {string} user
   * @param {string} password
   */
  async #logIn(user, password) {
    await this.#app.identity.logIn(user, password);
  }

  /** @param {boolean} guest */
  #logOut(guest) {
    if (guest && !confirm(say.logOutSure)) return;
    this.#app.identity.logOut();
    this.#app.go("/");
  }
}
