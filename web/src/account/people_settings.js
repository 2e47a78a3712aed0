// Who can reach the user: who may challenge, and who is blocked. A part of the account view.

import { isUserName } from "../net/validation.js";
import { html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";

/** @import {App} from "../app.js" */
/** @import {NewRequest} from "../wire.js" */

const t = strings.people;

/** Who may challenge the user. */
const CHALLENGES = { all: t.everyone, accounts: t.accounts, none: t.nobody };

export class PeopleSettings {
  element = html("section", { class: "people card", hidden: true });
  #app;
  /** @type {string[]} */
  #blocked = [];
  #challenges = "all";
  #name = html("input", { name: "block", autocomplete: "off", spellcheck: "false", maxlength: 20, placeholder: t.name, "aria-label": t.name });
  #error = html("p", { class: "error", role: "alert" });
  #unsubscribe;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#unsubscribe = app.connection.onSession(() => this.#load());
  }

  close() {
    this.#unsubscribe();
  }

  async #load() {
    const { connection } = this.#app;
    if (connection.welcome?.user == null) return;
    try {
      const { challenges } = await connection.request({ type: "settings_get" });
      const { users } = await connection.request({ type: "blocks" });
      this.#challenges = challenges;
      this.#blocked = users;
      this.#draw();
    } catch {
      // The next welcome requests it again.
    }
  }

  #draw() {
    this.element.hidden = false;
    const choose = (/** @type {Event} */ { target }) => {
      if (target instanceof HTMLSelectElement) this.#run({ type: "settings_set", challenges: /** @type {keyof typeof CHALLENGES} */ (target.value) });
    };
    update(
      this.element,
      html("h2", {}, t.heading),
      html(
        "label",
        {},
        t.challenges,
        html(
          "select",
          { name: "challenges", onchange: choose },
          Object.entries(CHALLENGES).map(([value, text]) => html("option", { value, selected: value === this.#challenges }, text)),
        ),
      ),
      html("h3", {}, t.blocked),
      html("p", { class: "soft" }, t.blockedMeans),
      this.#blocked.length > 0
        ? html("ul", { class: "rows" }, this.#blocked.map((user) => this.#row(user)))
        : html("p", { class: "empty" }, t.noneBlocked),
      html("form", { class: "inline", onsubmit: (/** @type {Event} */ event) => this.#onSubmit(event) }, this.#name, html("button", { type: "submit", class: "quiet" }, t.block)),
      this.#error,
    );
  }

  /** @param {string} user */
  #row(user) {
    const unblock = () => this.#run({ type: "unblock", user });
    return html("li", { "data-key": user }, html("a", { class: "who", href: `/user/${user}` }, user), html("button", { class: "quiet", "aria-label": t.unblock(user), onclick: unblock }, strings.users.unblock));
  }

  /** @param {Event} event */
  #onSubmit(event) {
    event.preventDefault();
    const user = this.#name.value;
    if (!isUserName(user)) {
      this.#error.textContent = strings.newGame.noName(user);
      return this.#name.focus();
    }
    this.#name.value = "";
    return this.#run({ type: "block", user });
  }

  /** @param {NewRequest} request */
  async #run(request) {
    this.#error.textContent = "";
    try {
      await this.#app.connection.request(request);
      this.#app.showToast(t.saved);
    } catch (error) {
      this.#error.textContent = errorText(error);
    }
    await this.#load();
  }
}
