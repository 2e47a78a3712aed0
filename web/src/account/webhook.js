// The webhook of a user or of a bot: the address that the server calls with notifications.

import { fill, html, update } from "../ui/element.js";
import { RequestError } from "../net/pending.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";

/** @import {NewRequest, Webhook} from "../wire.js" */
/** @import {App} from "../app.js" */

const t = strings.webhook;

export class WebhookSettings {
  element;
  #app;
  #bot;
  #state = html("div", { class: "webhook-state" });
  #url = html("input", { type: "url", name: "webhook", maxlength: 1024, spellcheck: "false", placeholder: t.example, "aria-label": t.url });
  #set = html("button", { type: "submit", class: "quiet" }, t.set);
  #secret = html("div", { role: "status" });
  #error = html("p", { class: "error", role: "alert" });

  /**
   * @param {App} app
   * @param {string} [bot] the bot whose webhook it is, if not the user's own
   */
  constructor(app, bot) {
    this.#app = app;
    this.#bot = bot;
    const form = html("form", { class: "inline", novalidate: true, onsubmit: (/** @type {Event} */ event) => this.#onSubmit(event) }, this.#url, this.#set);
    const parts = [html("p", { class: "about" }, bot === undefined ? t.about : t.botAbout), this.#state, form, this.#secret, this.#error];
    const heading = html(bot === undefined ? "h2" : "h3", {}, t.heading);
    this.element = html("section", { class: bot === undefined ? "card webhook" : "webhook", hidden: true }, heading, parts);
    this.#load();
  }

  async #load() {
    try {
      this.#draw(await this.#app.connection.request({ type: "webhook_get", user: this.#bot }));
    } catch (error) {
      // The server may call no webhooks at all.
      if (error instanceof RequestError && error.failed.code === "forbidden") return;
      fill(this.#error, errorText(error));
    }
    this.element.hidden = false;
  }

  /** @param {Webhook} webhook */
  #draw({ url, created, failures = 0, disabled }) {
    fill(this.#set, url === undefined ? t.set : t.replace);
    if (url === undefined) return fill(this.#state);
    const health = disabled === true ? t.stopped(failures) : failures > 0 ? t.failing(failures) : t.works;
    return update(
      this.#state,
      html("code", { class: "url" }, url),
      html("p", { class: disabled === true ? "error" : "about" }, [strings.account.created(created ?? 0), health].join(" · ")),
      html("button", { type: "button", class: "quiet", onclick: () => this.#run({ type: "webhook_delete", user: this.#bot }) }, t.delete),
    );
  }

  /** @param {Event} event */
  async #onSubmit(event) {
    event.preventDefault();
    const url = this.#url.value.trim();
    if (!/^https:\/\/[^/]/.test(url)) {
      fill(this.#error, t.rule);
      return this.#url.focus();
    }
    return this.#run({ type: "webhook_set", url, user: this.#bot });
  }

  /** @param {Extract<NewRequest, { type: "webhook_set" | "webhook_delete" }>} request */
  async #run(request) {
    fill(this.#error);
    fill(this.#secret);
    try {
      const { secret } = await this.#app.connection.request(request);
      this.#url.value = "";
      // The server sends the secret only once.
      if (secret != null) fill(this.#secret, html("p", {}, t.secret), html("code", { class: "secret" }, secret));
      else this.#app.showToast(t.deleted);
    } catch (error) {
      fill(this.#error, errorText(error));
      return;
    }
    await this.#load();
  }
}
