// The tokens of a user or of a bot: log-ins of browsers and programs, each of which can be ended.

import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";

/** @import {TokenEntry} from "../wire.js" */
/** @import {App} from "../app.js" */

const t = strings.account;

export class Tokens {
  element;
  #app;
  #bot;
  #list = html("ul", { class: "rows" });
  #created = html("div", { role: "status" });
  #error = html("p", { class: "error", role: "alert" });
  #label = html("input", { name: "label", maxlength: 64, required: true, placeholder: t.tokenLabel, "aria-label": t.tokenLabel });

  /**
   * @param {App} app
   * @param {string} [bot] the bot whose tokens they are, if not the user's own
   */
  constructor(app, bot) {
    this.#app = app;
    this.#bot = bot;
    const form = html("form", { class: "inline", onsubmit: (/** @type {Event} */ event) => this.#create(event) }, this.#label, html("button", { type: "submit", class: "quiet" }, t.createToken));
    const parts = [html("p", { class: "about" }, bot === undefined ? t.tokensAbout : t.botTokensAbout), this.#list, form, this.#created, this.#error];
    this.element = bot === undefined ? html("section", { class: "card tokens" }, html("h2", {}, t.tokens), parts) : html("div", { class: "tokens" }, parts);
    this.#load();
  }

  async #load() {
    try {
      const { tokens } = await this.#app.connection.request({ type: "token_list", user: this.#bot });
      update(this.#list, tokens.map((token) => this.#row(token)));
    } catch (error) {
      fill(this.#error, errorText(error));
    }
  }

  /** @param {TokenEntry} token */
  #row(token) {
    const { label, created, last_used: used, expires, current } = token;
    const about = [t.created(created), used != null && t.lastUsed(used), expires != null && t.expires(expires)];
    return html(
      "li",
      { "data-key": token.token },
      html("span", { class: "who" }, label),
      html("span", { class: "about" }, about.filter(Boolean).join(" · ")),
      current ? html("span", { class: "what" }, t.thisBrowser) : html("button", { type: "button", class: "quiet", onclick: () => this.#revoke(token.token) }, t.endToken),
    );
  }

  /** @param {string} token */
  async #revoke(token) {
    fill(this.#error);
    try {
      await this.#app.connection.request({ type: "token_revoke", token });
    } catch (error) {
      fill(this.#error, errorText(error));
    }
    await this.#load();
  }

  /** @param {Event} event */
  async #create(event) {
    event.preventDefault();
    fill(this.#error);
    try {
      const label = this.#label.value.trim();
      const { token } = await this.#app.connection.request({ type: "token_create", label, user: this.#bot, bot: this.#bot !== undefined });
      this.#label.value = "";
      // The server sends the secret only once.
      fill(this.#created, html("p", {}, t.tokenCreated), html("code", { class: "secret" }, token));
    } catch (error) {
      fill(this.#error, errorText(error));
    }
    await this.#load();
  }
}
