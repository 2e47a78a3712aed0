// The way into the games: for each one its first moves, its rules and its puzzles.

import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { loadingLine } from "../ui/loading.js";
import { storage } from "../strings/storage.js";
import { strings } from "../strings/strings.js";
import { GuidedMoves } from "./guided.js";
import { LESSONS } from "./lessons.js";
import { playButton } from "./play_button.js";
import { Progress, guidedKey } from "./progress.js";
import { allPuzzles } from "./puzzles.js";

/** @import {App, View} from "../app.js" */
/** @import {Puzzle} from "./puzzles.js" */

const t = strings.learn;

/** @implements {View} */
export class LearnPage {
  element = html("article", { class: "users-page learn-page" }, loadingLine());
  #app;
  #kind;
  #progress = new Progress(storage);
  #closed = false;

  /**
   * @param {App} app
   * @param {string} kind a game, or none for all games
   */
  constructor(app, kind) {
    this.#app = app;
    this.#kind = kind;
    void this.#load();
  }

  close() {
    this.#closed = true;
  }

  async #load() {
    try {
      const puzzles = await allPuzzles();
      if (!this.#closed) this.#show(puzzles);
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
  }

  /** @param {Puzzle[]} puzzles */
  #show(puzzles) {
    if (this.#kind === "") {
      this.#app.setTitle(t.heading);
      fill(this.element, html("h1", {}, t.heading), html("p", {}, t.intro), html("div", { class: "learn-games" }, Object.keys(LESSONS).map((kind) => this.#game(kind, puzzles))));
      return;
    }
    const lesson = LESSONS[this.#kind];
    if (lesson === undefined) return this.#app.showNotFound(strings.notFound.rules);
    this.#app.setTitle(t.title(this.#kind));
    const guided = new GuidedMoves(this.#app, this.#kind, lesson, this.#progress);
    fill(
      this.element,
      html("h1", {}, t.title(this.#kind)),
      html("p", { class: "prose" }, t.goal[this.#kind] ?? ""),
      guided.element,
      html("p", { class: "learn-next" }, html("a", { class: "button", href: `/rules/${this.#kind}` }, t.rules), playButton(this.#app, this.#kind)),
      html("h2", {}, t.puzzles),
      this.#puzzleList(this.#kind, puzzles),
    );
    return void guided.start();
  }

  /**
   * @param {string} kind
   * @param {Puzzle[]} puzzles
   */
  #game(kind, puzzles) {
    const own = puzzles.filter(({ rules }) => strings.kind(rules) === kind);
    const solved = own.filter(({ id }) => this.#progress.has(id)).length;
    const first = this.#progress.has(guidedKey(kind));
    const open = own.findIndex(({ id }) => !this.#progress.has(id)) + 1;
    return html(
      "section",
      { "aria-labelledby": `learn-${kind}` },
      html("h2", { id: `learn-${kind}` }, strings.gameName(kind)),
      html("p", {}, t.goal[kind] ?? ""),
      html("a", { class: first ? "button" : "button primary", href: `/learn/${kind}` }, first ? t.firstMovesDone : t.inAMinute),
      html("a", { class: "button", href: `/rules/${kind}` }, t.rules),
      html("a", { class: "button", href: `/puzzles/${kind}/${open || 1}` }, t.solvedOf(solved, own.length)),
    );
  }

  /**
   * @param {string} kind
   * @param {Puzzle[]} puzzles
   */
  #puzzleList(kind, puzzles) {
    const own = puzzles.filter(({ rules }) => strings.kind(rules) === kind);
    const link = (/** @type {Puzzle} */ { id }, /** @type {number} */ index) => {
      const solved = this.#progress.has(id);
      return html("a", { class: solved ? "tab solved" : "tab", href: `/puzzles/${kind}/${index + 1}`, "aria-label": t.puzzle(index + 1, solved) }, String(index + 1));
    };
    return html("nav", { class: "puzzle-list", "aria-label": t.puzzles }, own.map(link));
  }
}
