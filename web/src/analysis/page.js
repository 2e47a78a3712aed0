// The views of analysis: of a game, of an empty board or a loaded game, and the choice of these.

import { GameSync } from "../game/game_sync.js";
import { Sheet } from "../game/sheets.js";
import { fill, html } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { loadingLine } from "../ui/loading.js";
import { strings } from "../strings/strings.js";
import { addressOf, readAddress } from "../explore/address.js";
import { AnalysisBoard } from "./analysis_board.js";
import { ComputerAnalysis } from "./computer_analysis.js";
import { Loader, checkMoves } from "./load.js";
import { lineThrough, MoveTree, usersAfter } from "./move_tree.js";
import { OpinionLine } from "./opinion.js";
import { SetUpForm } from "./set_up_form.js";
import { keepAnalysis, keptAnalysis } from "./stored.js";
import { ToolRow, copyAddress, saveRecord } from "./tools.js";

/** @import {App, View} from "../app.js" */
/** @import {Explored, Snapshot} from "../wire.js" */
/** @import {Place} from "../explore/exploration.js" */
/** @import {MoveNode} from "./move_tree.js" */

const t = strings.analysis;

/** @implements {View} */
export class AnalysisPage {
  element = html("div", { class: "analysis-page" }, loadingLine());
  #app;
  #address;
  /** The analysed game, if the moves were made in one. @type {GameSync | undefined} */
  #sync;
  #tree = new MoveTree();
  /** The players before the first move, if they are known. @type {readonly string[]} */
  #users = [];
  #begun = false;
  #closed = false;
  /** @type {AnalysisBoard | undefined} */
  #board;
  /** @type {OpinionLine | undefined} */
  #opinion;
  /** @type {Explored | undefined} */
  #explored;
  /** What the computer says of the game, once it is over. @type {ComputerAnalysis | undefined} */
  #computer;
  #computerPlace = html("div", { class: "computer-place" });
  /** Whether the computer is asked at once. */
  #asksComputer;
  #note = html("p", { class: "note soft" });
  #tools = new ToolRow();
  #loader;
  #loadSheet;

