// A board with a tree of moves: shows the position after any of them, and adds the moves that are
// made on it. Its owner says where moves may be made, and what the tree begins from.

import { pieceIcon } from "../board/pieces.js";
import { ExploreBoard } from "../explore/explore_board.js";
import { outcomeOf } from "../game/outcome.js";
import { StepBar } from "../game/replay.js";
import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { MOVES_MAX } from "../explore/address.js";
import { MoveList } from "./move_list.js";
import { lineThrough } from "./move_tree.js";

/** @import {App} from "../app.js" */
/** @import {Explored} from "../wire.js" */
/** @import {Place} from "../explore/exploration.js" */
/** @import {Mark} from "./move_list.js" */
/** @import {MoveNode, MoveTree} from "./move_tree.js" */

const t = strings.analysis;

/** Moves in a tree that are not those of a game. */
const TREE_MAX = 2_000;

/** Characters of a typed move: as many as the game's page allows. */
const TYPED_MAX = 400;

/**
 * @typedef {object} AnalysisSetup
 * @property {MoveTree} tree
 * @property {(node: MoveNode) => Place} placeOf where the position after a move is found
 * @property {(node: MoveNode) => readonly string[]} usersAt the players by seat
 * @property {(node: MoveNode) => boolean} canMove whether moves may be made after a move
 * @property {(node: MoveNode, explored: Explored) => void} onShown
 * @property {(node: MoveNode) => Mark | undefined} [markOf] what is said of a move
 */

export class AnalysisBoard {
  #app;
  #setup;
  #explore;
  #sides = html("ol", { class: "sides" });
  #status = html("p", { class: "status", role: "status" });
  #error = html("p", { class: "error", role: "alert" });
  #result = html("section", { class: "result-card", "aria-label": strings.over.heading, hidden: true });
  #list;
  /** The shown line, its start first. @type {MoveNode[]} */
  #line = [];
  #steps = new StepBar((at) => this.#line[at] && this.goTo(this.#line[at]), t.lastPosition);
  #typed = html("input", { "aria-label": strings.game.notation, placeholder: strings.game.notation, autocomplete: "off", maxlength: TYPED_MAX, spellcheck: "false" });
  #notation;
  #closed = false;
  #following = false;
  #unsubscribe;
  /** The node to show. */
  #wanted;
  /** The shown node. @type {MoveNode | undefined} */
  #node;

  /** The board and who plays. */
  element;
  /** What happens, and how the game ended. */
  said;
  /** The moves. */
  moves;

