// The result: who won and how, what it did to the rating, and what to do next.

import { loadCatalogue } from "../net/catalogue.js";
import { storage } from "../strings/storage.js";
import { strings } from "../strings/strings.js";
import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { LEVELS, saveLevel } from "../ui/house.js";
import { otherLevels, outcomeOf, ratingChange } from "./outcome.js";
import { shareMenu } from "./share.js";

/** @import {App} from "../app.js" */
/** @import {ChallengeClosed, Clock, GameId, HousePlayer, NewRequest, Snapshot} from "../wire.js" */
/** @import {GameSync} from "./game_sync.js" */

const t = strings.over;

export class ResultCard {
  element = html("section", { class: "result-card", "aria-label": t.heading, hidden: true });
  #app;
  #sync;
  #onStepThrough;
  #share;
  #content = html("div", { class: "result-content" });
  #waiting = html("p", { class: "soft", role: "status" });
  #error = html("p", { class: "error", role: "alert" });
  /** The server's own bots, weakest first, once they are known. @type {HousePlayer[] | undefined} */
  #house;

  /**
   * @param {App} app
   * @param {GameSync} sync
   * @param {{ onStepThrough: () => void, shownPly: () => number | undefined }} page what the page does, and the ply that
   *   it shows unless that is the last one
   */
  constructor(app, sync, { onStepThrough, shownPly }) {
    this.#app = app;
    this.#sync = sync;
    this.#onStepThrough = onStepThrough;
    this.#share = shareMenu(app, sync.game, shownPly);
    this.element.append(this.#content, this.#waiting, this.#error);
  }

  /**
   * @param {Snapshot} snapshot
   * @param {number | undefined} seat
   */
  show(snapshot, seat) {
    this.element.hidden = snapshot.result == null;
    if (snapshot.result == null) return;
    const outcome = outcomeOf(snapshot, seat);
    const users = snapshot.seats.map(({ user }) => strings.player(user));
    this.element.dataset["outcome"] = outcome.is;
    const { annulled = false } = snapshot;
    if (snapshot.rated && !annulled && this.#sync.rated === undefined) this.#sync.requestRated();
    const change = annulled ? undefined : ratingChange(this.#sync.rated, seat);
    update(
      this.#content,
      html("h2", { class: "outcome" }, t.verdict(outcome, users)),
      html("p", { class: "how" }, t.how(snapshot.result, outcome, users, seat)),
      annulled && html("p", { class: "how" }, t.annulled),
      change && html("p", { class: "rating-change" }, t.rating(change.before, change.after), " ", html("strong", { class: change.by < 0 ? "down" : "up" }, t.signed(change.by))),
      this.#asked(snapshot),
      html("div", { class: "next" }, this.#buttons(snapshot, seat, outcome.is)),
    );
  }

  /** Moves the focus to the first thing to do next. */
  takeFocus() {
    this.#content.querySelector("button")?.focus();
  }

  /**
   * Says that another player asks for a rematch.
   * @param {Snapshot} snapshot
   */
  #asked({ game }) {
    const asked = [...this.#app.games.challenges.values()].find((each) => each.rematch_of === game);
    return asked && html("p", { class: "offer" }, strings.game.wantsAgain(strings.player(asked.by)));
  }

  /**
   * @param {Snapshot} snapshot
   * @param {number | undefined} seat
   * @param {string} is
   */
  #buttons(snapshot, seat, is) {
    const [app, { ply }] = [this.#app, snapshot];
    const look = [
      ply > 0 && html("button", { class: "quiet", "data-key": "step", onclick: this.#onStepThrough }, t.stepThrough),
      html("a", { class: "button", "data-key": "analyse", href: `/analysis/game/${snapshot.game}?ply=${ply}` }, t.analyse),
      ply > 0 && snapshot.seats.length === 2 && html("a", { class: "button", "data-key": "computer", href: `/analysis/game/${snapshot.game}?ply=${ply}&computer` }, strings.analysis.computer.heading),
      this.#share,
    ];
    if (seat === undefined) return look;
    if (this.#house === undefined) this.#loadHouse();
    const { level, easier, harder } = otherLevels(snapshot, this.#house ?? []);
    const other = is === "lost" ? easier : harder;
    const run = (/** @type {() => Promise<Begun>} */ start) => () => this.#run(start);
    return [
      html("button", { class: "again", "data-key": "again", onclick: run(() => rematch(app, snapshot.game)) }, t.again),
      other && html("button", { class: "quiet", "data-key": "level", onclick: run(() => playLevel(app, snapshot, other)) }, is === "lost" ? t.easier : t.harder),
      level === undefined && html("button", { class: "quiet", "data-key": "new", onclick: run(() => newOpponent(app, snapshot)) }, t.newOpponent),
      ...look,
    ];
  }

  async #loadHouse() {
    this.#house = [];
    try {
      const { house = [] } = await loadCatalogue(this.#app.connection);
      this.#house = [...house].sort((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
    } catch {
      // There is a rematch at the same level.
      return;
    }
    const { snapshot } = this.#sync;
    if (snapshot !== undefined) this.show(snapshot, this.#sync.seat());
  }

  /** @param {() => Promise<Begun>} start */
  async #run(start) {
    fill(this.#error);
    fill(this.#waiting);
    try {
      const { waits, closed } = await start();
      if (!waits) return;
      fill(this.#waiting, t.waiting);
      if (closed === undefined) return;
      const { game } = await closed;
      // A message on every view says who has declined.
      if (game == null) fill(this.#waiting);
    } catch (error) {
      fill(this.#error, errorText(error));
    }
  }
}

/** @typedef {{ waits: boolean, closed?: Promise<ChallengeClosed> }} Begun whether the game waits for other players, and
 *   the end of a challenge to them */

/**
 * Sends a request that begins a game now or later, and shows that game when it begins.
 * @param {App} app
 * @param {NewRequest} request
 * @returns {Promise<Begun>}
 */
async function begin(app, request) {
  const { awaited } = app.games;
  awaited.add(request);
  try {
    const done = /** @type {{ game?: GameId, challenge?: string, seek?: string }} */ (await app.connection.request(request));
    const closed = app.games.closedChallenge(done.challenge ?? "");
    const next = done.game ?? closed?.game;
    if (next == null && closed === undefined) {
      // The game may have begun before this answer came.
      const waits = awaited.has(request);
      if (waits) awaited.add(done.challenge ?? done.seek);
      return done.challenge === undefined ? { waits } : { waits, closed: app.games.closing(done.challenge) };
    }
    if (next != null) app.navigate(`/game/${next}`);
    return { waits: false };
  } finally {
    awaited.delete(request);
  }
}

/**
 * Requests or accepts a rematch.
 * @param {App} app
 * @param {GameId} game
 */
function rematch(app, game) {
  return begin(app, { type: "rematch", game });
}

/**
 * Plays the same game against another level of the computer, which later games keep.
 * @param {App} app
 * @param {Snapshot} snapshot
 * @param {HousePlayer} opponent
 */
function playLevel(app, snapshot, opponent) {
  saveLevel(storage, opponent.level);
  const me = app.connection.welcome?.user?.name;
  const seats = snapshot.seats.map(({ user }) => (user === me ? user : opponent.user));
  return begin(app, { type: "challenge", ...settingsOf(snapshot), seats });
}

/**
 * Looks for somebody else to play the same game.
 * @param {App} app
 * @param {Snapshot} snapshot
 */
function newOpponent(app, snapshot) {
  return begin(app, { type: "seek", ...settingsOf(snapshot), players: snapshot.seats.length });
}

/** @param {Snapshot} snapshot */
function settingsOf({ rules, options, rated, clock }) {
  const { left_ms: _left, running: _running, since: _since, ...control } = clock;
  return { rules, options, rated, clock: /** @type {Clock} */ (control) };
}
