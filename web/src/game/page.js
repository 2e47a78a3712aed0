// One game: the board as large as it can be, the seats with their clocks, the move in the making, and
// what else a player may do.

import { Board } from "../board/board.js";
import { fill, html, refill } from "../ui/element.js";
import { reason } from "../ui/error_text.js";
import { words } from "../strings.js";
import { Composer } from "./move_input.js";
import { Controls } from "./controls.js";
import { Feed } from "./game_sync.js";
import { Keep } from "./download.js";
import { MakeMove } from "./move_form.js";
import { Marks } from "./highlights.js";
import { Moves } from "./moves.js";
import { Replay } from "./replay.js";
import { Seats } from "./seats.js";
import { Sound } from "./sound.js";
import { Switch } from "./view_options.js";
import { Talk } from "./talk.js";

/** @import {App, View} from "../main.js" */
/** @import {EventFrame, OfferClosed, Offered, Snapshot, YourTurn} from "../wire.js" */

const say = words.game;

/** How often clocks are looked at, in milliseconds. */
const TICK_MS = 100;

/** @implements {View} */
export class GamePage {
  element = html("div", { class: "table" }, html("p", { class: "empty" }, words.loading));
  #app;
  #heading = html("h1", { class: "spoken" });
  #board = new Board();
  #feed;
  #composer;
  #seats;
  #makeMove;
  #controls;
  #replay;
  #moves = new Moves((ply) => this.#replay.look(ply));
  #talk;
  #keep;
  #sound = new Sound(localStorage);
  #threats = new Switch(localStorage, "threats", say.threats, () => this.#show());
  #atOnce = new Switch(localStorage, "at-once", say.atOnce, () => this.#show());
  /** What happens, for those who hear the page. */
  #spoken = html("p", { class: "spoken", "aria-live": "polite" });
  #status = html("p", { class: "status", role: "status" });
  #about = html("p", { class: "about" });
  #watching = html("p", { class: "about" });
  #tick;
  #stops;
  /** Offers that were seen to be made. @type {Map<string, Offered>} */
  #offers = new Map();
  #drawn = "";