  /**
   * @param {App} app
   * @param {MoveNode} node the first one to show
   * @param {AnalysisSetup} setup
   */
  constructor(app, node, setup) {
    this.#app = app;
    this.#setup = setup;
    this.#list = new MoveList((each) => this.goTo(each), setup.markOf);
    this.#wanted = node;
    const { base, moves } = setup.placeOf(node);
    this.#explore = new ExploreBoard(app.connection, base, moves, {
      onMove: (move, explored) => this.#onMove(move, explored),
      onRefused: (why) => fill(this.#error, why),
      onError: (error) => fill(this.#error, errorText(error)),
      onPick: () => fill(this.#error),
    }, { turns: true, users: setup.usersAt(node) });
    this.#notation = html("form", { class: "notation", onsubmit: (/** @type {Event} */ event) => this.#onTyped(event) }, this.#typed, html("button", { class: "quiet" }, strings.explore.play));
    this.element = html("div", { class: "analysis-board" }, this.#sides, this.#explore.element);
    this.said = html("div", { class: "analysis-said" }, this.#status, this.#error, this.#result);
    this.moves = html("div", { class: "analysis-moves" }, this.#list.element, this.#steps.element, this.#notation);
    document.addEventListener("keydown", this.#onKeyDown);
    // A position that the connection lost is asked for again.
    this.#unsubscribe = app.connection.on("welcome", () => void this.#follow());
    void this.#follow();
  }

  close() {
    this.#closed = true;
    this.#unsubscribe();
    document.removeEventListener("keydown", this.#onKeyDown);
  }

  /** The shown node, or the one that will be shown first. */
  get node() {
    return this.#node ?? this.#wanted;
  }

  get board() {
    return this.#explore;
  }

  /** Elements that show the end of the game, besides the result. @param {(HTMLElement | false)[]} next */
  offer(...next) {
    update(this.#result, ...[...this.#result.children].filter((each) => !each.matches(".next")), html("div", { class: "next" }, next));
  }

  /** @param {MoveNode} node */
  goTo(node) {
    this.#wanted = node;
    fill(this.#error);
    void this.#follow();
  }

  /** Draws the moves again, after a change of the tree. */
  showMoves() {
    if (this.#node === undefined) return;
    this.#list.show(this.#setup.tree, this.#node);
    this.#line = [this.#setup.tree.root, ...lineThrough(this.#node)];
    this.#steps.show(this.#line.indexOf(this.#node), this.#line.length - 1, this.#node.move || undefined);
  }

  /** Shows the wanted node. Those that were wanted meanwhile are passed over. */
  async #follow() {
    if (this.#following) return;
    this.#following = true;
    while (this.#wanted !== this.#node) {
      const node = this.#wanted;
      const { base, moves } = this.#setup.placeOf(node);
      const before = node.parent && this.#setup.placeOf(node.parent);
      const explored = await this.#explore.goTo(moves, { base, ...(before ? { before } : {}) });
      if (this.#closed) return;
      if (explored === undefined) break;
      this.#set(node, explored);
    }
    this.#following = false;
  }

  /**
   * @param {string} move
   * @param {Explored} explored
   */
  #onMove(move, explored) {
    const { tree } = this.#setup;
    if (this.#closed || this.#node === undefined) return;
    const isKnown = this.#node.children.some((each) => each.move === move);
    if (!isKnown && tree.tried >= TREE_MAX) {
      this.#app.showToast(t.treeFull);
      const back = this.#node;
      this.#node = undefined;
      return this.goTo(back);
    }
    this.#typed.value = "";
    fill(this.#error);
    const node = tree.add(this.#node, move);
    this.#wanted = node;
    return this.#set(node, explored);
  }

  /**
   * @param {MoveNode} node
   * @param {Explored} explored
   */
  #set(node, explored) {
    this.#node = node;
    node.setPly(explored.ply);
    const isFull = this.#setup.placeOf(node).moves.length >= MOVES_MAX;
    const open = explored.result === null && !isFull && this.#setup.canMove(node);
    if (!open) this.#explore.stop();
    this.#notation.hidden = !open;
    this.#show(node, explored, isFull);
    this.showMoves();
    this.#setup.onShown(node, explored);
  }

  /**
   * @param {MoveNode} node
   * @param {Explored} explored
   * @param {boolean} isFull
   */
  #show(node, { result, to_move: toMove, players }, isFull) {
    const users = this.#setup.usersAt(node);
    const letters = this.#explore.layout?.letters ?? [];
    update(
      this.#sides,
      users.slice(0, players).map((user, seat) =>
        html("li", { "data-key": seat, class: seat === toMove ? "turn" : "", "aria-current": seat === toMove ? "true" : undefined }, pieceIcon((letters[seat] ?? "").charAt(0), seat, letters), html("span", {}, user)),
      ),
    );
    const said = isFull && result === null ? t.lineFull(MOVES_MAX) : result === null ? t.toMove(users[toMove ?? 0] ?? "") : strings.result(result, [...users]);
    if (this.#status.textContent !== said) fill(this.#status, said);
    this.#result.hidden = result === null;
    if (result === null) return;
    const outcome = outcomeOf({ result, seats: [] }, undefined);
    this.#result.dataset["outcome"] = outcome.is;
    update(this.#result, html("h2", { class: "outcome" }, strings.over.verdict(outcome, [...users])), html("p", { class: "how" }, strings.over.how(result, outcome, [...users], undefined)));
  }

  /** @param {Event} event */
  #onTyped(event) {
    event.preventDefault();
    const move = this.#typed.value.replace(/\s+/g, "");
    if (move !== "") void this.#explore.play(move);
  }

  /** @param {KeyboardEvent} event */
  #onKeyDown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
    const { target, key } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return;
    if (key === "f") this.#explore.flip();
    else if (key === "m" && !this.#notation.hidden) this.#typed.focus();
    else if (!this.#steps.onKey(key)) return;
    event.preventDefault();
  };
}
