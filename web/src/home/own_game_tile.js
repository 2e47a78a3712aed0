// One live game of the user on the front page: its board, the opponents, whose turn it is, the time
// left, and the way out of the game.

import { formatTime } from "../game/clock.js";
import { WatchedBoard } from "../game/watched_board.js";
import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";

/** @import {Snapshot} from "../wire.js" */
/** @import {App} from "../app.js" */

const t = strings.home;

export class OwnGameTile {
  element;
  #app;
  #game;
  #board;
  #who = html("span", { class: "who" });
  #name = html("span", { class: "game-name" });
  #turn = html("span", { class: "turn" });
  #time = html("span", { class: "time" });
  #actions = html("div", { class: "actions" });
  /** Whether the board is drawn, or cannot be. */
  isComplete = false;
  #isConfirming = false;
  #onChange;

  /**
   * @param {App} app
   * @param {string} game
   * @param {() => void} onChange called when the turn may have passed
   */
  constructor(app, game, onChange) {
    this.#app = app;
    this.#game = game;
    this.#onChange = onChange;
    const complete = () => this.#complete();
    this.#board = new WatchedBoard(
      app.connection,
      game,
      { onChange: (snapshot) => this.#draw(snapshot), onNotFound: complete, onError: complete },
      { own: true },
    );
    const link = html(
      "a",
      { href: `/game/${game}`, class: "tile" },
      html("div", { class: "frame", "aria-hidden": "true" }, this.#board.element),
      this.#who,
      this.#name,
      html("span", { class: "state" }, this.#turn, this.#time),
    );
    this.element = html("li", { class: "own-game", "data-key": game }, link, this.#actions);
  }

  #complete() {
    this.isComplete = true;
    this.#onChange();
  }

  close() {
    this.#board.close();
  }

  /** The time that the user has left; `undefined` without a clock. */
  get timeLeft() {
    const { seat } = this.#board;
    return seat === undefined ? undefined : this.#board.timeLeft(seat);
  }

  /** @param {Snapshot} snapshot */
  #draw(snapshot) {
    const { seat } = this.#board;
    const isOwnTurn = snapshot.to_move === seat;
    const opponents = snapshot.seats.filter((_, index) => index !== seat).map(({ user }) => strings.player(user));
    const turn = isOwnTurn ? t.yourMove : t.theirMove(strings.player(snapshot.seats[snapshot.to_move ?? 0]?.user ?? ""));
    const game = strings.gameName(snapshot.rules);
    this.element.classList.toggle("my-turn", isOwnTurn);
    fill(this.#who, html("b", {}, opponents.join(", ")));
    fill(this.#name, game);
    fill(this.#turn, turn);
    this.#drawActions(snapshot);
    this.tick();
    this.#complete();
  }

  /** Draws the time of the player who is to move. */
  tick() {
    const toMove = this.#board.snapshot?.to_move;
    if (toMove == null) return;
    const left = this.#board.timeLeft(toMove);
    const text = left === undefined ? "" : formatTime(left);
    if (this.#time.textContent !== text) fill(this.#time, text);
  }

  /** @param {Snapshot} snapshot */
  #drawActions(snapshot) {
    // A player can abort alone until every seat has moved.
    const type = snapshot.ply < snapshot.seats.length ? "abort" : "resign";
    const texts = strings.game;
    const confirm = (/** @type {boolean} */ isConfirming) => () => {
      this.#isConfirming = isConfirming;
      this.#drawActions(snapshot);
      // A key that is held down must not resign: the focus goes to "No".
      const last = this.#actions.querySelector("button:last-of-type");
      if (last instanceof HTMLButtonElement) last.focus();
    };
    const act = () => {
      this.#isConfirming = false;
      this.#drawActions(snapshot);
      this.#app.connection.request({ type, game: this.#game }).catch((error) => this.#app.showToast(errorText(error)));
    };
    update(
      this.#actions,
      this.#isConfirming
        ? [
            html("span", { "data-key": "sure" }, type === "abort" ? texts.abortSure : texts.resignSure),
            html("button", { class: "danger", "data-key": "yes", onclick: act }, texts.yes),
            html("button", { class: "quiet", "data-key": "no", onclick: confirm(false) }, texts.no),
          ]
        : [html("button", { class: "quiet", "data-key": type, onclick: confirm(true) }, type === "abort" ? texts.abort : texts.resign)],
    );
  }
}

/** The place of a board that has not come yet. */
export function emptyTile() {
  const line = (/** @type {string} */ name) => html("span", { class: name });
  const content = html("div", { class: "tile" }, html("div", { class: "frame" }), line("who"), line("game-name"), line("state"));
  return html("li", { class: "own-game", "aria-hidden": "true" }, content, html("div", { class: "actions" }));
}
