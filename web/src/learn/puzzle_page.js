// The view of one puzzle: the position, the goal, and answers to the reader's moves. A wrong move
// is answered by the reply that refutes it.

import { addressOf } from "../explore/address.js";
import { ExploreBoard } from "../explore/explore_board.js";
import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { loadingLine } from "../ui/loading.js";
import { storage } from "../strings/storage.js";
import { strings } from "../strings/strings.js";
import { LESSONS } from "./lessons.js";
import { Progress } from "./progress.js";
import { PLAYERS, judge, puzzlesOf } from "./puzzles.js";

/** @import {App, View} from "../app.js" */
/** @import {Explored} from "../wire.js" */
/** @import {Puzzle} from "./puzzles.js" */

const t = strings.puzzles;

/** The time before a reply is shown, in milliseconds: the reader sees the own move first. */
const REPLY_MS = 600;

/** @implements {View} */
export class PuzzlePage {
  element = html("article", { class: "puzzle-page" }, loadingLine());
  #app;
  #kind;
  #number;
  #progress = new Progress(storage);
  #closed = false;
  /** @type {{ puzzle: Puzzle, count: number } | undefined} */
  #loaded;
  /** @type {ExploreBoard | undefined} */
  #board;
  #said = html("p", { class: "task", role: "status" });
  #buttons = html("p", { class: "puzzle-buttons" });
  /** How many hints were given. */
  #hints = 0;
  /** The position before the last move of the reader. @type {{ moves: readonly string[], explored: Explored } | undefined} */
  #before;

  /**
   * @param {App} app
   * @param {string} kind
   * @param {number} number from 1; 0 for the first one that is not solved
   */
  constructor(app, kind, number) {
    this.#app = app;
    this.#kind = kind;
    this.#number = number;
    void this.#load();
  }

  close() {
    this.#closed = true;
  }

