// The views of live games: all side by side, or the featured one on a large board.

import { loadCatalogue } from "../net/catalogue.js";
import { strings } from "../strings/strings.js";
import { html, update } from "../ui/element.js";
import { hasLoaded, loadingLine } from "../ui/loading.js";
import { FeaturedGame } from "./featured.js";
import { MiniBoards } from "./mini_boards.js";

/** @import {App, View} from "../app.js" */
/** @import {LiveGame} from "../wire.js" */

/**
 * Links to the same view for each kind of games, and for all.
 * @param {string} path of the view for all games
 * @param {string} rules the shown kind, or empty for all
 */
function kindTabs(path, rules) {
  const element = html("nav", { class: "tabs", "aria-label": strings.rules.games });
  const tab = (/** @type {string} */ kind, /** @type {string} */ text) =>
    html("a", { href: kind === "" ? path : `${path}/${kind}`, class: "tab", "aria-current": kind === rules ? "page" : undefined }, text);
  const show = (/** @type {readonly string[]} */ kinds) => update(element, tab("", strings.live.all), kinds.map((kind) => tab(kind, strings.gameName(kind))));
  show(strings.kinds);
  return { element, show };
}

/**
 * Titles a view of live games.
 * @param {App} app
 * @param {string} title
 * @param {string} rules the kind of games, or all if empty
 */
function setTitle(app, title, rules) {
  app.setTitle(rules === "" ? title : `${title}: ${strings.gameName(rules)}`);
}

/**
 * Shows the tabs of all kinds. Returns the kinds that the view is about; nothing if there is no such kind.
 * @param {App} app
 * @param {ReturnType<typeof kindTabs>} tabs
 * @param {string} rules the kind of games, or all if empty
 */
async function loadKinds(app, tabs, rules) {
  const { games } = await loadCatalogue(app.connection);
  const kinds = games.map((game) => strings.kind(game.rules));
  if (rules !== "" && !kinds.includes(rules)) return app.showNotFound(strings.notFound.rules);
  tabs.show(kinds);
  return rules === "" ? kinds : [rules];
}

/** @implements {View} */
export class LivePage {
  element;
  #app;
  #rules;
  #miniBoards;
  #tabs;
  #player = html("input", { name: "player", autocomplete: "off", spellcheck: "false", oninput: () => this.#miniBoards.update() });
  #empty = loadingLine();
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} rules the kind of games, or all if empty
   */
  constructor(app, rules) {
    this.#app = app;
    this.#rules = rules;
    const t = strings.live;
    setTitle(app, t.title, rules);
    this.#tabs = kindTabs("/live", rules);
    const isWanted = (/** @type {LiveGame} */ { entry }) => {
      const wanted = this.#player.value.trim().toLowerCase();
      return entry.seats.some(({ user }) => user.toLowerCase().includes(wanted));
    };
    this.#miniBoards = new MiniBoards(app, { rules: rules === "" ? undefined : rules, many: true, filter: isWanted }, () => {
      hasLoaded(this.#empty, t.none);
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
    this.#unsubscribe = app.connection.onSession(() => this.#load());
  }

  close() {
    this.#unsubscribe();
    this.#miniBoards.close();
  }

  async #load() {
    try {
      await loadKinds(this.#app, this.#tabs, this.#rules);
    } catch {
      // The next welcome requests it again.
    }
  }
}

/** When the game is over, the next one follows. @implements {View} */
export class TvPage {
  element;
  #app;
  #rules;
  #tabs;
  #featured;
  #empty = loadingLine();
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} rules the kind of games, or all if empty
   */
  constructor(app, rules) {
    this.#app = app;
    this.#rules = rules;
    setTitle(app, strings.tv.title, rules);
    this.#tabs = kindTabs("/tv", rules);
    this.#featured = new FeaturedGame(app, () => this.#arrange());
    this.element = html("section", { class: "tv" }, html("h1", {}, strings.tv.title), this.#tabs.element, this.#featured.element, this.#empty);
    this.#unsubscribe = app.connection.onSession(() => this.#load());
  }

  close() {
    this.#unsubscribe();
    this.#featured.close();
  }

  async #load() {
    try {
      const kinds = await loadKinds(this.#app, this.#tabs, this.#rules);
      if (kinds === undefined) return;
      await this.#featured.follow(kinds);
      hasLoaded(this.#empty, strings.tv.none);
      this.#arrange();
    } catch {
      // The next welcome requests it again.
    }
  }

  #arrange() {
    this.#empty.hidden = this.#featured.game !== undefined;
  }
}
