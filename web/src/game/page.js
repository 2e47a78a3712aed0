// The view of one game: the board, the seats with their clocks, the sketched move, and all actions.

import { Board } from "../board/board.js";
import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { MoveInput } from "./move_input.js";
import { Controls } from "./controls.js";
import { GameSync } from "./game_sync.js";
import { DownloadBar } from "./download.js";
import { MoveForm } from "./move_form.js";
import { Highlights } from "./highlights.js";
import { Moves } from "./moves.js";
import { Replay } from "./replay.js";
import { Seats } from "./seats.js";
import { Sound } from "./sound.js";
import { ViewOption } from "./view_options.js";
import { Talk } from "./talk.js";

/** @import {App, View} from "../app.js" */
/** @import {EventFrame, OfferClosed, Offered, Snapshot} from "../wire.js" */

const t = strings.game;

/** How often clocks are drawn, in milliseconds. */
const TICK_MS = 100;

/** @implements {View} */
export class GamePage {
  element = html("div", { class: "game-page" }, html("p", { class: "empty" }, strings.loading));
  #app;
  #heading = html("h1", { class: "visually-hidden" });
  #board = new Board();
  #sync;
  #moveInput;
  #seats;
  #moveForm;
  #controls;
  #replay;
  #moves = new Moves((ply) => this.#replay.goTo(ply));
  #talk;
  #downloadBar;
  #sound = new Sound(localStorage);
  #threats = new ViewOption(localStorage, "threats", t.threats, () => this.#show());
  #autoPlay = new ViewOption(localStorage, "at-once", t.atOnce, () => this.#show());
  /** Announces moves to screen readers. */
  #liveRegion = html("p", { class: "visually-hidden", "aria-live": "polite" });
  #status = html("p", { class: "status", role: "status" });
  #about = html("p", { class: "about" });
  #spectators = html("p", { class: "about" });
  #tick;
  #unsubscribe;
  /** Open offers, by id. @type {Map<string, Offered>} */
  #offers = new Map();
  #drawn = "";

