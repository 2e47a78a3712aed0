// The rules of a game: steps to try, then the server's text and the options.

import { loadCatalogue } from "../net/catalogue.js";
import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { loadingLine } from "../ui/loading.js";
import { strings } from "../strings/strings.js";
import { LESSONS } from "./lessons.js";
import { playButton } from "./play_button.js";
import { stepList } from "./steps.js";

/** @import {App, View} from "../app.js" */
/** @import {PlayableGame} from "../wire.js" */

const t = strings.rules;

/** @implements {View} */
export class RulesPage {
  element = html("article", { class: "users-page rules" }, loadingLine());
  #drawn = "";
  #app;
  #rules;
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} rules the kind of game, or the first one if empty
   */
  constructor(app, rules) {
    this.#app = app;
    this.#rules = rules;
    this.#unsubscribe = app.connection.onSession(() => this.#load());
  }

  close() {
    this.#unsubscribe();
  }

  async #load() {
    try {
      const { games } = await loadCatalogue(this.#app.connection);
      const game = this.#rules === "" ? games[0] : games.find((each) => strings.kind(each.rules) === this.#rules);
      if (game === undefined) return this.#app.showNotFound(strings.notFound.rules);
      const drawn = JSON.stringify([games, game]);
      if (drawn !== this.#drawn) this.#show(games, game);
      this.#drawn = drawn;
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
    return undefined;
  }

  /**
   * @param {PlayableGame[]} games
   * @param {PlayableGame} game
   */
  #show(games, game) {
    const kind = strings.kind(game.rules);
    const lesson = LESSONS[kind];
    this.#app.setTitle(`${strings.nav.rules}: ${strings.gameName(kind)}`);
    fill(
      this.element,
      tabs(games, kind),
      html("h1", {}, strings.gameName(kind)),
      lesson && html("p", { class: "prose" }, strings.learn.goal[kind] ?? ""),
      html(
        "p",
        { class: "learn-next" },
        playButton(this.#app, kind),
        lesson && html("a", { class: "button", href: `/learn/${kind}` }, strings.learn.inAMinute),
        lesson && html("a", { class: "button", href: `/puzzles/${kind}` }, strings.learn.puzzles),
      ),
      lesson && stepList(this.#app, kind, lesson),
      prose(game.page),
      game.options.length > 0 && html("h2", {}, t.options),
      html("dl", {}, game.options.flatMap(({ name, about }) => [html("dt", {}, name), html("dd", {}, about)])),
    );
  }
}

/**
 * @param {PlayableGame[]} games
 * @param {string} here
 */
function tabs(games, here) {
  const link = (/** @type {string} */ kind) =>
    html("a", { href: `/rules/${kind}`, class: "tab", "aria-current": kind === here ? "page" : undefined }, strings.gameName(kind));
  return html("nav", { class: "tabs", "aria-label": t.games }, games.map((game) => link(strings.kind(game.rules))));
}

/**
 * The server's help page: prose, and indented lines with notation.
 * @param {string} page
 */
function prose(page) {
  // The name at the beginning is for clients without headings.
  const lines = page.replace(/^[A-Z]+ {2}/, "").split("\n");
  const written = lines.filter((line) => line.startsWith("  "));
  const text = lines.filter((line) => !line.startsWith("  ")).join(" ");
  return [
    html("h2", {}, t.whole),
    html("p", { class: "prose" }, text),
    html("h2", {}, t.notation),
    html("pre", { tabindex: 0 }, written.map((line) => line.slice(2)).join("\n")),
  ];
}
