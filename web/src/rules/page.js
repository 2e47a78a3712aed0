// The rules of a game: the server's help page, and example moves.

import { Board } from "../board/board.js";
import { changes } from "../board/changes.js";
import { lastMoveHighlights } from "../board/markers.js";
import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { LESSONS } from "./examples.js";

/** @import {App, View} from "../app.js" */
/** @import {BoardLayout, PlayableGame} from "../wire.js" */
/** @import {Example, Lesson} from "./examples.js" */

const t = strings.rules;

/** @implements {View} */
export class RulesPage {
  element = html("article", { class: "users-page rules" }, html("p", { class: "empty" }, strings.loading));
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
    this.#unsubscribe = app.connection.on("welcome", () => this.#load());
    if (app.connection.welcome !== undefined) this.#load();
  }

  close() {
    this.#unsubscribe();
  }

  async #load() {
    try {
      const { games } = await this.#app.connection.request({ type: "catalogue" });
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
      prose(game.page),
      lesson && html("h2", {}, t.examples),
      lesson && html("div", { class: "examples" }, lesson.examples.map((example) => figure(lesson, example))),
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
    html(
      "a",
      { href: `/rules/${kind}`, class: "tab", "aria-current": kind === here ? "page" : undefined },
      strings.gameName(kind),
    );
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
    html("p", { class: "prose" }, text),
    html("h2", {}, t.notation),
    html("pre", { tabindex: 0 }, written.map((line) => line.slice(2)).join("\n")),
  ];
}

/**
 * A board on which an example move can be played and taken back.
 * @param {Lesson} lesson
 * @param {Example} example
 */
function figure(lesson, { move, text, before, after }) {
  const board = new Board();
  board.setLayout(layoutOf(lesson), { live: false, labels: true });
  board.show({ position: before, highlights: new Map(), noAnimation: true });
  let made = false;
  const button = html("button", {}, t.make(move));
  const turn = () => {
    made = !made;
    board.show({ position: made ? after : before, highlights: made ? lastMoveHighlights(changes(before, after)) : new Map() });
    fill(button, made ? t.back : t.make(move));
  };
  button.addEventListener("click", turn);
  board.addEventListener("click", turn);
  return html("figure", {}, html("div", { class: "frame" }, board), html("figcaption", {}, text), button);
}

/**
 * @param {Lesson} lesson
 * @returns {BoardLayout}
 */
function layoutOf({ cells, edges, letters, levels }) {
  const written = cells.map(([name, x, y, shape]) => ({ name, x, y, shape }));
  return { type: "layout", re: "", game: "", cells: written, edges, letters, levels };
}
