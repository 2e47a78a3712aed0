// The view of one game, built round the board: the seats above and below it, the bar with the
// user's move, the goal or the result, and moves, chat and rules behind tabs.

import { Board } from "../board/board.js";
import { leavingSeat } from "../net/seat_offers.js";
import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { isParked } from "../ui/house.js";
import { holds } from "../ui/observers.js";
import { loadingLine } from "../ui/loading.js";
import { storage } from "../strings/storage.js";
import { strings } from "../strings/strings.js";
import { ActionBar, MENU_ID } from "./action_bar.js";
import { Controls } from "./controls.js";
import { DownloadBar } from "./share.js";
import { GameSync } from "./game_sync.js";
import { Goal, RulesPanel } from "./rules_panel.js";
import { Highlights, pickable } from "./highlights.js";
import { MoveInput, movesOf } from "./move_input.js";
import { Moves } from "./moves.js";
import { Notices } from "./notices.js";
import { Peek } from "./peek.js";
import { Replay } from "./replay.js";
import { ResultCard } from "./result_card.js";
import { Seats } from "./seats.js";
import { keysSheet, settingsSheet, ViewOption } from "./sheets.js";
import { Shortcuts } from "./shortcuts.js";
import { GameSounds } from "./sounds.js";
import { statusOf } from "./status.js";
import { Stepper } from "./stepper.js";
import { toolBar } from "./icons.js";
import { Tabs } from "./tabs.js";
import { Talk } from "./talk.js";

/** @import {App, View} from "../app.js" */
/** @import {BoardLayout, EventFrame, NewRequest, OfferClosed, Offered, Snapshot, Substituted, YourTurn} from "../wire.js" */

const t = strings.game;

/** How often clocks are drawn, in milliseconds. */
const TICK_MS = 100;

/** Screens where the bar lies at the lower edge, as in the style sheet. */
const SMALL = "(max-width: 60rem) and (max-aspect-ratio: 11/10)";

/** The games whose moves are complete with their last click, so that they are played at once. */
const AT_ONCE = new Set(["hexma", "diam"]);

