// The forms to sign up and to log in, for visitors and guests.

import { isUserName } from "../net/validation.js";
import { RequestError } from "../net/pending.js";
import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { showRecovery } from "./recovery.js";
import { passwordError } from "./validation.js";

/** @import {App} from "../app.js" */

const t = strings.account;

export class SignIn {
  element = html("div", { class: "sign-in" });
  #app;
  /** The invitation; shown once the server asks for one. */
  #invitation = html("input", { name: "invitation", autocomplete: "off", maxlength: 64, spellcheck: "false" });
  #invited = html("label", { hidden: true }, t.invitation, this.#invitation);
  #codeInput = html("input", { name: "code", autocomplete: "one-time-code", maxlength: 64, spellcheck: "false" });
  #byMail = html("button", { type: "button", class: "quiet", onclick: () => this.#mailCode() }, t.mailMe);
  #code = html("div", {}, html("label", {}, t.code, this.#codeInput));
  /** Whether the guest has agreed to leave the games behind. */
  #mayLeave = false;

  /**
   * @param {App} app
   * @param {string} guest the name of the guest, if the user is one
   */
  constructor(app, guest) {
    this.#app = app;
    if (app.connection.welcome?.mail === true) this.#code.append(this.#byMail);
    this.element.append(
      html("p", {}, guest === "" ? t.keepName : t.chooseName(guest)),
      this.#form(t.signUp, guest, "new-password", (own, password) => this.#signUp(own, password), this.#invited),
      this.#form(t.logIn, "", "current-password", (own, password) => this.#logIn(own, password)),
      html("details", {}, html("summary", {}, t.haveCode), this.#form(t.setPassword, "", "new-password", (own, password) => this.#reset(own, password), this.#code)),
    );
  }

  /**
   * @param {string} title
   * @param {string} name
   * @param {"new-password" | "current-password"} autocomplete
   * @param {(user: string, password: string) => Promise<void>} send
   * @param {HTMLElement} [further] a further field
   */
  #form(title, name, autocomplete, send, further) {
    const user = html("input", { name: "user", value: name, autocomplete: "username", maxlength: 20, spellcheck: "false" });
    const password = html("input", { type: "password", name: "password", autocomplete });
    const answer = html("div", { class: "error", role: "alert" });
    const attempt = async (/** @type {string} */ own) => {
      fill(answer);
      try {
        await send(own, password.value);
        this.#app.navigate("/");
      } catch (error) {
        if (error instanceof RequestError && error.failed.code === "sign_up_closed") this.#invited.hidden = false;
        if (error instanceof NameMismatch) fill(answer, this.#mismatchChoices(error, attempt, password));
        else if (error instanceof GuestGames) fill(answer, this.#leavingChoices(error, attempt));
        else fill(answer, errorText(error));
      }
    };
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const wrong = nameError(user.value) ?? passwordError(password.value, autocomplete === "new-password");
      user.setAttribute("aria-invalid", String(nameError(user.value) !== undefined));
      if (wrong === undefined) return attempt(user.value);
      fill(answer, wrong);
      return (nameError(user.value) === undefined ? password : user).focus();
    };
    return html(
      "form",
      { class: "card", novalidate: true, onsubmit: submit },
      html("h2", {}, title),
      html("label", {}, t.user, user, autocomplete === "new-password" && html("small", {}, t.nameRule)),
      html("label", {}, t.password, password, autocomplete === "new-password" && html("small", {}, t.passwordRule)),
      further,
      answer,
      html("button", { type: "submit" }, title),
    );
  }

  /**
   * The choices of a guest with live games who wants another name.
   * @param {NameMismatch} other
   * @param {(name: string) => Promise<void>} attempt
   * @param {HTMLInputElement} password
   */
  #mismatchChoices({ guest, wanted }, attempt, password) {
    const startAgain = () => {
      if (passwordError(password.value, true) === undefined) this.#signUpAnew(wanted, password.value);
    };
    return [
      html("p", {}, t.otherName(guest, wanted)),
      html("button", { type: "button", onclick: () => attempt(guest) }, t.signUpAs(guest)),
      " ",
      html("button", { type: "button", class: "quiet", onclick: startAgain }, t.signUpAnew(wanted)),
    ];
  }

