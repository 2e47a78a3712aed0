// The featured game on one large board. When it is over, the next one follows.

import { loadCatalogue } from "../net/catalogue.js";
import { html } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { FeaturedGame } from "./featured.js";
import { kindTabs } from "./kind_tabs.js";

/** @import {App, View} from "../app.js" */

const t = strings.tv;

/** @implements {View} */
export class TvPage {
  element;
  #app;
  #rules;
  #tabs;
  #featured;
  #empty = html("p", { class: "empty" }, strings.loading);
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} rules the kind of games, or all if empty
   */
  constructor(app, rules) {
    this.#app = app;
    this.#rules = rules;
    app.setTitle(rules === "" ? t.title : `${t.title}: ${strings.gameName(rules)}`);
    this.#tabs = kindTabs("/tv", rules);
    this.#featured = new FeaturedGame(app, () => this.#arrange());
    this.element = html("section", { class: "tv" }, html("h1", {}, t.title), this.#tabs.element, this.#featured.element, this.#empty);
    this.#unsubscribe = app.connection.on("welcome", () => this.#load());
    if (app.connection.welcome !== undefined) this.#load();
  }

  close() {
    this.#unsubscribe();
    this.#featured.close();
  }

  async #load() {
    try {
      const { games } = await loadCatalogue(this.#app.connection);
      const kinds = games.map(({ rules }) => strings.kind(rules));
      if (this.#rules !== "" && !kinds.includes(this.#rules)) return this.#app.showNotFound(strings.notFound.rules);
      this.#tabs.show(kinds);
      await this.#featured.follow(this.#rules === "" ? kinds : [this.#rules]);
      this.#empty.textContent = t.none;
      this.#arrange();
    } catch {
      // The next welcome requests it again.
    }
    return undefined;
  }

  #arrange() {
    this.#empty.hidden = this.#featured.game !== undefined;
  }
}