  async #load() {
    try {
      const puzzles = Object.hasOwn(LESSONS, this.#kind) ? await puzzlesOf(this.#kind) : [];
      if (this.#closed) return;
      if (this.#number === 0) this.#number = puzzles.findIndex(({ id }) => !this.#progress.has(id)) + 1 || 1;
      const puzzle = puzzles[this.#number - 1];
      if (puzzle === undefined) this.#app.showNotFound(strings.notFound.puzzle);
      else this.#open(puzzle, puzzles.length);
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
  }

  /**
   * @param {Puzzle} puzzle
   * @param {number} count
   */
  #open(puzzle, count) {
    this.#loaded = { puzzle, count };
    const { rules, options, moves, grade } = puzzle;
    const orientation = moves.length % PLAYERS;
    this.#board = new ExploreBoard(this.#app.connection, { rules, options, players: PLAYERS }, moves, {
      onMove: (move, explored) => void this.#onMove(move, explored),
      onRefused: (why) => why !== "" && fill(this.#said, why),
      onError: (error) => this.#app.showToast(errorText(error)),
    }, { orientation });
    const name = strings.gameName(this.#kind);
    this.#app.setTitle(t.title(name, this.#number));
    fill(
      this.element,
      html(
        "div",
        { class: "lesson-text" },
        html("p", { class: "crumbs" }, html("a", { href: `/learn/${this.#kind}` }, name)),
        html("h1", {}, t.heading(this.#number, count)),
        html("p", { class: "step-count" }, t.grade(grade)),
        this.#said,
        this.#buttons,
        html("p", { class: "soft" }, t.about(this.#kind, options)),
      ),
      this.#board.element,
    );
    void this.#reset();
  }

  async #reset() {
    if (this.#loaded === undefined) return;
    this.#hints = 0;
    await this.#goBack(this.#loaded.puzzle.moves);
  }

  /** Lets the reader move after these moves. @param {readonly string[]} moves */
  async #goBack(moves) {
    const explored = await this.#board?.goTo(moves);
    if (explored === undefined) return;
    this.#before = { moves, explored };
    this.#show("solve", this.#goal());
  }

  #goal() {
    const [puzzle, made] = [this.#loaded?.puzzle, this.#made];
    if (puzzle === undefined) return "";
    const side = t.sides[this.#before?.explored.to_move ?? 0] ?? "";
    if (puzzle.goal === "save") return t.save(side);
    const left = (puzzle.plies - made + 1) / 2;
    if (made > 0) return t.goOn(side, left);
    return left === 1 ? t.winInOne(side) : t.winIn(side, left);
  }

  /** How many moves of the puzzle stand. */
  get #made() {
    return (this.#before?.moves.length ?? 0) - (this.#loaded?.puzzle.moves.length ?? 0);
  }

  /**
   * @param {string} move
   * @param {Explored} explored
   */
  async #onMove(move, explored) {
    const [before, board, puzzle] = [this.#before, this.#board, this.#loaded?.puzzle];
    if (before === undefined || board === undefined || puzzle === undefined) return;
    const made = this.#made;
    const verdict = judge(puzzle, move, made, before.explored, explored);
    board.stop();
    if (verdict.kind === "solved") return this.#solve();
    const moves = [...before.moves, move];
    if (verdict.kind === "reply") {
      this.#show("wrong", t.right);
      fill(this.#buttons);
      await later();
      if (!this.#closed && this.#board === board) await this.#goBack([...moves, verdict.reply]);
      return;
    }
    if (verdict.reply === undefined) return this.#show("wrong", made + 1 === puzzle.plies ? t.notWon(move) : t.notFast(move));
    await later();
    if (this.#closed) return;
    const answered = await board.goTo([...moves, verdict.reply]);
    board.stop();
    const lost = answered?.result != null;
    this.#show("wrong", puzzle.goal === "win" ? t.stopped(move, verdict.reply) : lost ? t.lost(move, verdict.reply) : t.losing(move, verdict.reply));
  }

  #solve() {
    const id = this.#loaded?.puzzle.id;
    if (id !== undefined && this.#hints < 2) this.#progress.add(id);
    this.#show("solved", this.#hints < 2 ? t.solved : t.seen);
  }

  /**
   * @param {"solve" | "wrong" | "solved"} state
   * @param {string} text
   */
  #show(state, text) {
    const had = this.#buttons.contains(document.activeElement);
    this.element.dataset["state"] = state;
    fill(this.#said, text);
    const { count = 0 } = this.#loaded ?? {};
    const next = this.#number < count ? `/puzzles/${this.#kind}/${this.#number + 1}` : `/learn/${this.#kind}`;
    const link = html("a", { class: state === "solved" ? "button primary" : "button", href: next, "data-key": "next" }, this.#number < count ? t.next : t.all);
    const again = html("button", { "data-key": "again", onclick: () => void this.#goBack(this.#before?.moves ?? []) }, t.again);
    const hint = html("button", { class: "quiet", "data-key": "hint", onclick: () => void this.#hint() }, t.hint);
    const solution = html("button", { class: "quiet", "data-key": "solution", onclick: () => void this.#showSolution() }, t.solution);
    const analyse = html("a", { class: "button quiet", href: this.#analysis, "data-key": "analyse" }, strings.analysis.analyse);
    update(this.#buttons, state === "wrong" && again, state === "solve" && hint, state !== "solved" && solution, link, state === "solved" && analyse);
    if (state === "solve") {
      if (had) this.#board?.takeFocus();
    } else (state === "wrong" ? this.#buttons.querySelector("button") : this.#buttons.querySelector("a"))?.focus({ preventScroll: true });
  }

  /** The address of the analysis of the shown line, at the puzzle's position. */
  get #analysis() {
    const puzzle = this.#loaded?.puzzle;
    if (puzzle === undefined) return "/analysis";
    const { options, moves } = puzzle;
    return addressOf({ source: { rules: this.#kind, options, players: PLAYERS }, from: 0, moves: this.#board?.moves ?? moves, ply: moves.length }).path;
  }

  /** Shows where the solution begins, then where it goes. */
  async #hint() {
    const move = this.#loaded?.puzzle.solution[this.#made];
    if (move === undefined || this.#board === undefined) return;
    this.#hints += 1;
    try {
      const { lost, gained } = await this.#board.cellsOf(move);
      const cells = this.#hints === 1 && lost.length > 0 ? lost : gained;
      this.#board.point(cells);
      fill(this.#said, lost.length > 0 && cells === lost ? t.hintFrom(cells) : t.hintTo(cells));
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
  }

  async #showSolution() {
    const [puzzle, board] = [this.#loaded?.puzzle, this.#board];
    if (puzzle === undefined || board === undefined) return;
    this.#hints = 2;
    for (let shown = 1; shown <= puzzle.solution.length; shown += 1) {
      if (this.#closed) return;
      await board.goTo([...puzzle.moves, ...puzzle.solution.slice(0, shown)]);
      board.stop();
      if (shown < puzzle.solution.length) await later();
    }
    this.#show("solved", t.solutionIs(puzzle.solution));
  }
}

function later() {
  return new Promise((resolve) => setTimeout(resolve, REPLY_MS));
}