  /**
   * The choices of a guest who logs in to an account: the games do not come along.
   * @param {GuestGames} games
   * @param {(name: string) => Promise<void>} attempt
   */
  #leavingChoices({ guest, live, wanted }, attempt) {
    const leave = () => {
      this.#mayLeave = true;
      attempt(wanted);
    };
    return [
      html("p", {}, t.leavesGames(guest, live, wanted)),
      html("button", { type: "button", class: "quiet", onclick: leave }, t.logInAnyway(wanted)),
    ];
  }

  /**
   * @param {string} user
   * @param {string} password
   */
  async #logIn(user, password) {
    const { connection, games, identity } = this.#app;
    const me = connection.welcome?.user;
    if (me?.guest && !this.#mayLeave) throw new GuestGames(me.name, games.live.size, user);
    this.#mayLeave = false;
    await identity.logIn(user, password);
  }

  /**
   * @param {string} user
   * @param {string} password
   */
  async #signUp(user, password) {
    const { connection, identity } = this.#app;
    const me = connection.welcome?.user;
    const invitation = this.#invitation.value.trim() || undefined;
    try {
      const done = await connection.request({ type: "signup", user, password, invitation });
      if (done.token != null) identity.saveToken(done.token);
      showRecovery(done.recovery);
    } catch (error) {
      const isOther = me?.guest && me.name.toLowerCase() !== user.toLowerCase();
      if (isOther && error instanceof RequestError && error.failed.code === "forbidden") throw new NameMismatch(me.name, user);
      throw error;
    }
    // Only a new `hello` sets the user of the page.
    connection.reopen();
  }

  /** Asks for a code by mail, for the name in the form. */
  async #mailCode() {
    const user = this.#code.closest("form")?.querySelector("input")?.value ?? "";
    const wrong = nameError(user);
    if (wrong !== undefined) return this.#app.showToast(wrong);
    try {
      await this.#app.connection.request({ type: "password_mail", user });
      this.#app.showToast(t.mailSent(user));
      this.#codeInput.focus();
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
    return undefined;
  }

  /**
   * Sets the password of an account with a code, and logs in.
   * @param {string} user
   * @param {string} password
   */
  async #reset(user, password) {
    const done = await this.#app.connection.request({ type: "password_reset", user, code: this.#codeInput.value.trim(), new: password });
    showRecovery(done.recovery);
    await this.#logIn(user, password);
  }

  /**
   * Signs up under a new name. The guest's games stay behind.
   * @param {string} user
   * @param {string} password
   */
  async #signUpAnew(user, password) {
    try {
      // Nothing is left behind for a name that somebody else has.
      const isTaken = await this.#app.connection.request({ type: "user", name: user }).then(
        () => true,
        (error) => {
          if (error instanceof RequestError && error.failed.code === "not_found") return false;
          throw error;
        },
      );
      if (isTaken) return this.#app.showToast(t.nameTaken(user));
      await this.#app.identity.logOut(true);
      await this.#signUp(user, password);
      this.#app.navigate("/");
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
    return undefined;
  }
}

/** A guest with games logs in to an account. */
class GuestGames extends Error {
  /**
   * @param {string} guest
   * @param {number} live how many of the games are not over
   * @param {string} wanted the account
   */
  constructor(guest, live, wanted) {
    super(t.leavesGames(guest, live, wanted));
    this.guest = guest;
    this.live = live;
    this.wanted = wanted;
  }
}

/** A guest has live games under one name and wants to sign up under another. */
class NameMismatch extends Error {
  /**
   * @param {string} guest
   * @param {string} wanted
   */
  constructor(guest, wanted) {
    super(t.otherName(guest, wanted));
    this.guest = guest;
    this.wanted = wanted;
  }
}

/**
 * Returns the problem with a name, if any.
 * @param {string} name
 */
function nameError(name) {
  return isUserName(name) ? undefined : t.nameRule;
}
