// The computer's analysis of a finished game of two: how far the server is with it, the graph of the
// chances, what it says of each move, the accuracy of the players, and the turning points.

import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { ChanceGraph } from "./chance_graph.js";
import { usersAfter } from "./move_tree.js";

/** @import {AnalysedMove, Analysis} from "../wire.js" */
/** @import {Connection} from "../net/connection.js" */
/** @import {GraphPoint} from "./chance_graph.js" */

const t = strings.analysis.computer;

/** Time between two questions how far the server is. */
const ASK_EVERY_MS = 1_000;

/** A certain win. */
const VALUE_MAX = 1_000;

/** Moves of a best line that are shown. */
const LINE_MOVES = 4;

/** Marks of verdicts, as in books. @type {Record<string, string>} */
const MARKS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

/**
 * @typedef {object} ComputerCallbacks
 * @property {(ply: number) => void} goTo shows the position after a ply of the game
 * @property {(ply: number) => void} playAgain shows it for another try
 * @property {() => void} onChange called when the moves are judged, or the best move is to be shown or not
 */

export class ComputerAnalysis {
  #connection;
  #game;
  #callbacks;
  /** The players before the first move. @type {readonly string[]} */
  #users;
  #begin = html("button", { onclick: () => void this.begin() }, t.begin);
  #progress = html("p", { class: "soft", role: "status" });
  #error = html("p", { class: "error", role: "alert" });
  #found = html("div", { class: "computer-found", hidden: true });
  #comment = html("p", { class: "computer-comment" });
  #pointsOut = html("input", { type: "checkbox", checked: true, onchange: () => this.#callbacks.onChange() });
  element = html("section", { class: "computer", "aria-label": t.heading }, html("h2", {}, t.heading), this.#begin, this.#progress, this.#error, this.#found);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #closed = false;
  /** The moves by ply, once they are judged. @type {Map<number, AnalysedMove>} */
  #moves = new Map();
  /** @type {ChanceGraph | undefined} */
  #graph;
  #shownPly = 0;

  /**
   * @param {Connection} connection
   * @param {string} game
   * @param {readonly string[]} users the players before the first move
   * @param {ComputerCallbacks} callbacks
   */
  constructor(connection, game, users, callbacks) {
    this.#connection = connection;
    this.#game = game;
    this.#users = users;
    this.#callbacks = callbacks;
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** Asks the server for the analysis, until it is done. */
  async begin() {
    if (this.#moves.size > 0) return;
    this.#begin.hidden = true;
    fill(this.#error);
    try {
      const analysis = await this.#connection.request({ type: "analyse", game: this.#game });
      if (!this.#closed) this.#on(analysis);
    } catch (error) {
      if (this.#closed) return;
      fill(this.#progress);
      fill(this.#error, errorText(error));
      this.#begin.hidden = false;
    }
  }

  /** @param {Analysis} analysis */
  #on(analysis) {
    const { state, ahead, searched, positions } = analysis;
    if (state === "done") return this.#show(analysis);
    fill(this.#progress, state === "queued" ? t.queued(ahead ?? 0) : t.running(searched ?? 0, positions ?? undefined));
    this.#timer = setTimeout(() => void this.begin(), ASK_EVERY_MS);
    return undefined;
  }

  /**
   * Returns the best move in the position after a ply, if it is to be shown.
   * @param {number} ply
   */
  bestAfter(ply) {
    return this.#pointsOut.checked ? this.#moves.get(ply + 1)?.best[0] : undefined;
  }

  /**
   * Returns the mark of a move, and what it says.
   * @param {number} ply
   */
  markOf(ply) {
    const verdict = this.#moves.get(ply)?.verdict ?? "";
    const mark = MARKS[verdict];
    return mark === undefined ? undefined : { mark, verdict, said: t.verdict(verdict) };
  }

  /**
   * Shows what is said of the move that leads to the shown position.
   * @param {number} ply of the game
   * @param {boolean} isGame whether the position is one of the game
   */
  showPly(ply, isGame) {
    this.#shownPly = ply;
    this.#graph?.show(ply);
    const move = isGame ? this.#moves.get(ply) : undefined;
    fill(this.#comment, move === undefined ? (this.#moves.size > 0 && t.noComment) : this.#commentOn(move));
  }

  /** @param {Analysis} analysis */
  #show({ moves = [], accuracy = [], turning_points: turning = [] }) {
    fill(this.#progress);
    this.#begin.remove();
    this.#moves = new Map(moves.map((move) => [move.ply, move]));
    if (moves.length === 0) return fill(this.#progress, t.noMoves);
    const points = this.#points(turning);
    this.#graph = new ChanceGraph(t.graph(this.#users[0] ?? ""), points, this.#callbacks.goTo);
    const users = usersAfter(this.#users, moves.map(({ move }) => move));
    const rows = accuracy.map(({ seat, percent }) => html("li", {}, t.accuracy(users[seat] ?? "", percent)));
    const turns = turning.flatMap((ply) => this.#moves.get(ply) ?? []);
    update(
      this.#found,
      this.#graph.element,
      html("p", { class: "soft graph-of" }, t.graph(this.#users[0] ?? "")),
      this.#comment,
      html("label", { class: "points-out" }, this.#pointsOut, " ", t.pointOut),
      html("ul", { class: "accuracy", "aria-label": t.accuracyHeading }, rows),
      turns.length > 0 && html("h3", {}, t.turningPoints),
      turns.length > 0 && html("ol", { class: "turning-points" }, turns.map((move) => this.#turningPoint(move))),
    );
    this.#found.hidden = false;
    this.showPly(this.#shownPly, true);
    return this.#callbacks.onChange();
  }

  /**
   * The chances of the player who began, by ply.
   * @param {readonly number[]} turning plies
   * @returns {[GraphPoint, ...GraphPoint[]]}
   */
  #points(turning) {
    const user = this.#users[0] ?? "";
    const [first] = this.#moves.values();
    const chance = chanceOf(this.#playerOf(first), first?.best_value ?? 0);
    /** @type {[GraphPoint, ...GraphPoint[]]} */
    const points = [{ ply: 0, chance, said: t.start(chance, user), turns: false }];
    for (const move of this.#moves.values()) {
      const now = chanceOf(this.#playerOf(move), move.value);
      const said = [t.after(move.ply, move.move, now, user), t.verdict(move.verdict)].filter((each) => each !== "").join(", ");
      points.push({ ply: move.ply, chance: now, said, turns: turning.includes(move.ply) });
    }
    return points;
  }

  /**
   * Returns who made a move, by the seats before the first one.
   * @param {AnalysedMove | undefined} move
   */
  #playerOf(move) {
    if (move === undefined) return 0;
    const earlier = [...this.#moves.values()].filter(({ ply }) => ply < move.ply).map((each) => each.move);
    return Number(usersAfter(["0", "1"], earlier)[move.seat] ?? 0);
  }

  /** @param {AnalysedMove} move */
  #nameOf(move) {
    return this.#users[this.#playerOf(move)] ?? "";
  }

  /** @param {AnalysedMove} move */
  #commentOn(move) {
    const { verdict, missed_win: missed } = move;
    const user = this.#nameOf(move);
    const isGood = MARKS[verdict] === undefined;
    const said = [isGood ? t.good(user, move.move, percent(move.value)) : t.bad(user, move.move, t.verdict(verdict), lost(move))];
    if (missed != null) said.push(t.missed(missed));
    if (!isGood || missed != null) said.push(t.better(move.best.slice(0, LINE_MOVES).join(" "), percent(move.best_value)));
    return said.join(" ");
  }

  /** @param {AnalysedMove} move */
  #turningPoint(move) {
    const { ply } = move;
    return html(
      "li",
      { "data-ply": ply },
      html("p", {}, `${ply}. `, this.#commentOn(move)),
      html("button", { class: "quiet", onclick: () => this.#callbacks.goTo(ply) }, t.show, html("span", { class: "visually-hidden" }, ` ${t.ofMove(ply)}`)),
      html("button", { class: "quiet", onclick: () => this.#playAgain(ply) }, t.playAgain, html("span", { class: "visually-hidden" }, ` ${t.ofMove(ply)}`)),
    );
  }

  /** Lets the reader find a better move alone. @param {number} ply */
  #playAgain(ply) {
    this.#pointsOut.checked = false;
    this.#callbacks.playAgain(ply - 1);
  }
}

/** The chance to win that a value stands for. @param {number} value */
function percent(value) {
  return Math.round(((value + VALUE_MAX) * 100) / (2 * VALUE_MAX));
}

/**
 * The chance of the player who began.
 * @param {number} player
 * @param {number} value for this player
 */
function chanceOf(player, value) {
  return percent(player === 0 ? value : -value);
}

/** How much of the chance to win a move lost. @param {AnalysedMove} move */
function lost(move) {
  return Math.max(0, percent(move.best_value) - percent(move.value));
}
