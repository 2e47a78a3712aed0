// How the user hears of moves and challenges: notifications of this browser, the browsers that the
// server calls while the page is closed, and the feed of the user's games. A part of the account
// view.

import { html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { browserAt, canNotify, notificationsOn, ownEndpoint, turnOff, turnOn } from "./push.js";

/** @import {PushSubscription} from "../wire.js" */
/** @import {App} from "../app.js" */

const t = strings.notify;

export class NotifySettings {
  element = html("section", { class: "people card notify-settings" });
  #app;
  /** The browsers that the server calls. @type {PushSubscription[]} */
  #subscriptions = [];
  /** The endpoint of this browser, if the server calls it. @type {string | undefined} */
  #own;
  #unsubscribe;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#unsubscribe = app.connection.onSession(() => this.#load());
    this.#draw();
  }

  close() {
    this.#unsubscribe();
  }

  async #load() {
    const { connection } = this.#app;
    if (connection.welcome?.user != null && connection.welcome.push != null) {
      try {
        this.#own = await ownEndpoint();
        this.#subscriptions = (await connection.request({ type: "push_list" })).subscriptions;
      } catch {
        // The next welcome requests them again.
      }
    }
    this.#draw();
  }

  #draw() {
    const { connection } = this.#app;
    const name = connection.welcome?.user?.name;
    const isCalled = this.#subscriptions.some(({ endpoint }) => endpoint === this.#own);
    const on = async () => {
      const outcome = await turnOn(connection);
      if (outcome !== "on") this.#app.showToast(t[outcome]);
    };
    update(
      this.element,
      html("h2", {}, t.heading),
      html("p", { class: "soft" }, canNotify() ? t.about : t.refused),
      notificationsOn() && html("p", {}, isCalled ? t.onClosed : t.onOpen),
      notificationsOn()
        ? html("button", { class: "quiet", onclick: () => this.#run(() => turnOff(connection)) }, t.off)
        : canNotify() && html("button", { onclick: () => this.#run(on) }, t.ask),
      this.#subscriptions.length > 0 && html("h3", {}, t.browsers),
      this.#subscriptions.length > 0 && html("ul", { class: "rows" }, this.#subscriptions.map((each) => this.#row(each))),
      name !== undefined &&
        html("p", {}, html("a", { href: `/user/${name}/feed.atom`, type: "application/atom+xml" }, t.feed), " ", html("span", { class: "soft" }, t.feedAbout)),
    );
  }

  /** @param {PushSubscription} subscription */
  #row({ endpoint, created, failures }) {
    const isOwn = endpoint === this.#own;
    const { connection } = this.#app;
    const remove = () => (isOwn ? turnOff(connection) : connection.request({ type: "push_unsubscribe", endpoint }));
    const about = [isOwn && strings.account.thisBrowser, strings.account.created(created), failures > 0 && strings.webhook.failing(failures)];
    return html(
      "li",
      { "data-key": endpoint },
      html("span", { class: "who" }, browserAt(endpoint)),
      html("span", { class: "about" }, about.filter(Boolean).join(" · ")),
      html("button", { class: "quiet", onclick: () => this.#run(remove) }, t.remove),
    );
  }

  /** @param {() => Promise<unknown>} work */
  async #run(work) {
    try {
      await work();
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
    await this.#load();
  }
}
