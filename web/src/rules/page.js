// The rules of a game: the page of help that the server has for every client, and moves to look at.

import { Board } from "../board/board.js";
import { changes } from "../board/changes.js";
import { fill, html } from "../ui/element.js";
import { reason } from "../ui/error_text.js";
import { words } from "../strings.js";
import { LESSONS } from "./examples.js";

/** @import {App, View} from "../main.js" */
/** @import {BoardLayout, PlayableGame} from "../wire.js" */
/** @import {Mark} from "../board/markers.js" */
/** @import {Example, Lesson} from "./examples.js" */

const say = words.rules;

/** @implements {View} */
export class RulesPage {
  element = html("article", { class: "people rules" }, html("p", { class: "empty" }, words.loading));
  #drawn = "";
  #app;
  #rules;
  #stop;

  /**
   * @param {App} app
   * @param {string} rules the kind of game; the first one if it is empty
   */
  constructor(app, rules) {
    this.#app = app;
    this.#rules = rules;
    this.#stop = app.connection.on("welcome", () => this.#ask());
    if (app.connection.welcome !== undefined) this.#ask();
  }

  close() {
    this.#stop();
  }

  async #ask() {
    try {
      const { games } = await this.#app.connection.request({ type: "catalogue" });
      const game = this.#rules === "" ? games[0] : games.find((each) => words.kind(each.rules) === this.#rules);
      if (game === undefined) return this.#app.lose(words.lost.rules);
      const drawn = JSON.stringify([games, game]);
      if (drawn !== this.#drawn) this.#show(games, game);
      this.#drawn = drawn;
    } catch (error) {
      this.#app.say(reason(error));
    }
    return undefined;
  }

  /**
   * @param {PlayableGame[]} games
   * @param {PlayableGame} game
   */
  #show(games, game) {
    const kind = words.kind(game.rules);
    const lesson = LESSONS[kind];
    this.#app.entitle(`${words.nav.rules}: ${words.gameName(kind)}`);
    fill(
      this.element,
      tabs(games, kind),
      html("h1", {}, words.gameName(kind)),
      prose(game.page),
      lesson && html("h2", {}, say.examples),
      lesson && html("div", { class: "examples" }, lesson.examples.map((example) => figure(lesson, example))),
      game.options.length > 0 && html("h2", {}, say.options),
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
      words.gameName(kind),
    );
  return html("nav", { class: "tabs", "aria-label": say.games }, games.map((game) => link(words.kind(game.rules))));
}

/**
 * The server's page: lines of prose, and indented ones that show how moves are written.
 * @param {string} page
 */
function prose(page) {
  // The game's name stands in front, for pages without a heading.
  const lines = page.replace(/^[A-Z]+ {2}/, "").split("\n");
  const written = lines.filter((line) => line.startsWith("  "));
  const text = lines.filter((line) => !line.startsWith("  ")).join(" ");
  return [
    html("p", { class: "prose" }, text),
    html("h2", {}, say.notation),
    html("pre", { tabindex: 0 }, written.map((line) => line.slice(2)).join("\n")),
  ];
}

/**
 * A board on which one move can be made and taken back.
 * @param {Lesson} lesson
 * @param {Example} example
 */
function figure(lesson, { move, text, before, after }) {
  const board = new Board();
  board.setUp(layoutOf(lesson), { live: false, labels: true });
  board.show({ position: before, marks: new Map(), still: true });
  let made = false;
  const button = html("button", {}, say.make(move));
  const turn = () => {
    made = !made;
    board.show({ position: made ? after : before, marks: made ? pointedOut(before, after) : new Map() });
    fill(button, made ? say.back : say.make(move));
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

/**
 * @param {Example["before"]} before
 * @param {Example["after"]} after
 */
function pointedOut(before, after) {
  const { lost, gained } = changes(before, after);
  /** @type {Map<string, Set<Mark>>} */
  const marks = new Map();
  for (const cell of lost) marks.set(cell, new Set(["last-from"]));
  for (const cell of gained) marks.set(cell, new Set(["last-to"]));
  return marks;
}