/** @implements {View} */
export class GamePage {
  element = html("div", { class: "game-page" }, loadingLine());
  #app;
  #heading = html("h1", { class: "visually-hidden" });
  #board = new Board();
  #sync;
  #input;
  #seats;
  #bar;
  #stepper;
  #notices;
  #controls;
  #goal = new Goal(() => this.#tabs.open("rules"));
  #result;
  #replay;
  #moves;
  #peek;
  /** @type {Talk} */
  #talk;
  #rules = new RulesPanel();
  /** @type {Tabs} */
  #tabs;
  #sounds;
  #flip = new ViewOption(storage, "flip", t.flip, () => {
    this.#board.flip();
    this.#show();
  });
  #threats = new ViewOption(storage, "threats", t.threats, () => this.#show());
  /** @type {ViewOption | undefined} */
  #atOnce;
  #keys = keysSheet();
  #keyboard;
  /** @type {ReturnType<typeof settingsSheet> | undefined} */
  #settings;
  /** Announces moves to screen readers. */
  #liveRegion = html("p", { class: "visually-hidden", "aria-live": "polite" });
  #spectators = html("p", { class: "spectators" });
  /** The actions of the game and of the view: on a phone a menu behind a button of the bar. */
  #menu = html("div", { class: "game-menu", id: MENU_ID, popover: "auto", onclick: (/** @type {Event} */ event) => this.#onMenu(event) });
  #tick;
  #unsubscribe;
  /** Open offers, by id. @type {Map<string, Offered>} */
  #offers = new Map();
  /** What the board was set up with. */
  #drawn = "";
  #timeIsUp = false;
  /** Whether the user is giving the game up: the focus goes to the result. */
  #endsGame = false;

  /**
   * @param {App} app
   * @param {string} game
   * @param {number | undefined} ply the ply to begin with, unless it is the current one
   */
  constructor(app, game, ply) {
    const { connection } = app;
    this.#app = app;
    this.#sync = new GameSync(connection, game, {
      onChange: () => this.#onChange(),
      onEvent: (event) => this.#onEvent(event),
      onNotFound: () => app.showNotFound(strings.notFound.game),
      onError: (refused) => app.showToast(errorText(refused)),
    });
    this.#sounds = new GameSounds(this.#sync);
    this.#replay = new Replay(this.#sync.positions, ply, () => this.#onChange());
    this.#input = new MoveInput(movesOf(connection, game), {
      onChange: () => this.#show(),
      onRefused: (cell) => this.#board.refuse(cell),
      onSent: (_, preview) => this.#sounds.onSent(preview),
      onAccepted: (move, preview) => this.#sync.expect(move, preview),
    });
    this.#seats = new Seats(() => connection.time.now(), {
      onChange: () => this.#show(),
      onPlace: (cell, piece) => this.#input.place(cell, piece),
    });
    this.#bar = new ActionBar(this.#input, () => this.#replay.steps.go("last"));
    this.#stepper = new Stepper(this.#input);
    const act = (/** @type {NewRequest} */ request) => this.#act(request);
    this.#notices = new Notices(() => connection.time.now(), act);
    this.#controls = new Controls(act);
    this.#result = new ResultCard(app, this.#sync, { onStepThrough: () => this.#stepThrough(), shownPly: () => this.#replay.ply });
    this.#moves = new Moves((shown) => this.#replay.goTo(shown), this.#replay.steps.element);
    const isDown = () => ({ layout: this.#sync.layout, orientation: this.#sync.seat() ?? 0 });
    this.#peek = new Peek(() => this.#sync.positions, isDown);
    this.#peek.listenTo(this.#moves.element);
    this.#talk = new Talk(app, game, () => this.#tabs.shown === "chat", (unread) => this.#tabs.setBadge("chat", unread));
    this.#tabs = new Tabs(
      t.tabs,
      [
        { key: "moves", title: t.moves, panel: this.#moves.element },
        { key: "chat", title: strings.talk.heading, panel: this.#talk.element },
        { key: "rules", title: t.rules, panel: this.#rules.element },
      ],
      () => this.#talk.onShown(),
    );
    this.#tick = setInterval(() => this.#onTick(), TICK_MS);
    this.#input.listenTo(this.#board, () => this.#sync.snapshot?.position, (...picked) => this.#onPick(...picked));
    this.#keyboard = this.#shortcuts();
    this.#unsubscribe = [
      // A rematch is offered as a challenge.
      app.games.onChange(() => this.#onChange()),
      connection.on("your_turn", (/** @type {YourTurn} */ turn) => {
        if (turn.game === game && turn.steps !== undefined) this.#input.setSteps(turn.turn, turn.steps);
      }),
    ];
    this.#sync.open();
  }

  close() {
    clearInterval(this.#tick);
    for (const stop of this.#unsubscribe) stop();
    this.#keyboard.close();
    this.#seats.tray.clear();
    this.#sync.close();
    this.#moves.close();
    this.#peek.hide();
    this.#talk.close();
    this.#sounds.close();
  }

  /** Shows a new state. */
  #onChange() {
    const { snapshot, layout } = this.#sync;
    if (snapshot === undefined || layout === undefined) return;
    const seat = this.#sync.seat();
    const ends = this.#endsGame || this.#controls.element.contains(document.activeElement);
    if (this.#drawn === "") this.#layOut(snapshot);
    this.#setUpBoard(snapshot, layout, seat);
    if (this.#isOwnTurn(snapshot, seat)) this.#input.begin(snapshot.turn);
    else this.#input.end();
    this.#replay.show(snapshot);
    this.#moves.show(snapshot, this.#replay.ply);
    this.#controls.show(snapshot, seat);
    this.#notices.show(snapshot, seat);
    this.#goal.show(snapshot, seat);
    this.#result.show(snapshot, seat);
    this.#rules.show(snapshot, seat);
    this.#talk.show(snapshot, seat);
    this.#show();
    this.#peek.draw();
    if (!ends || !snapshot.result) return;
    this.#endsGame = false;
    this.#result.takeFocus();
  }

  /**
   * Lays the parts out.
   * @param {Snapshot} snapshot
   */
  #layOut(snapshot) {
    const kind = strings.kind(snapshot.rules);
    this.#atOnce = new ViewOption(storage, `at-once.${kind}`, t.atOnce, () => this.#show(), AT_ONCE.has(kind));
    const options = [this.#atOnce, ...(snapshot.threatened == null ? [] : [this.#threats]), this.#flip];
    this.#settings = settingsSheet(options, new DownloadBar(this.#sync.game).element);
    const tools = toolBar(this.#spectators, [
      ["analyse", t.analyse, () => this.#analyse()],
      ["flip", t.flip.title, () => this.#flip.toggle()],
      ["type", t.typeMove, () => this.#bar.toggleNotation()],
      ["help", t.keysTitle, () => this.#keys.open()],
      ["settings", t.settings, () => this.#settings?.open()],
    ]);
    // What a tool opens gives the focus back to the menu's button, which is still there then.
    tools.addEventListener("click", () => this.#menu.hidePopover?.(), { capture: true });
    this.#menu.append(this.#controls.element, tools);
    const side = [this.#notices.element, this.#goal.element, this.#result.element, this.#tabs.element, this.#menu];
    fill(
      this.element,
      this.#heading,
      this.#seats.far,
      html("div", { class: "board-area" }, this.#board),
      this.#seats.near,
      this.#bar.element,
      html("aside", { class: "rail" }, side),
      this.#liveRegion,
      this.#keys.element,
      this.#settings.element,
      this.#peek.element,
    );
    this.element.dataset["rules"] = kind;
  }

  /**
   * Sets the board up, with the user's side down.
   * @param {Snapshot} snapshot
   * @param {BoardLayout} layout
   * @param {number | undefined} seat
   */
  #setUpBoard(snapshot, layout, seat) {
    const users = snapshot.seats.map(({ user }) => strings.player(user));
    const drawn = JSON.stringify([seat, users]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#board.flipped = this.#flip.on;
    this.#board.setLayout(layout, { live: true, labels: true, orientation: seat ?? 0, start: this.#sync.start ?? {}, own: seat, users });
  }

  /** @param {NewRequest} request */
  async #act(request) {
    this.#endsGame = request.type === "resign" || request.type === "abort";
    try {
      await this.#app.connection.request(request);
    } catch (error) {
      this.#endsGame = false;
      this.#app.showToast(errorText(error));
      this.#sync.refresh();
    }
  }

  #onTick() {
    const { snapshot } = this.#sync;
    if (snapshot === undefined) return;
    this.#seats.tick();
    this.#notices.tick(snapshot, this.#sync.seat());
    const { timeIsUp } = this.#seats;
    if (timeIsUp === this.#timeIsUp) return;
    this.#timeIsUp = timeIsUp;
    this.#show();
  }

  /** @param {EventFrame} event */
  #onEvent(event) {
    this.#sounds.onEvent(event);
    if (event.kind === "moved") {
      const user = strings.player(this.#sync.snapshot?.seats[event.seat]?.user ?? "");
      fill(this.#liveRegion, t.moved(user, event.move, event.captures.map((capture) => capture.cell)));
    } else if (event.kind === "substituted") this.#onSubstituted(event);
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
    this.#app.showToast(t.declined(strings.player(this.#sync.snapshot?.seats[by]?.user ?? ""), offered.what));
  }

  /** @param {Substituted} substituted */
  #onSubstituted({ seat, by }) {
    const left = this.#sync.snapshot?.seats[seat]?.user ?? "";
    this.#app.showToast(t.playsOn(strings.player(by.user), strings.player(left)));
  }

  #stepThrough() {
    this.#tabs.show("moves");
    this.#replay.goTo(0);
    this.#replay.steps.takeFocus();
  }

  /**
   * @param {Snapshot} snapshot
   * @param {number | undefined} seat
   */
  #isOwnTurn(snapshot, seat) {
    return seat !== undefined && snapshot.to_move === seat && !snapshot.result && leavingSeat(snapshot) === undefined;
  }

  /** Draws the state and the draft. */
  #show() {
    const { snapshot, layout } = this.#sync;
    if (snapshot === undefined || layout === undefined || this.#drawn === "") return;
    const focused = this.element.contains(document.activeElement);
    const seat = this.#sync.seat();
    const { ply } = this.#replay;
    const replaying = ply !== undefined;
    const myTurn = this.#isOwnTurn(snapshot, seat);
    this.#input.autoPlay = this.#atOnce?.on ?? false;
    this.element.dataset["over"] = String(snapshot.result != null);
    this.element.classList.toggle("replaying", replaying);
    this.#seats.show(snapshot, layout, { own: seat, flipped: this.#flip.on, placeable: this.#input.active && !replaying });
    this.#showBar(snapshot, seat, myTurn);
    if (replaying) this.#showReplay();
    else this.#showCurrent(snapshot, layout, myTurn);
    update(this.#spectators, snapshot.spectators > 0 && t.watching(snapshot.spectators, snapshot.spectator_names ?? []));
    // The focused element may be gone with the turn. The board is always there.
    if (focused && (!this.#bar.keepsFocus || document.activeElement === document.body)) this.#board.takeFocus();
  }

  /**
   * @param {Snapshot} snapshot
   * @param {number | undefined} seat
   * @param {boolean} myTurn
   */
  #showBar(snapshot, seat, myTurn) {
    const { ply } = this.#replay;
    const { draft, draggedCell = "", draggedPieces, movable, sent } = this.#input;
    const position = draft.preview?.position ?? snapshot.position;
    const said = statusOf(snapshot, seat, {
      ply,
      sent: sent !== undefined,
      started: draft.started,
      canGoOn: (draft.answer?.next.length ?? 0) > 0,
      why: draft.guessed ? "" : strings.why(draft.answer),
      placing: this.#seats.tray.chosen !== "",
      canDrag: movable.size > 0,
      timeIsUp: this.#seats.timeIsUp,
      parked: isParked(snapshot, seat, this.#app.connection.time.now()),
    });
    this.#bar.show({
      ...said,
      myTurn,
      playing: seat !== undefined && !snapshot.result && snapshot.seats[seat]?.state === "in",
      replaying: ply !== undefined,
      dragsOneOfMany: (position[draggedCell] ?? "").length > 1 && draggedPieces === "",
    });
    const title = `${strings.gameName(snapshot.rules)}: ${strings.home.versus(snapshot.seats.map(({ user }) => strings.player(user)))}`;
    if (this.#heading.textContent !== title) fill(this.#heading, title);
    const now = statusOf(snapshot, seat, { ply: undefined }).status;
    this.#app.setTitle(`${now} ${title}`);
  }

  /** Draws an earlier board, as soon as it is loaded. */
  #showReplay() {
    const { shown } = this.#replay;
    this.#showStepper(undefined);
    if (shown === undefined) return;
    const highlights = new Highlights();
    highlights.lastMove(shown.lastMove);
    if (this.#threats.on) highlights.threatened(shown.board.threatened);
    const { position, winning } = shown.board;
    this.#board.show({ position, highlights: highlights.cells, path: shown.lastMove?.flights ?? [], winning });
  }

  /**
   * Draws the current board, or the board after the sketched move.
   * @param {Snapshot} snapshot
   * @param {BoardLayout} layout
   * @param {boolean} myTurn
   */
  #showCurrent(snapshot, layout, myTurn) {
    const highlights = new Highlights();
    const { active, draft, movable, draggedPieces, sent } = this.#input;
    const lastMove = sent === undefined ? this.#replay.at(snapshot.ply)?.lastMove : undefined;
    highlights.lastMove(lastMove);
    const preview = myTurn ? draft.preview : undefined;
    if (this.#threats.on) highlights.threatened((preview ?? snapshot).threatened);
    const { chosen } = this.#seats.tray;
    if (active && chosen !== "") highlights.places(draft.blank);
    else if (active && draft.answer !== undefined) highlights.sketch(draft.answer, layout.cells.length);
    this.#board.show({
      position: snapshot.position,
      preview: preview?.position,
      sent: sent !== undefined,
      highlights: highlights.cells,
      pickable: pickable(this.#input, chosen !== ""),
      movable,
      draggedPieces,
      path: draft.started || sent !== undefined ? [] : (lastMove?.flights ?? []),
      winning: snapshot.winning,
    });
    this.#showStepper(myTurn ? this.#stepper.draw(layout.letters) : undefined);
  }

  /**
   * Shows the control of an amount at its cell, or in the bar where the board is small.
   * @param {string | undefined} cell
   */
  #showStepper(cell) {
    const element = cell === undefined ? undefined : this.#stepper.element;
    const isSmall = holds(SMALL);
    this.#bar.setAmount(isSmall ? element : undefined);
    const source = this.#input.draft.answer?.from.find((each) => each.cell !== cell);
    this.#board.placeBeside(cell ?? "", isSmall ? undefined : element, source?.cell);
  }

  /**
   * @param {string} cell
   * @param {string} part
   * @param {boolean} other
   */
  #onPick(cell, part, other) {
    if (this.#replay.ply !== undefined || !this.#input.active) return this.#show();
    const { tray } = this.#seats;
    if (tray.chosen === "") return this.#input.pick(cell, part, other);
    const piece = tray.chosen;
    tray.clear();
    return this.#input.place(cell, piece);
  }

  /** The keys outside of fields. */
  #shortcuts() {
    const input = this.#input;
    const clear = () => {
      this.#seats.tray.clear();
      input.clear();
    };
    /** @type {ConstructorParameters<typeof Shortcuts>[0]} */
    const actions = {
      "+": () => input.changeAmount(1),
      "=": () => input.changeAmount(1),
      "-": () => input.changeAmount(-1),
      Escape: clear,
      u: () => input.undo(),
      Backspace: () => input.undo(),
      f: () => this.#flip.toggle(),
      t: () => this.#sync.snapshot?.threatened != null && void this.#threats.toggle(),
      m: () => this.#bar.toggleNotation(),
      "?": () => this.#keys.open(),
      Enter: ({ target }) => input.playable && !(target instanceof Element && target.closest("button, a")) && void input.play(),
    };
    const field = { leave: () => this.#board.takeFocus(), isEmpty: (/** @type {EventTarget | null} */ target) => this.#bar.isEmpty(target) };
    return new Shortcuts(actions, (key) => this.#replay.steps.onKey(key), field);
  }

  /**
   * Closes the menu after a choice that asks nothing more.
   * @param {Event} event
   */
  #onMenu({ target }) {
    const asks = this.#menu.querySelector(".confirm") !== null && !(target instanceof Element && target.closest(".danger"));
    if (!asks) this.#menu.hidePopover?.();
  }

  /** Goes to the analysis of the shown position. */
  #analyse() {
    const ply = this.#replay.ply ?? this.#sync.snapshot?.ply ?? 0;
    this.#app.navigate(`/analysis/game/${this.#sync.game}?ply=${ply}`);
  }
}