  /**
   * @param {App} app
   * @param {string} game
   * @param {number | undefined} ply the ply to begin with, unless it is the current one
   */
  constructor(app, game, ply) {
    this.#app = app;
    this.#sync = new GameSync(app.connection, game, {
      onChange: () => this.#onChange(),
      onEvent: (event) => this.#onEvent(event),
      onNotFound: () => app.showNotFound(strings.notFound.game),
      onError: (refused) => app.showToast(errorText(refused)),
    });
    this.#moveInput = new MoveInput(app.connection, game, () => this.#show(), () => this.#moveForm.setBusy());
    this.#seats = new Seats(() => app.connection.time.now());
    this.#moveForm = new MoveForm(this.#moveInput);
    this.#controls = new Controls(app, this.#sync);
    this.#replay = new Replay(app.connection, game, ply, () => this.#onChange());
    this.#talk = new Talk(app, game);
    this.#downloadBar = new DownloadBar(game, this.#sound, [this.#threats, this.#autoPlay]);
    this.#tick = setInterval(() => {
      this.#seats.tick();
      this.#controls.tick();
    }, TICK_MS);
    this.#board.addEventListener("pick", this.#onPick);
    this.#board.addEventListener("grab", this.#onGrab);
    this.#board.addEventListener("drop", this.#onDrop);
    this.#board.addEventListener("release", () => this.#moveInput.release());
    document.addEventListener("keydown", this.#onKeyDown);
    // A rematch is offered as a challenge.
    this.#unsubscribe = [app.games.onChange(() => this.#onChange())];
    this.#sync.open();
  }

  close() {
    clearInterval(this.#tick);
    for (const stop of this.#unsubscribe) stop();
    document.removeEventListener("keydown", this.#onKeyDown);
    this.#sync.close();
    this.#moves.close();
    this.#talk.close();
    this.#sound.close();
  }

  /** Shows a new state. */
  #onChange() {
    const { snapshot, layout } = this.#sync;
    if (snapshot === undefined || layout === undefined) return;
    if (this.#drawn === "") {
      this.#board.setLayout(layout, { live: true, labels: true });
      this.#layOut();
    }
    this.#drawn = this.#sync.game;
    const seat = this.#sync.seat();
    if (seat !== undefined && snapshot.to_move === seat) this.#moveInput.begin(snapshot.turn);
    else this.#moveInput.end();
    this.#seats.show(snapshot, layout, seat);
    this.#replay.show(snapshot);
    this.#moves.show(snapshot, this.#replay.ply);
    this.#controls.show(snapshot, seat);
    this.#talk.show(snapshot, seat);
    this.#show();
  }

  /** Lays the parts out. */
  #layOut() {
    fill(
      this.element,
      this.#heading,
      html("div", { class: "board-area" }, this.#board, this.#replay.element),
      html(
        "aside",
        {},
        this.#about,
        this.#seats.element,
        this.#status,
        this.#moveForm.element,
        this.#moves.element,
        this.#controls.element,
        this.#talk.element,
        this.#downloadBar.element,
        this.#spectators,
        this.#liveRegion,
      ),
    );
  }

  /** @param {EventFrame} event */
  #onEvent(event) {
    if (event.kind === "moved") {
      const user = this.#sync.snapshot?.seats[event.seat]?.user ?? "";
      fill(this.#liveRegion, t.moved(user, event.move, event.captures.map((capture) => capture.cell)));
      this.#sound.play(event.captures.length > 0 ? "capture" : "move");
    } else if (event.kind === "ended" || event.kind === "aborted") this.#sound.play("end");
    else if (event.kind === "offered") this.#offers.set(event.offer, event);
    else if (event.kind === "offer_closed") this.#onOfferClosed(event);
  }

  /**
   * Reports that the opponent declined an offer: nothing else on the page would change.
   * @param {OfferClosed} closed
   */
  #onOfferClosed({ offer, outcome, by }) {
    const offered = this.#offers.get(offer);
    this.#offers.delete(offer);
    if (outcome !== "declined" || offered === undefined || offered.by !== this.#sync.seat()) return;
    this.#app.showToast(t.declined(this.#sync.snapshot?.seats[by]?.user ?? "", offered.what));
  }

  /** Draws the state and the sketch. */
  #show() {
    const { snapshot } = this.#sync;
    if (snapshot === undefined) return;
    const seat = this.#sync.seat();
    const myTurn = seat !== undefined && snapshot.to_move === seat;
    const users = snapshot.seats.map((each) => each.user);
    const { ply } = this.#replay;
    const text = snapshot.result
      ? strings.result(snapshot.result, users)
      : myTurn
        ? t.yourMove
        : t.theirMove(users[snapshot.to_move ?? 0] ?? "");
    const about = [
      strings.options(snapshot.options),
      strings.clock(snapshot.clock),
      snapshot.rated && strings.home.rated,
      t.spectators(snapshot.spectators),
    ];
    const rules = html("a", { href: `/rules/${strings.kind(snapshot.rules)}` }, strings.gameName(snapshot.rules));
    update(this.#about, rules, ` · ${about.filter(Boolean).join(" · ")}`);
    const names = snapshot.spectator_names ?? [];
    fill(this.#spectators, names.length > 0 && t.watching(names));
    fill(this.#status, ply === undefined ? text : strings.replay.showing(ply, snapshot.moves.length));
    this.#status.classList.toggle("my-turn", myTurn);
    this.element.dataset["over"] = String(snapshot.result != null);
    const title = `${strings.gameName(snapshot.rules)}: ${strings.home.versus(users)}`;
    if (this.#heading.textContent !== title) fill(this.#heading, title);
    this.#app.setTitle(`${text} ${title}`);
    this.#threats.element.hidden = snapshot.threatened == null;
    this.#autoPlay.element.hidden = seat === undefined || snapshot.result != null;
    this.#moveInput.autoPlay = this.#autoPlay.on;
    const replaying = ply !== undefined;
    this.element.classList.toggle("replaying", replaying);
    const { draggedCell = "", draggedPieces, preview } = this.#moveInput;
    const dragsOneOfMany = ((preview ?? snapshot).position[draggedCell] ?? "").length > 1 && draggedPieces === "";
    this.#moveForm.show(myTurn && !replaying, dragsOneOfMany);
    // The focused element may be gone with the turn. The board and the slider are always there.
    if (!this.#moveForm.keepsFocus) (replaying ? this.#replay : this.#board).takeFocus();
    if (replaying) this.#showReplay();
    else this.#showCurrent(snapshot, myTurn);
  }

  /** Draws an earlier board, as soon as it is loaded. */
  #showReplay() {
    const { shown } = this.#replay;
    if (shown === undefined) return;
    const highlights = new Highlights();
    highlights.lastMove(shown.lastMove);
    if (this.#threats.on) highlights.threatened(shown.board.threatened);
    this.#board.show({ position: shown.board.position, highlights: highlights.cells });
  }

  /**
   * Draws the current board, or the board after the sketched move.
   * @param {Snapshot} snapshot
   * @param {boolean} myTurn
   */
  #showCurrent(snapshot, myTurn) {
    const highlights = new Highlights();
    const { answer, started, preview, movable, draggedPieces } = this.#moveInput;
    const { position, threatened } = (myTurn && preview) || snapshot;
    // A user who has just opened the game has not seen the last move.
    const lastMove = this.#sync.lastMove ?? (snapshot.ply ? this.#replay.at(snapshot.ply)?.lastMove : undefined);
    if (!started) highlights.lastMove(lastMove);
    if (this.#threats.on) highlights.threatened(threatened);
    if (!myTurn || answer === undefined) return this.#board.show({ position, highlights: highlights.cells });
    highlights.sketch(answer, this.#sync.layout?.cells.length ?? 0);
    const pickable = new Set([...answer.from, ...answer.to, ...answer.next].map((each) => each.cell));
    return this.#board.show({ position, highlights: highlights.cells, pickable, movable, draggedPieces, path: lastMove?.flights });
  }

  /** @param {Event} event */
  #onPick = (event) => {
    if (!(event instanceof CustomEvent) || this.#replay.ply !== undefined) return;
    const { cell, level, other } = event.detail;
    this.#moveInput.pick(cell, this.#partOf(cell, level), other);
  };

  /** @param {Event} event */
  #onGrab = (event) => {
    if (!(event instanceof CustomEvent)) return;
    const { cell, level } = event.detail;
    this.#moveInput.grab(cell, this.#partOf(cell, level));
    // The pieces are taken from the current board.
    this.#show();
  };

  /** @param {Event} event */
  #onDrop = (event) => {
    if (!(event instanceof CustomEvent)) return;
    const { cell, pieces, all } = event.detail;
    this.#moveInput.drop(cell, pieces, all);
  };

  /**
   * Returns the pieces of a stack from one upwards, if pieces are distinguished.
   * @param {string} cell
   * @param {number | undefined} level
   */
  #partOf(cell, level) {
    return level === undefined ? "" : (this.#sync.snapshot?.position[cell] ?? "").slice(level);
  }

  /** @param {KeyboardEvent} event */
  #onKeyDown = (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing) {
      if (this.#moveForm.isEmpty(event.target) && this.#replay.onKey(event.key)) event.preventDefault();
      return;
    }
    const { answer } = this.#moveInput;
    if (event.key === "+" || event.key === "=") this.#moveInput.changeAmount(1);
    else if (event.key === "-") this.#moveInput.changeAmount(-1);
    else if (event.key === "Escape") this.#moveInput.clear();
    else if (event.key === "t" && !this.#threats.element.hidden) this.#threats.toggle();
    else if (event.key === "Enter" && answer?.move != null && !isButton(event.target)) {
      this.#moveInput.play(answer.move);
    } else if (!this.#replay.onKey(event.key)) return;
    event.preventDefault();
  };
}

/** @param {EventTarget | null} target */
function isButton(target) {
  return target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
}
