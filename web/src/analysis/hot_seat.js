// The view of a game of several people at one screen. This browser keeps the game.

import { Sheet, ViewOption } from "../game/sheets.js";
import { fill, html } from "../ui/element.js";
import { storage } from "../strings/storage.js";
import { strings } from "../strings/strings.js";
import { addressOf } from "../explore/address.js";
import { AnalysisBoard } from "./analysis_board.js";
import { MoveTree, usersAfter } from "./move_tree.js";
import { SetUpForm } from "./set_up_form.js";
import { keepGame, keptGame } from "./stored.js";
import { ToolRow, saveRecord } from "./tools.js";

/** @import {App, View} from "../app.js" */
/** @import {Explored} from "../wire.js" */
/** @import {MoveNode} from "./move_tree.js" */
/** @import {HotSeatGame} from "./stored.js" */

const t = strings.analysis;

/** @implements {View} */
export class HotSeatPage {
  element = html("div", { class: "analysis-page hot-seat" });
  #app;
  #rules;
  #tree = new MoveTree();
  /** @type {HotSeatGame | undefined} */
  #game;
  /** @type {AnalysisBoard | undefined} */
  #board;
  #tools = new ToolRow();
  #turns = new ViewOption(storage, "hotseat-turn", t.turns, () => this.#turn(), true);
  /** @type {Explored | undefined} */
  #explored;

  /**
   * @param {App} app
   * @param {string} rules
   */
  constructor(app, rules) {
    this.#app = app;
    this.#rules = rules;
    app.setTitle(this.#heading);
    const kept = keptGame(rules);
    if (kept === undefined) this.#setUp();
    else this.#begin(kept);
  }

  close() {
    this.#board?.close();
  }

  get #heading() {
    return `${t.hotSeat}: ${strings.gameName(this.#rules)}`;
  }

  /** Asks who plays. */
  #setUp() {
    const form = this.#form(t.setUp.begin);
    fill(this.element, html("section", { class: "card set-up-card" }, html("h1", {}, this.#heading), html("p", { class: "soft" }, t.hotSeatAbout), form.element));
  }

  /** @param {string} button */
  #form(button) {
    return new SetUpForm(this.#app, this.#rules, { button, names: this.#game?.users ?? [] }, ({ options, users }) => {
      const game = { options, users, moves: [] };
      keepGame(this.#rules, game);
      this.#begin(game);
    });
  }

  /** @param {HotSeatGame} game */
  #begin(game) {
    this.#game = game;
    this.#tree = new MoveTree();
    const end = this.#tree.addLine(this.#tree.root, game.moves);
    const base = { rules: this.#rules, options: game.options, players: game.users.length };
    this.#board?.close();
    const board = new AnalysisBoard(this.#app, end, {
      tree: this.#tree,
      placeOf: ({ moves }) => ({ base, moves }),
      usersAt: ({ moves }) => usersAfter(game.users, moves),
      // The game goes on at its end, wherever the players look.
      canMove: ({ children }) => children.length === 0,
      onShown: (node, explored) => this.#onShown(node, explored),
    });
    this.#board = board;
    // A game that can no longer be shown can still be left.
    this.#tools.show(["new", t.newGame, () => this.#newGame()]);
    const side = html("aside", { class: "analysis-side", "aria-label": t.hotSeat }, board.said, board.moves, this.#turns.element, this.#tools.element);
    const hadFocus = this.element.contains(document.activeElement) || document.activeElement === document.body;
    fill(this.element, html("h1", {}, this.#heading), board.element, side);
    if (hadFocus) this.element.closest("main")?.focus({ preventScroll: true });
  }

  /**
   * @param {MoveNode} node
   * @param {Explored} explored
   */
  #onShown(node, explored) {
    const game = this.#game;
    if (game === undefined) return;
    this.#explored = explored;
    this.#game = { ...game, moves: node.end.moves };
    keepGame(this.#rules, this.#game);
    this.#turn();
    const isEnd = node.children.length === 0;
    this.#turns.element.hidden = this.#board?.board.canTurn !== true;
    const takeBack = () => {
      const { parent } = node;
      if (parent === undefined) return;
      this.#tree.remove(node);
      this.#board?.goTo(parent);
    };
    const save = () => saveRecord({ rules: this.#rules, options: explored.options, users: game.users, moves: node.end.moves });
    const analysis = addressOf({ source: { rules: this.#rules, options: game.options, players: game.users.length }, from: 0, moves: node.end.moves, ply: undefined });
    const analyse = () => html("a", { class: "button quiet", "data-key": "analyse", href: analysis.path }, t.analyse);
    this.#tools.show(
      !isEnd && ["back", t.backToGame, () => this.#board?.goTo(node.end)],
      ["take-back", t.takeBack, takeBack, !isEnd || node.parent === undefined],
      ["flip", strings.game.flip.text, () => this.#board?.board.flip()],
      ["save", t.save, save, node.parent === undefined],
      ["new", t.newGame, () => this.#newGame()],
      node.end.parent !== undefined && analyse(),
    );
    if (explored.result !== null) this.#board?.offer(html("button", { onclick: () => this.#again() }, t.again), html("button", { class: "quiet", onclick: save }, t.save), analyse());
  }

  /** Turns the board to the player to move. */
  #turn() {
    const seat = this.#turns.on ? (this.#explored?.to_move ?? undefined) : 0;
    if (seat !== undefined) this.#board?.board.turnTo(seat);
  }

  /** The same players again; the next one begins. */
  #again() {
    const game = this.#game;
    if (game === undefined) return;
    const [first = "", ...others] = game.users;
    const next = { ...game, users: [...others, first], moves: [] };
    keepGame(this.#rules, next);
    this.#begin(next);
  }

  #newGame() {
    const sheet = new Sheet(t.newGame, html("p", { class: "soft" }, t.newGameAbout), this.#form(t.setUp.begin).element);
    sheet.element.addEventListener("close", () => sheet.element.remove());
    this.element.append(sheet.element);
    sheet.open();
  }
}
