// Signing up, logging in and out.

import { PASSWORD_BYTES, isName } from "../net/validation.js";
import { Refused } from "../net/pending.js";
import { fill, html, refill } from "../ui/element.js";
import { reason } from "../ui/error_text.js";
import { words } from "../strings.js";

/** @import {App, View} from "../main.js" */

const say = words.account;

/** @implements {View} */
export class Account {
  element = html("section", { class: "narrow" });
  #app;
  #stop;
  /** Whom the view was drawn for. */
  #drawn = "";

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    app.entitle(say.heading);
    this.#stop = app.connection.on("welcome", () => this.#draw());
    this.#draw();
  }

  close() {
    this.#stop();
  }

  #draw() {
    const user = this.#app.connection.welcome?.user;
    const name = user?.name ?? "";
    // What is being filled in stays as long as nobody else is here.
    const drawn = JSON.stringify([name, user?.guest]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const isStranger = !user || user.guest;
    refill(
      this.element,
      html("h1", {}, say.heading),
      user && html("p", {}, user.guest ? say.youAreGuest(name) : say.youAre(name)),
      isStranger && html("p", {}, say.keepName),
      isStranger && this.#form(say.signUp, name, "new-password", (own, password) => this.#signUp(own, password)),
      isStranger && this.#form(say.logIn, "", "current-password", (own, password) => this.#app.identity.logIn(own, password)),
      user && html("button", { class: "quiet", onclick: () => this.#logOut(user.guest) }, say.logOut),
    );
  }

  /**
   * @param {string} title
   * @param {string} name
   * @param {"new-password" | "current-password"} autocomplete
   * @param {(user: string, password: string) => Promise<void>} send
   */
  #form(title, name, autocomplete, send) {
    const user = html("input", { name: "user", value: name, autocomplete: "username", maxlength: 20, spellcheck: "false" });
    const password = html("input", { type: "password", name: "password", autocomplete });
    const answer = html("div", { class: "complaint", role: "alert" });
    const attempt = async (/** @type {string} */ own) => {
      fill(answer);
      try {
        await send(own, password.value);
        this.#app.go("/");
      } catch (error) {
        fill(answer, error instanceof OtherName ? this.#otherName(error, attempt, password) : reason(error));
      }
    };
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const wrong = nameFault(user.value) ?? passwordFault(password.value, autocomplete === "new-password");
      user.setAttribute("aria-invalid", String(nameFault(user.value) !== undefined));
      if (wrong === undefined) return attempt(user.value);
      fill(answer, wrong);
      return (nameFault(user.value) === undefined ? password : user).focus();
    };
    return html(
      "form",
      { class: "card", novalidate: true, onsubmit: submit },
      html("h2", {}, title),
      html("label", {}, say.user, user, autocomplete === "new-password" && html("small", {}, say.nameRule)),
      html("label", {}, say.password, password, autocomplete === "new-password" && html("small", {}, say.passwordRule)),
      answer,
      html("button", { type: "submit" }, title),
    );
  }

  /**
   * What a guest can do whose games are known under another name than the one wished for.
   * @param {OtherName} other
   * @param {(name: string) => Promise<void>} attempt
   * @param {HTMLInputElement} password
   */
  #otherName({ guest, wanted }, attempt, password) {
    const anew = () => {
      if (passwordFault(password.value, true) === undefined) this.#signUpAnew(wanted, password.value);
    };
    return [
      html("p", {}, say.otherName(guest, wanted)),
      html("button", { type: "button", onclick: () => attempt(guest) }, say.signUpAs(guest)),
      " ",
      html("button", { type: "button", class: "quiet", onclick: anew }, say.signUpAnew(wanted)),
    ];
  }

  /**
   * @param {string} user
   * @param {string} password
   */
  async #signUp(user, password) {
    const { connection, identity } = this.#app;
    const me = connection.welcome?.user;
    try {
      const done = await connection.request({ type: "signup", user, password });
      if (done.token != null) identity.remember(done.token);
    } catch (error) {
      const isOther = me?.guest && me.name.toLowerCase() !== user.toLowerCase();
      if (isOther && error instanceof Refused && error.failed.code === "forbidden") throw new OtherName(me.name, user);
      throw error;
    }
    // Only a hello tells who one is, and everything else on the page goes by that.
    connection.reopen();
  }

  /**
   * Signs up as somebody whom no game knows. The guest's games stay behind.
   * @param {string} user
   * @param {string} password
   */
  async #signUpAnew(user, password) {
    try {
      await this.#app.identity.logOut(true);
      await this.#signUp(user, password);
      this.#app.go("/");
    } catch (error) {
      this.#app.say(reason(error));
    }
  }

  /** @param {boolean} guest */
  async #logOut(guest) {
    if (guest && !confirm(say.logOutSure)) return;
    try {
      await this.#app.identity.logOut(guest);
      this.#app.go("/");
    } catch (error) {
      this.#app.say(reason(error));
    }
  }
}

/** A guest has games, and would like another name than they know. */
class OtherName extends Error {
  /**
   * @param {string} guest
   * @param {string} wanted
   */
  constructor(guest, wanted) {
    super(say.otherName(guest, wanted));
    this.guest = guest;
    this.wanted = wanted;
  }
}

/**
 * What is wrong with a name, if anything.
 * @param {string} name
 */
function nameFault(name) {
  return isName(name) ? undefined : say.nameRule;
}

/**
 * What is wrong with a password, if anything.
 * @param {string} password
 * @param {boolean} isNew
 */
function passwordFault(password, isNew) {
  const bytes = new TextEncoder().encode(password).length;
  if (bytes > PASSWORD_BYTES.most) return say.passwordLong;
  if (bytes === 0) return say.passwordMissing;
  return isNew && bytes < PASSWORD_BYTES.least ? say.passwordRule : undefined;
}
