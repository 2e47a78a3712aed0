// All live games side by side, or those of one kind.

import { fill, html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { MiniBoards } from "./mini_boards.js";

/** @import {App, View} from "../app.js" */

const t = strings.live;

/** @implements {View} */
export class LivePage {
  element;
  #app;
  #rules;
  #miniBoards;
  #tabs = html("nav", { class: "tabs", "aria-label": strings.rules.games });
  #empty = html("p", { class: "empty" }, strings.loading);
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} rules the kind of games, or all if empty
   */
  constructor(app, rules) {
    this.#app = app;
    app.setTitle(rules === "" ? strings.home.live : `${strings.home.live}: ${strings.gameName(rules)}`);
    this.#rules = rules;
    this.#miniBoards = new MiniBoards(app, { rules: rules === "" ? undefined : rules, many: true }, () => {
      fill(this.#empty, t.none);
      this.#empty.hidden = this.#miniBoards.size > 0;
    });
    this.element = html(
      "section",
      { class: "live" },
      html("h1", {}, strings.home.live),
      this.#tabs,
      this.#miniBoards.element,
      this.#empty,
    );
    this.#unsubscribe = app.connection.on("welcome", () => this.#load());
    if (app.connection.welcome !== undefined) this.#load();
  }

  close() {
    this.#unsubscribe();
    this.#miniBoards.close();
  }

  async #load() {
    try {
      const { games } = await this.#app.connection.request({ type: "catalogue" });
      const kinds = games.map(({ rules }) => strings.kind(rules));
      if (this.#rules !== "" && !kinds.includes(this.#rules)) return this.#app.showNotFound(strings.notFound.rules);
      update(this.#tabs, this.#tab("", t.all), kinds.map((kind) => this.#tab(kind, strings.gameName(kind))));
    } catch {
      // The next welcome requests it again.
    }
    return undefined;
  }

  /**
   * @param {string} rules
   * @param {string} text
   */
  #tab(rules, text) {
    const here = rules === this.#rules;
    const href = rules === "" ? "/live" : `/live/${rules}`;
    return html("a", { href, class: "tab", "aria-current": here ? "page" : undefined }, text);
  }
}
