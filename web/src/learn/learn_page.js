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
import { puzzlesOf } from "./puzzles.js";

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
  #puzzles = html("div", { class: "puzzle-grades" }, loadingLine());

  /**
   * @param {App} app
   * @param {string} kind a game, or none for all games
   */
  constructor(app, kind) {
    this.#app = app;
    this.#kind = kind;
    // A view may replace another one only once it is shown.
    queueMicrotask(() => this.#show());
  }

  close() {
    this.#closed = true;
  }

  #show() {
    if (this.#closed) return;
    if (this.#kind === "") {
      this.#app.setTitle(t.heading);
      fill(this.element, html("h1", {}, t.heading), html("p", {}, t.intro), html("div", { class: "learn-games" }, Object.keys(LESSONS).map((kind) => this.#game(kind))));
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
      this.#puzzles,
    );
    void this.#listPuzzles();
    return void guided.start();
  }

  /** @param {string} kind */
  #game(kind) {
    const first = this.#progress.has(guidedKey(kind));
    return html(
      "section",
      { "aria-labelledby": `learn-${kind}` },
      html("h2", { id: `learn-${kind}` }, strings.gameName(kind)),
      html("p", {}, t.goal[kind] ?? ""),
      html("a", { class: first ? "button" : "button primary", href: `/learn/${kind}` }, first ? t.firstMovesDone : t.inAMinute),
      html("a", { class: "button", href: `/rules/${kind}` }, t.rules),
      html("a", { class: "button", href: `/puzzles/${kind}` }, t.puzzlesSolved(this.#progress.count(`${kind}-`))),
    );
  }

  async #listPuzzles() {
    try {
      const puzzles = await puzzlesOf(this.#kind);
      const numbered = puzzles.map((puzzle, index) => ({ ...puzzle, number: index + 1 }));
      const grades = [...new Set(puzzles.map(({ grade }) => grade))];
      fill(this.#puzzles, grades.map((grade) => this.#ofGrade(grade, numbered.filter((puzzle) => puzzle.grade === grade))));
    } catch (error) {
      fill(this.#puzzles, html("p", {}, errorText(error)));
    }
  }

  /**
   * @param {number} grade
   * @param {(Puzzle & { number: number })[]} puzzles
   */
  #ofGrade(grade, puzzles) {
    const isSolved = (/** @type {Puzzle} */ { id }) => this.#progress.has(id);
    const solved = puzzles.filter(isSolved).length;
    const link = (/** @type {Puzzle & { number: number }} */ puzzle) => {
      const { number } = puzzle;
      return html("a", { class: isSolved(puzzle) ? "tab solved" : "tab", href: `/puzzles/${this.#kind}/${number}`, "aria-label": t.puzzle(number, isSolved(puzzle)) }, String(number));
    };
    const title = t.solvedOf(grade, solved, puzzles.length);
    return html("details", {}, html("summary", {}, title), html("nav", { class: "puzzle-list", "aria-label": title }, puzzles.map(link)));
  }
}
