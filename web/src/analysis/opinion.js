// What a bot of the server thinks of the shown position, once the reader asks for it.

import { RequestError } from "../net/pending.js";
import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";

/** @import {Explored} from "../wire.js" */
/** @import {ExploreBoard} from "../explore/explore_board.js" */

const t = strings.analysis.opinion;

/** The levels whose opinion one can ask for, and perfect play. @typedef {"easy" | "medium" | "hard" | "perfect"} Asked */

/** @type {readonly Asked[]} */
const LEVELS = ["easy", "medium", "hard", "perfect"];

/** Best moves that are shown. */
const BEST_MAX = 4;

/** Scores from which a side is better, and clearly so, out of 1000. */
const [BETTER, MUCH_BETTER, CERTAIN] = [100, 400, 1_000];

export class OpinionLine {
  #board;
  #isOn = html("input", { type: "checkbox", onchange: () => this.#onSwitch() });
  #level = html("select", { "aria-label": t.level, onchange: () => void this.#ask() }, LEVELS.map((level) => html("option", { value: level, selected: level === "medium" }, t.levels[level])));
  #text = html("p", { class: "opinion-text", role: "status" });
  element = html("div", { class: "opinion" }, html("div", { class: "opinion-switch" }, html("label", {}, this.#isOn, " ", t.heading), this.#level), this.#text);
  /** The shown position. @type {{ explored: Explored, users: readonly string[] } | undefined} */
  #shown;
  #asking = false;

  /** @param {ExploreBoard} board */
  constructor(board) {
    this.#board = board;
    this.#onSwitch();
  }

  /**
   * Shows the opinion on another position.
   * @param {Explored} explored
   * @param {readonly string[]} users by seat
   */
  show(explored, users) {
    this.#shown = { explored, users };
    void this.#ask();
  }

  #onSwitch() {
    this.#level.hidden = !this.#isOn.checked;
    if (this.#isOn.checked) void this.#ask();
    else fill(this.#text);
  }

  /** Asks about the shown position. Only one request is open at a time. */
  async #ask() {
    if (!this.#isOn.checked || this.#shown === undefined || this.#asking) return;
    const [shown, level] = [this.#shown, this.#levelChosen];
    if (shown.explored.result !== null) return fill(this.#text, t.over);
    this.#asking = true;
    fill(this.#text, t.thinking);
    try {
      const answer = await (level === "perfect" ? this.#board.oracle() : this.#board.opinion(level));
      if (shown === this.#shown && this.#isOn.checked) {
        if (level === "perfect") this.#showOracle(shown, answer.oracle);
        else this.#show(shown, level, answer.opinion);
      }
    } catch (error) {
      const isForbidden = error instanceof RequestError && error.failed.code === "forbidden";
      if (shown === this.#shown && this.#isOn.checked) fill(this.#text, isForbidden ? t.forbidden : errorText(error));
    }
    this.#asking = false;
    if (shown !== this.#shown || level !== this.#levelChosen) void this.#ask();
  }

  get #levelChosen() {
    return LEVELS.find((level) => level === this.#level.value) ?? "medium";
  }

  /**
   * @param {{ explored: Explored, users: readonly string[] }} shown
   * @param {Explored["oracle"]} oracle
   */
  #showOracle({ explored, users }, oracle) {
    if (oracle == null) return fill(this.#text, t.notKnown);
    const { value, distance = 0, best, moves } = oracle;
    const shown = best.slice(0, BEST_MAX);
    const buttons = shown.flatMap((move) => [this.#best(move), " "]);
    const more = moves - shown.length;
    const said = t.perfect(value, users[explored.to_move ?? 0] ?? "", distance);
    return update(this.#text, said, " ", t.bestMoves(moves), " ", ...buttons, more > 0 && t.moreMoves(more));
  }

  /** @param {string} move */
  #best(move) {
    return html("button", { class: "quiet best", "data-key": move, title: t.playBest, onclick: () => void this.#board.play(move) }, move);
  }

  /**
   * @param {{ explored: Explored, users: readonly string[] }} shown
   * @param {Exclude<Asked, "perfect">} level
   * @param {Explored["opinion"]} opinion
   */
  #show({ explored, users }, level, opinion) {
    if (opinion == null) return fill(this.#text, t.none);
    const { best, score } = opinion;
    const side = users[explored.to_move ?? 0] ?? "";
    // Between two, what is bad for one is good for the other.
    const other = explored.players === 2 ? users[1 - (explored.to_move ?? 0)] : undefined;
    return update(this.#text, t.wouldPlay(t.levels[level]), " ", this.#best(best), " ", verdict(score, side, other));
  }
}

/**
 * Puts a score in words.
 * @param {number} score from the view of the side to move
 * @param {string} side
 * @param {string | undefined} other the only other side
 */
export function verdict(score, side, other) {
  const size = Math.abs(score);
  if (size < BETTER) return t.even;
  /** @type {keyof typeof t.good} */
  const strength = size >= CERTAIN ? "wins" : size >= MUCH_BETTER ? "muchBetter" : "better";
  if (score > 0) return t.good[strength](side);
  return other === undefined ? t.bad[strength](side) : t.good[strength](other);
}
