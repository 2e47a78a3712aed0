// One game: the board as large as it can be, the seats with their clocks, the move in the making, and
// what else a player may do.

import { Board } from "../board/board.js";
import { fill, html } from "../ui/element.js";
import { words } from "../words.js";
import { Composer } from "./composer.js";
import { Controls } from "./controls.js";
import { Feed } from "./feed.js";
import { MakeMove } from "./make_move.js";
import { Moves } from "./moves.js";
import { Seats } from "./seats.js";

/** @import {App, View} from "../main.js" */
/** @import {Mark} from "../board/board.js" */

const say = words.game;

/** How often clocks are looked at, in milliseconds. */
const TICK_MS = 100;

/** @implements {View} */
export class GamePage {
  element = html("div", { class: "table" });
  #board = new Board();
  #feed;
  #composer;
  #seats;
  #makeMove;
  #controls;
  #moves = new Moves();
  #status = html("p", { class: "status", role: "status" });
  #about = html("p", { class: "about" });
  #tick;
  #stop;
  #drawn = "";

  /**
   * @param {App} app
   * @param {string} game
   */
  constructor(app, game) {
    this.#feed = new Feed(app.connection, game, {
      changed: () => this.#changed(),
      event: () => {},
      missing: (message) => fill(this.element, html("p", { class: "complaint" }, message)),
    });
    this.#composer = new Composer(app.connection, game, () => this.#show());
    this.#seats = new Seats(() => app.connection.time.now());
    this.#makeMove = new MakeMove(this.#composer);
    this.#controls = new Controls(app, this.#feed);
    this.#tick = setInterval(() => {
      this.#seats.tick();
      this.#controls.tick();
    }, TICK_MS);
    this.#board.addEventListener("pick", this.#picked);
    document.addEventListener("keydown", this.#typed);
    // A wish to play again comes as a challenge.
    this.#stop = app.games.changed(() => this.#changed());
    this.#feed.open();
  }

  close() {
    clearInterval(this.#tick);
    this.#stop();
    document.removeEventListener("keydown", this.#typed);
    this.#feed.close();
    favicon(false);
  }

  /** The server has told of a new state. */
  #changed() {
    const { snapshot, layout } = this.#feed;
    if (snapshot === undefined || layout === undefined) return;
    if (this.#drawn === "") {
      this.#board.setUp(layout, { live: true, labels: true });
      this.#arrange();
    }
    this.#drawn = this.#feed.game;
    const seat = this.#feed.seat();
    if (seat !== undefined && snapshot.to_move === seat) this.#composer.begin(snapshot.turn);
    else this.#composer.end();
    this.#seats.show(snapshot, layout, seat);
    this.#moves.show(snapshot);
    this.#controls.show(snapshot, seat);
    this.#show();
  }

  /** Puts the parts in their places. */
  #arrange() {
    fill(
      this.element,
      html("div", { class: "stage" }, this.#board),
      html(
        "aside",
        {},
        this.#about,
        this.#seats.element,
        this.#status,
        this.#makeMove.element,
        this.#moves.element,
        this.#controls.element,
      ),
    );
  }

  /** Draws what the state and the move in the making come to. */
  #show() {
    const { snapshot } = this.#feed;
    if (snapshot === undefined) return;
    const seat = this.#feed.seat();
    const mine = seat !== undefined && snapshot.to_move === seat;
    const users = snapshot.seats.map((each) => each.user);
    const text = snapshot.result
      ? words.result(snapshot.result, users)
      : mine
        ? say.yourMove
        : say.theirMove(users[snapshot.to_move ?? 0] ?? "");
    const about = [
      words.gameName(snapshot.rules),
      words.options(snapshot.options),
      words.clock(snapshot.clock),
      snapshot.rated && words.home.rated,
      say.spectators(snapshot.spectators),
    ];
    fill(this.#about, about.filter(Boolean).join(" · "));
    fill(this.#status, text);
    this.#status.classList.toggle("mine", mine);
    this.element.dataset["over"] = String(snapshot.result != null);
    document.title = `${mine ? "● " : ""}${text} ${words.home.versus(users)} · ${words.title}`;
    favicon(mine);
    this.#makeMove.show(mine);
    const position = (mine && this.#composer.preview) || snapshot.position;
    this.#board.show({ position, marks: this.#marks(mine) });
  }

  /**
   * What is pointed out on the board.
   * @param {boolean} mine
   */
  #marks(mine) {
    /** @type {Map<string, Set<Mark>>} */
    const marks = new Map();
    const mark = (/** @type {string} */ cell, /** @type {Mark} */ what) => {
      marks.set(cell, (marks.get(cell) ?? new Set()).add(what));
    };
    const { lastMove, layout } = this.#feed;
    const { answer, begun } = this.#composer;
    if (!begun) {
      for (const cell of lastMove?.lost ?? []) mark(cell, "last-from");
      for (const cell of lastMove?.gained ?? []) mark(cell, "last-to");
      for (const cell of lastMove?.captured ?? []) mark(cell, "last-captured");
    }
    if (!mine || answer === undefined) return marks;
    for (const { cell } of [...answer.from, ...answer.to]) mark(cell, "chosen");
    // Where nearly everything may be chosen, marking it says nothing.
    const room = (layout?.cells.length ?? 0) / 2;
    if (!begun && answer.next.length > room) return marks;
    for (const next of answer.next) {
      if (next.as === "from") mark(next.cell, "source");
      else mark(next.cell, next.capture ? "capture" : "target");
    }
    return marks;
  }

  /** @param {Event} event */
  #picked = (event) => {
    if (!(event instanceof CustomEvent)) return;
    const { cell, level, other } = event.detail;
    const stack = this.#feed.snapshot?.position[cell] ?? "";
    this.#composer.pick(cell, level === undefined ? "" : stack.slice(level), other);
  };

  /** @param {KeyboardEvent} event */
  #typed = (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const { answer } = this.#composer;
    if (event.key === "+" || event.key === "=") this.#composer.nudge(1);
    else if (event.key === "-") this.#composer.nudge(-1);
    else if (event.key === "Escape") this.#composer.clear();
    else if (event.key === "Enter" && answer?.move != null && !isButton(event.target)) {
      this.#composer.play(answer.move);
    } else return;
    event.preventDefault();
  };
}

/** @param {EventTarget | null} target */
function isButton(target) {
  return target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
}

/**
 * The sign in the browser's tab.
 * @param {boolean} due whether it is one's turn
 */
function favicon(due) {
  const link = document.querySelector("link[rel=icon]");
  const href = link?.getAttribute("href");
  if (!link || !href) return;
  const wanted = href.replace(/icon(-due)?\.svg$/, due ? "icon-due.svg" : "icon.svg");
  if (wanted !== href) link.setAttribute("href", wanted);
}
