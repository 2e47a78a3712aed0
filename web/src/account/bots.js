// The bots of a user: each has a name of its own, and tokens for its program.

import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { isUserName } from "../net/validation.js";
import { strings } from "../strings/strings.js";
import { Tokens } from "./tokens.js";
import { WebhookSettings } from "./webhook.js";

/** @import {BotEntry} from "../wire.js" */
/** @import {App} from "../app.js" */

const t = strings.account;

export class Bots {
  element;
  #app;
  #list = html("ul", { class: "bots" });
  #error = html("p", { class: "error", role: "alert" });
  #name = html("input", { name: "bot", maxlength: 20, spellcheck: "false", placeholder: t.botName, "aria-label": t.botName });
  /** The elements of the bots, by name: an opened one stays open. @type {Map<string, HTMLElement>} */
  #bots = new Map();

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.element = html(
      "section",
      { class: "card" },
      html("h2", {}, t.bots),
      html("p", { class: "about" }, t.botsAbout),
      this.#list,
      html("form", { class: "inline", onsubmit: (/** @type {Event} */ event) => this.#create(event) }, this.#name, html("button", { type: "submit", class: "quiet" }, t.createBot)),
      this.#error,
    );
    this.#load();
  }

  async #load() {
    try {
      const { bots } = await this.#app.connection.request({ type: "bot_list" });
      update(this.#list, bots.map((bot) => this.#bots.get(bot.name) ?? this.#bot(bot)));
    } catch (error) {
      fill(this.#error, errorText(error));
    }
  }

  /** @param {BotEntry} bot */
  #bot({ name, created }) {
    const tokens = html("div", {});
    // They are loaded when the bot is opened for the first time.
    const ontoggle = () => {
      if (tokens.firstChild === null) fill(tokens, new Tokens(this.#app, name).element, new WebhookSettings(this.#app, name).element);
    };
    const link = html("a", { href: `/user/${name}` }, t.botProfile);
    const element = html("li", {}, html("details", { ontoggle }, html("summary", {}, html("b", {}, name), ` ${t.created(created)}`), html("p", {}, link), tokens));
    this.#bots.set(name, element);
    return element;
  }

  /** @param {Event} event */
  async #create(event) {
    event.preventDefault();
    const name = this.#name.value.trim();
    fill(this.#error, isUserName(name) ? undefined : t.nameRule);
    if (!isUserName(name)) return;
    try {
      await this.#app.connection.request({ type: "bot_create", name });
      this.#name.value = "";
    } catch (error) {
      fill(this.#error, errorText(error));
    }
    await this.#load();
  }
}
