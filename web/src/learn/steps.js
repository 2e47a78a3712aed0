// The rules of a game in steps, each with a board to make the move on.

import { changes } from "../board/changes.js";
import { ExploreBoard } from "../explore/explore_board.js";
import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { DONE } from "./lessons.js";

/** @import {App} from "../app.js" */
/** @import {Explored} from "../wire.js" */
/** @import {Lesson, Step} from "./lessons.js" */

const t = strings.learn;

/**
 * Returns the steps of a game as a numbered list.
 * @param {App} app
 * @param {string} kind
 * @param {Lesson} lesson
 */
export function stepList(app, kind, lesson) {
  return html("ol", { class: "steps" }, lesson.steps.map((step) => new StepBoard(app, kind, step).element));
}

class StepBoard {
  #step;
  #board;
  #words;
  #said = html("p", { class: "task", role: "status" });
  #again = html("button", { class: "quiet", hidden: true, onclick: () => void this.#reset() }, t.again);
  /** @type {Explored | undefined} */
  #before;
  element;

  /**
   * @param {App} app
   * @param {string} kind
   * @param {Step} step
   */
  constructor(app, kind, step) {
    this.#step = step;
    this.#words = t.steps[kind]?.[step.key] ?? { title: step.key, text: "", task: "", done: "" };
    this.#board = new ExploreBoard(app.connection, { rules: kind, options: step.options, players: 2 }, step.moves, {
      onMove: (_move, after) => this.#onMove(after),
      onRefused: (why) => fill(this.#said, why === "" ? this.#words.task : why),
      onError: (error) => app.showToast(errorText(error)),
    });
    const { title, text } = this.#words;
    this.element = html("li", {}, html("h2", {}, title), html("p", { class: "prose" }, text), this.#said, this.#board.element, this.#again);
    void this.#reset();
  }

  async #reset() {
    this.#before = await this.#board.goTo(this.#step.moves);
    this.#again.hidden = true;
    this.element.classList.remove("done");
    fill(this.#said, this.#words.task);
  }

  /** @param {Explored} after */
  #onMove(after) {
    const { layout } = this.#board;
    if (this.#before === undefined || layout === undefined) return;
    const made = { before: this.#before, after, layout, changes: changes(this.#before.position, after.position) };
    const done = DONE[this.#step.task](made);
    this.#board.stop();
    this.element.classList.toggle("done", done);
    fill(this.#said, done ? this.#words.done : `${t.legalBut} ${this.#words.task}`);
    this.#again.hidden = false;
    this.#again.focus({ preventScroll: true });
  }
}