  /**
   * @param {App} app
   * @param {string} game
   * @param {number | undefined} ply the board to begin with, unless it is the present one
   */
  constructor(app, game, ply) {
    this.#app = app;
    this.#feed = new Feed(app.connection, game, {
      changed: () => this.#changed(),
      event: (event) => this.#happened(event),
      missing: () => app.lose(words.lost.game),
      refused: (refused) => app.say(reason(refused)),
    });
    this.#composer = new Composer(app.connection, game, () => this.#show(), () => this.#makeMove.wait());
    this.#seats = new Seats(() => app.connection.time.now());
    this.#makeMove = new MakeMove(this.#composer);
    this.#controls = new Controls(app, this.#feed);
    this.#replay = new Replay(app.connection, game, ply, () => this.#changed());
    this.#talk = new Talk(app, game);
    this.#keep = new Keep(game, this.#sound, [this.#threats, this.#atOnce]);
    this.#tick = setInterval(() => {
      this.#seats.tick();
      this.#controls.tick();
    }, TICK_MS);
    this.#board.addEventListener("pick", this.#picked);
    this.#board.addEventListener("grab", this.#grabbed);
    this.#board.addEventListener("drop", this.#dropped);
    this.#board.addEventListener("release", () => this.#composer.release());
    document.addEventListener("keydown", this.#typed);
    // A wish to play again comes as a challenge.
    this.#stops = [
      app.games.changed(() => this.#changed()),
      app.connection.on("your_turn", (/** @type {YourTurn} */ turn) => {
        // Who looks at the board has heard the move itself.
        if (turn.game === game && document.hidden) this.#sound.play("turn");
      }),
    ];
    this.#feed.open();
  }

  close() {
    clearInterval(this.#tick);
    for (const stop of this.#stops) stop();
    document.removeEventListener("keydown", this.#typed);
    this.#feed.close();
    this.#moves.close();
    this.#talk.close();
    this.#sound.close();
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
    this.#replay.show(snapshot);
    this.#moves.show(snapshot, this.#replay.ply);
    this.#controls.show(snapshot, seat);
    this.#talk.show(snapshot, seat);
    this.#show();
  }

  /** Puts the parts in their places. */
  #arrange() {
    fill(
      this.element,
      this.#heading,
      html("div", { class: "stage" }, this.#board, this.#replay.element),
      html(
        "aside",
        {},
        this.#about,
        this.#seats.element,
        this.#status,
        this.#makeMove.element,
        this.#moves.element,
        this.#controls.element,
        this.#talk.element,
        this.#keep.element,
        this.#watching,
        this.#spoken,
      ),
    );
  }

  /** @param {EventFrame} event */
  #happened(event) {
    if (event.kind === "moved") {
      const user = this.#feed.snapshot?.seats[event.seat]?.user ?? "";
      fill(this.#spoken, say.moved(user, event.move, event.captures.map((capture) => capture.cell)));
      this.#sound.play(event.captures.length > 0 ? "capture" : "move");
    } else if (event.kind === "ended" || event.kind === "aborted") this.#sound.play("end");
    else if (event.kind === "offered") this.#offers.set(event.offer, event);
    else if (event.kind === "offer_closed") this.#closed(event);
  }

  /**
   * Says that one's own offer has been declined: nothing else on the page would change.
   * @param {OfferClosed} closed
   */
  #closed({ offer, outcome, by }) {
    const offered = this.#offers.get(offer);
    this.#offers.delete(offer);
    if (outcome !== "declined" || offered === undefined || offered.by !== this.#feed.seat()) return;
    this.#app.say(say.declined(this.#feed.snapshot?.seats[by]?.user ?? "", offered.what));
  }

  /** Draws what the state and the move in the making come to. */
  #show() {
    const { snapshot } = this.#feed;
    if (snapshot === undefined) return;
    const seat = this.#feed.seat();
    const mine = seat !== undefined && snapshot.to_move === seat;
    const users = snapshot.seats.map((each) => each.user);
    const { ply } = this.#replay;
    const text = snapshot.result
      ? words.result(snapshot.result, users)
      : mine
        ? say.yourMove
        : say.theirMove(users[snapshot.to_move ?? 0] ?? "");
    const about = [
      words.options(snapshot.options),
      words.clock(snapshot.clock),
      snapshot.rated && words.home.rated,
      say.spectators(snapshot.spectators),
    ];
    const rules = html("a", { href: `/rules/${words.kind(snapshot.rules)}` }, words.gameName(snapshot.rules));
    refill(this.#about, rules, ` · ${about.filter(Boolean).join(" · ")}`);
    const names = snapshot.spectator_names ?? [];
    fill(this.#watching, names.length > 0 && say.watching(names));
    fill(this.#status, ply === undefined ? text : words.replay.looking(ply, snapshot.moves.length));
    this.#status.classList.toggle("mine", mine);
    this.element.dataset["over"] = String(snapshot.result != null);
    const title = `${words.gameName(snapshot.rules)}: ${words.home.versus(users)}`;
    if (this.#heading.textContent !== title) fill(this.#heading, title);
    this.#app.entitle(`${mine ? "● " : ""}${text} ${title}`);
    favicon(mine);
    this.#threats.element.hidden = snapshot.threatened == null;
    this.#atOnce.element.hidden = seat === undefined || snapshot.result != null;
    this.#composer.atOnce = this.#atOnce.on;
    const past = ply !== undefined;
    this.element.classList.toggle("past", past);
    const { heldCell = "", held, preview } = this.#composer;
    const many = ((preview ?? snapshot).position[heldCell] ?? "").length > 1 && held === "";
    this.#makeMove.show(mine && !past, many);
    // What the keyboard was at may be gone with the turn; the board and the slider are always there.
    if (!this.#makeMove.holds) (past ? this.#replay : this.#board).takeFocus();
    if (past) this.#showPast();
    else this.#showPresent(snapshot, mine);
  }

  /** Draws the board that is looked at, as soon as it is known. */
  #showPast() {
    const { shown } = this.#replay;
    if (shown === undefined) return;
    const marks = new Marks();
    marks.lastMove(shown.lastMove);
    if (this.#threats.on) marks.threatened(shown.board.threatened);
    this.#board.show({ position: shown.board.position, marks: marks.cells });
  }

  /**
   * Draws the board as it is, or as the move in the making would leave it.
   * @param {Snapshot} snapshot
   * @param {boolean} mine
   */
  #showPresent(snapshot, mine) {
    const marks = new Marks();
    const { answer, begun, preview, movable, held } = this.#composer;
    const { position, threatened } = (mine && preview) || snapshot;
    // Whoever comes in the middle of a game has not seen the last move.
    const lastMove = this.#feed.lastMove ?? (snapshot.ply ? this.#replay.at(snapshot.ply)?.lastMove : undefined);
    if (!begun) marks.lastMove(lastMove);
    if (this.#threats.on) marks.threatened(threatened);
    if (!mine || answer === undefined) return this.#board.show({ position, marks: marks.cells });
    marks.sketch(answer, this.#feed.layout?.cells.length ?? 0);
    return this.#board.show({ position, marks: marks.cells, movable, held });
  }

  /** @param {Event} event */
  #picked = (event) => {
    if (!(event instanceof CustomEvent) || this.#replay.ply !== undefined) return;
    const { cell, level, other } = event.detail;
    this.#composer.pick(cell, this.#partOf(cell, level), other);
  };

  /** @param {Event} event */
  #grabbed = (event) => {
    if (!(event instanceof CustomEvent)) return;
    const { cell, level } = event.detail;
    this.#composer.grab(cell, this.#partOf(cell, level));
    // The pieces are lifted from the board as it is now.
    this.#show();
  };

  /** @param {Event} event */
  #dropped = (event) => {
    if (!(event instanceof CustomEvent)) return;
    const { cell, pieces, all } = event.detail;
    this.#composer.drop(cell, pieces, all);
  };

  /**
   * The pieces of a stack from one upwards, where they are told apart.
   * @param {string} cell
   * @param {number | undefined} level
   */
  #partOf(cell, level) {
    return level === undefined ? "" : (this.#feed.snapshot?.position[cell] ?? "").slice(level);
  }

  /** @param {KeyboardEvent} event */
  #typed = (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing) {
      if (this.#makeMove.isEmpty(event.target) && this.#replay.typed(event.key)) event.preventDefault();
      return;
    }
    const { answer } = this.#composer;
    if (event.key === "+" || event.key === "=") this.#composer.nudge(1);
    else if (event.key === "-") this.#composer.nudge(-1);
    else if (event.key === "Escape") this.#composer.clear();
    else if (event.key === "t" && !this.#threats.element.hidden) this.#threats.turn();
    else if (event.key === "Enter" && answer?.move != null && !isButton(event.target)) {
      this.#composer.play(answer.move);
    } else if (!this.#replay.typed(event.key)) return;
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
  const wanted = href.replace(/icon(-your-turn)?\.svg$/, due ? "icon-your-turn.svg" : "icon.svg");
  if (wanted !== href) link.setAttribute("href", wanted);
}