  /**
   * @param {App} app
   * @param {{ game: string } | { rules: string }} what
   * @param {string} search of the address
   * @param {string} hash
   */
  constructor(app, what, search, hash) {
    this.#app = app;
    this.#address = readAddress(what, search, hash);
    this.#asksComputer = new URLSearchParams(search).has("computer");
    this.#loader = new Loader(app, () => this.#kind, { onOpened: () => this.#loadSheet.element.close() });
    this.#loadSheet = new Sheet(t.load.heading, this.#loader.element);
    this.#loader.listen(this.element);
    if (!("game" in what)) {
      void this.#begin();
      return;
    }
    this.#sync = new GameSync(app.connection, what.game, {
      onChange: ({ snapshot }) => snapshot && void this.#onGame(snapshot),
      onEvent: () => {},
      onNotFound: () => app.showNotFound(strings.notFound.game),
      onError: (refused) => app.showToast(errorText(refused)),
    });
    this.#sync.open();
  }

  close() {
    this.#closed = true;
    this.#sync?.close();
    this.#board?.close();
    this.#computer?.close();
  }

  /** @param {Snapshot} snapshot */
  #onGame({ game, moves, seats, result }) {
    const users = seats.map(({ user }) => strings.player(user));
    // A game names its players in their last seats.
    this.#users = usersAfter(users, moves);
    if (result != null && users.length === 2 && moves.length > 0) this.#offerComputer(game);
    if (this.#begun) {
      this.#tree.setGame(moves);
      this.#board?.showMoves();
      return undefined;
    }
    return this.#begin(moves);
  }

  /** @param {string} game */
  #offerComputer(game) {
    if (this.#computer !== undefined) return;
    const goTo = (/** @type {number} */ ply) => this.#board?.goTo(this.#tree.gameNode(ply));
    this.#computer = new ComputerAnalysis(this.#app.connection, game, this.#users, {
      goTo,
      playAgain: (ply) => {
        goTo(ply);
        this.#onComputer();
        this.#board?.board.takeFocus();
      },
      onChange: () => this.#onComputer(),
    });
    fill(this.#computerPlace, this.#computer.element);
    if (this.#asksComputer) void this.#computer.begin();
  }

  /** Shows again what the computer says. */
  #onComputer() {
    this.#board?.showMoves();
    const node = this.#board?.node;
    if (node !== undefined) void this.#showComputer(node);
  }

  /**
   * Shows what the computer says of a move, and what it would play next.
   * @param {MoveNode} node
   */
  async #showComputer(node) {
    const [board, computer] = [this.#board, this.#computer];
    if (board === undefined || computer === undefined) return;
    const isGame = node.isGame || node.parent === undefined;
    computer.showPly(node.branchedFrom.ply, isGame);
    const best = isGame ? computer.bestAfter(node.ply) : undefined;
    try {
      const cells = best === undefined ? undefined : await board.board.cellsOf(best);
      if (board.node === node) board.board.suggest(cells);
    } catch {
      // The move is named beside the board.
    }
  }

  /**
   * Begins with what the address says, or with what was kept.
   * @param {readonly string[]} [game] its moves
   */
  async #begin(game) {
    this.#begun = true;
    const { source, from, moves, ply } = this.#address;
    const kept = keptAnalysis(source);
    if (kept !== undefined) this.#tree = kept.tree;
    if (game !== undefined) this.#tree.setGame(game);
    else this.#users = kept?.users ?? [];
    const start = this.#tree.gameNode(from);
    let end = kept !== undefined && game === undefined ? (this.#tree.nodeAt(kept.at) ?? start) : this.#tree.gameEnd;
    if (moves.length > 0) {
      try {
        const checked = await checkMoves(this.#app.connection, this.#placeOf(start).base, moves);
        end = this.#tree.addLine(start, checked.moves);
        if (checked.fault !== undefined) this.#app.showToast(t.load.partly(checked.fault));
      } catch (error) {
        this.#app.showToast(errorText(error));
      }
      if (this.#closed) return;
    }
    this.#layOut(nodeAtPly(end, ply));
  }

  /** @param {MoveNode} node the first one to show */
  #layOut(node) {
    const board = new AnalysisBoard(this.#app, node, {
      tree: this.#tree,
      placeOf: (each) => this.#placeOf(each),
      usersAt: (each) => this.#usersAt(each),
      canMove: () => true,
      markOf: (each) => (each.isGame ? this.#computer?.markOf(each.ply) : undefined),
      onShown: (each, explored) => this.#onShown(each, explored),
    });
    this.#board?.close();
    this.#board = board;
    this.#opinion = new OpinionLine(board.board);
    const { source } = this.#address;
    const side = html("aside", { class: "analysis-side", "aria-label": t.title }, board.said, this.#note, this.#opinion.element, board.moves, this.#computerPlace, this.#tools.element);
    fill(this.element, html("h1", {}, t.heading("game" in source ? this.#sync?.snapshot?.rules ?? "" : source.rules)), board.element, side, this.#loadSheet.element);
    this.#app.setTitle(this.#title);
  }

  get #title() {
    const { source } = this.#address;
    const name = strings.gameName("game" in source ? (this.#sync?.snapshot?.rules ?? "") : source.rules);
    return this.#users.length > 0 ? t.titleOf(name, strings.home.versus([...this.#users])) : `${t.title}: ${name}`;
  }

  /**
   * Returns where the position after a move is found. Those of a game are the game's own: players
   * may have left it.
   * @param {MoveNode} node
   * @returns {Place}
   */
  #placeOf(node) {
    const { source } = this.#address;
    if (!("game" in source)) return { base: source, moves: node.moves };
    const { ply, path } = node.branchedFrom;
    return { base: { ...source, ply }, moves: node.moves.slice(path.length) };
  }

  /** @param {MoveNode} node */
  #usersAt(node) {
    const users = this.#users.length > 0 ? this.#users : t.sides;
    return usersAfter(users, node.moves);
  }

  /** What plain moves belong to that are loaded here. */
  get #kind() {
    const { source } = this.#address;
    if (!("game" in source)) return { ...source, users: this.#users };
    if (this.#explored === undefined) return undefined;
    const { rules, options, players } = this.#explored;
    return { rules: strings.kind(rules), options, players, users: this.#users };
  }

  /** The address of the shown line. */
  get #link() {
    const node = this.#board?.node ?? this.#tree.root;
    const line = lineThrough(node);
    const { path, ply } = node.end.branchedFrom;
    const moves = line.slice(path.length).map(({ move }) => move);
    return addressOf({ source: this.#address.source, from: ply, moves, ply: node === node.end && moves.length > 0 ? undefined : node.ply });
  }

  /**
   * @param {MoveNode} node
   * @param {Explored} explored
   */
  #onShown(node, explored) {
    this.#explored = explored;
    const users = this.#usersAt(node);
    this.#opinion?.show(explored, users);
    void this.#showComputer(node);
    keepAnalysis(this.#address.source, { tree: this.#tree, at: node.moves, users: this.#users });
    history.replaceState(history.state, "", this.#link.path);
    const { snapshot } = this.#sync ?? {};
    const result = node.isGame && node.ply === snapshot?.ply && explored.result === null ? snapshot.result : null;
    fill(this.#note, result != null && t.gameEnded(strings.result(result, [...users])));
    this.#showTools(node);
  }

  /** @param {MoveNode} node */
  #showTools(node) {
    const { source } = this.#address;
    const game = "game" in source;
    const removeTried = () => {
      const { parent } = node;
      if (parent === undefined) return;
      this.#tree.remove(node);
      this.#board?.goTo(parent);
    };
    const backToGame = () => this.#board?.goTo(node.branchedFrom);
    this.#tools.show(
      game && !node.isGame && node.parent !== undefined && ["back", t.backToGame, backToGame],
      ["remove", node.children.length === 0 ? t.takeBack : t.removeFrom, removeTried, node.isGame || node.parent === undefined],
      ["flip", strings.game.flip.text, () => this.#board?.board.flip()],
      ["reset", t.reset, () => this.#reset(), this.#tree.tried === 0],
      ["copy", t.copy, () => void copyAddress(this.#app, this.#link)],
      ["save", t.save, () => this.#save(node)],
      ["load", t.load.heading, () => this.#loadSheet.open()],
      !game && ["set-up", t.setUp.change, () => this.#setUp(source.rules)],
      game && html("a", { class: "button quiet", "data-key": "open", href: node.isGame ? `/game/${source.game}#${node.ply}` : `/game/${source.game}` }, t.openGame),
    );
  }

  /** Drops what was tried. */
  #reset() {
    const { ply } = (this.#board?.node ?? this.#tree.root).branchedFrom;
    this.#tree = new MoveTree();
    this.#tree.setGame(this.#sync?.snapshot?.moves ?? []);
    this.#layOut(this.#tree.gameNode(ply));
  }

  /** @param {MoveNode} node */
  #save(node) {
    if (this.#explored === undefined) return;
    const { rules, options, players } = this.#explored;
    const users = (this.#users.length > 0 ? this.#users : t.sides).slice(0, players);
    saveRecord({ rules, options, users, moves: lineThrough(node).map(({ move }) => move) });
  }

  /** @param {string} rules */
  #setUp(rules) {
    const form = new SetUpForm(this.#app, rules, { button: t.setUp.show }, ({ options, players }) => {
      sheet.element.close();
      this.#app.navigate(addressOf({ source: { rules, options, players }, from: 0, moves: [], ply: 0 }).path);
    });
    const sheet = new Sheet(t.setUp.change, form.element);
    sheet.element.addEventListener("close", () => sheet.element.remove());
    this.element.append(sheet.element);
    sheet.open();
  }
}

/**
 * Returns the node of a line that has a ply, or the end of the line.
 * @param {MoveNode} end
 * @param {number | undefined} ply
 */
function nodeAtPly(end, ply) {
  if (ply === undefined) return end;
  let node = end;
  while (node.ply > ply && node.parent !== undefined) node = node.parent;
  return node;
}
