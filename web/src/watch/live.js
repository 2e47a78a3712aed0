// All live games side by side, or those of one kind or one player.

import { loadCatalogue } from "../net/catalogue.js";
import { fill, html } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { kindTabs } from "./kind_tabs.js";
import { MiniBoards } from "./mini_boards.js";

/** @import {App, View} from "../app.js" */

const t = strings.live;

/** @implements {View} */
export class LivePage {
  element;
  #app;
  #rules;
  #miniBoards;
  #tabs;
  #player = html("input", { name: "player", autocomplete: "off", spellcheck: "false", oninput: () => this.#miniBoards.update() });
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
    this.#tabs = kindTabs("/live", rules);
    const isWanted = (/** @type {import("../wire.js").LiveGame} */ { entry }) => {
      const wanted = this.#player.value.trim().toLowerCase();
      return entry.seats.some(({ user }) => user.toLowerCase().includes(wanted));
    };
    this.#miniBoards = new MiniBoards(app, { rules: rules === "" ? undefined : rules, many: true, filter: isWanted }, () => {
      fill(this.#empty, t.none);
      this.#empty.hidden = this.#miniBoards.size > 0;
    });
    this.element = html(
      "section",
      { class: "live" },
      html("h1", {}, t.title),
      html(
        "div",
        { class: "filters" },
        this.#tabs.element,
        html("label", { class: "by-player" }, html("span", {}, t.player), this.#player),
        html("a", { href: rules === "" ? "/tv" : `/tv/${rules}` }, t.tv),
        html("a", { href: "/games" }, t.finished),
      ),
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
      const { games } = await loadCatalogue(this.#app.connection);
      const kinds = games.map(({ rules }) => strings.kind(rules));
      if (this.#rules !== "" && !kinds.includes(this.#rules)) return this.#app.showNotFound(strings.notFound.rules);
      this.#tabs.show(kinds);
    } catch {
      // The next welcome requests it again.
    }
    return undefined;
  }
}
