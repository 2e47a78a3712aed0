// The user's live games as boards: those that wait for the user's move first, with the time left.

import { formatTime } from "../game/clock.js";
import { WatchedBoard } from "../game/watched_board.js";
import { ownGameCount } from "../net/user_games.js";
import { canNotify, notificationsOn, turnOn } from "../notify/push.js";
import { isParked } from "../ui/house.js";
import { strings } from "../strings/strings.js";
import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";

/** @import {App} from "../app.js" */
/** @import {Snapshot} from "../wire.js" */

const t = strings.home;

/** Boards that are shown until the user asks for all. */
const SHOWN_MAX = 8;

/** How often the times are drawn, in milliseconds. */
const TICK_MS = 1_000;

export class OwnGames {
  element = html("section", { class: "own-games" });
  #app;
  /** @type {Map<string, OwnGameTile>} */
  #tiles = new Map();
  #shownMax = SHOWN_MAX;
  /** Whether the boards of all games that there were at first have come. */
  #isComplete = false;
  #unsubscribe;
  #tick;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.#unsubscribe = [app.games.onChange(() => this.#draw()), app.connection.on("welcome", () => this.#draw())];
    this.#tick = setInterval(() => {
      for (const tile of this.#tiles.values()) tile.tick();
    }, TICK_MS);
    this.#draw();
  }

  close() {
    for (const stop of this.#unsubscribe) stop();
    clearInterval(this.#tick);
    for (const tile of this.#tiles.values()) tile.close();
  }

  #draw() {
    const { games, connection, identity } = this.#app;
    const isVisitor = connection.welcome === undefined ? identity.auth() === undefined : connection.welcome.user === null;
    if (isVisitor) return update(this.element);
    if (connection.welcome === undefined) return this.#show(roomFor(Math.min(ownGameCount(), this.#shownMax)), ownGameCount());
    const sorted = [...games.live].sort((one, other) => this.#rank(one) - this.#rank(other));
    const shown = sorted.slice(0, this.#shownMax);
    for (const [game, tile] of this.#tiles) {
      if (shown.includes(game)) continue;
      tile.close();
      this.#tiles.delete(game);
    }
    const tiles = shown.map((game) => {
      const tile = this.#tiles.get(game) ?? new OwnGameTile(this.#app, game, () => this.#draw());
      this.#tiles.set(game, tile);
      return tile;
    });
    // The order is known when all have come, and no board changes its place before.
    this.#isComplete ||= tiles.every((tile) => tile.isComplete);
    const elements = this.#isComplete ? tiles.map((tile) => tile.element) : roomFor(tiles.length);
    return this.#show(elements, sorted.length);
  }

  /**
   * @param {HTMLElement[]} tiles
   * @param {number} count how many games there are, shown or not
   */
  #show(tiles, count) {
    const showAll = () => {
      this.#shownMax = Number.POSITIVE_INFINITY;
      this.#draw();
    };
    update(
      this.element,
      tiles.length > 0 && html("div", { class: "heading" }, html("h2", {}, t.yours), this.#notifyButton()),
      tiles.length > 0 && html("ul", { class: "own-boards" }, tiles),
      count > tiles.length && html("button", { class: "quiet", onclick: showAll }, `${t.showAll} (${count})`),
    );
  }

  /**
   * The games that wait for the user come first, those with the least time left first of all.
   * @param {string} game
   */
  #rank(game) {
    const left = this.#tiles.get(game)?.timeLeft ?? Number.MAX_SAFE_INTEGER / 2;
    return this.#app.games.toMove.has(game) ? left - Number.MAX_SAFE_INTEGER / 2 : 0;
  }

  /** Offers notifications to those who have games to be told about. */
  #notifyButton() {
    if (!canNotify() || notificationsOn()) return null;
    const ask = async () => {
      this.#app.showToast(strings.notify[await turnOn(this.#app.connection)]);
      this.#draw();
    };
    return html("button", { class: "quiet notify", title: strings.notify.about, onclick: ask }, strings.notify.ask);
  }
}

/**
 * Places for boards that have not come yet.
 * @param {number} number
 */
function roomFor(number) {
  return Array.from({ length: number }, emptyTile);
}

/** One game: its board, the opponents, whose turn it is, the time left, and the way out of the game. */
class OwnGameTile {
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
    const parked = isParked(snapshot, seat, this.#app.connection.time.now());
    const turn = parked ? strings.game.parked : isOwnTurn ? t.yourMove : t.theirMove(strings.player(snapshot.seats[snapshot.to_move ?? 0]?.user ?? ""));
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
function emptyTile() {
  const line = (/** @type {string} */ name) => html("span", { class: name });
  const content = html("div", { class: "tile" }, html("div", { class: "frame" }), line("who"), line("game-name"), line("state"));
  return html("li", { class: "own-game", "aria-hidden": "true" }, content, html("div", { class: "actions" }));
}
