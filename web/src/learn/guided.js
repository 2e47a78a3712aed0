// The first moves of a game, click by click.

import { ExploreBoard } from "../explore/explore_board.js";
import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { playButton } from "./play_button.js";
import { guidedKey } from "./progress.js";

/** @import {App} from "../app.js" */
/** @import {Progress} from "./progress.js" */
/** @import {Lesson} from "./lessons.js" */

const t = strings.learn;

export class GuidedMoves {
  #app;
  #kind;
  #lesson;
  #progress;
  #board;
  #at = 0;
  #text = html("p", { class: "task", role: "status" });
  #count = html("p", { class: "step-count" });
  #next = html("p", { class: "learn-next" });
  element;

  /**
   * @param {App} app
   * @param {string} kind
   * @param {Lesson} lesson
   * @param {Progress} progress
   */
  constructor(app, kind, lesson, progress) {
    this.#app = app;
    this.#kind = kind;
    this.#lesson = lesson;
    this.#progress = progress;
    this.#board = new ExploreBoard(app.connection, { rules: kind, options: lesson.options, players: 2 }, [], {
      onMove: (move) => void this.#onMove(move),
      onRefused: () => this.#say(t.clickMarked),
      onPick: () => this.#say(),
      onError: (error) => app.showToast(errorText(error)),
    }, { autoPlay: false });
    this.element = html(
      "section",
      { class: "guided", "aria-label": t.firstMoves },
      html("div", { class: "lesson-text" }, html("h2", {}, t.firstMoves), this.#count, this.#text, this.#next),
      this.#board.element,
    );
  }

  /** Begins, or begins again. */
  async start() {
    this.#at = 0;
    fill(this.#next);
    // The text is there before the board.
    this.#guide();
    if ((await this.#board.goTo([])) !== undefined) this.#guide();
  }

  #guide() {
    const guided = this.#lesson.guided[this.#at];
    this.#board.guide = guided?.clicks;
    this.#say();
  }

  /** @param {string} [hint] */
  #say(hint) {
    const { guided } = this.#lesson;
    const now = guided[this.#at];
    if (now === undefined) return;
    const text = t.guided[this.#kind]?.[now.key] ?? "";
    const click = this.#board.guide?.[0];
    fill(this.#count, t.moveOf(this.#at + 1, guided.length));
    fill(this.#text, `${text} ${hint ?? ""} ${click === undefined ? t.nowPlay : t.click(click)}`.replace(/ +/g, " "));
  }

  /** @param {string} move */
  async #onMove(move) {
    const made = this.#lesson.guided[this.#at];
    this.#at += 1;
    if (made?.reply !== undefined) {
      const explored = await this.#board.goTo([...this.#board.moves.slice(0, -1), move, made.reply]);
      if (explored !== undefined) this.#guide();
      return;
    }
    this.#progress.add(guidedKey(this.#kind));
    this.#board.stop();
    fill(this.#count, t.allDone);
    fill(this.#text, t.guided[this.#kind]?.["done"] ?? "");
    const next = html("a", { class: "button primary", href: `/puzzles/${this.#kind}` }, t.toPuzzles);
    fill(this.#next, next, playButton(this.#app, this.#kind), html("button", { class: "quiet", onclick: () => void this.start() }, t.again));
    next.focus({ preventScroll: true });
    this.#app.setTitle(t.title(this.#kind));
  }
}
