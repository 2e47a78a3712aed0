// A page for each user: ratings, the games that the user plays now, and finished games.

import { loadCatalogue } from "../net/catalogue.js";
import { RequestError } from "../net/pending.js";
import { SetUp } from "../set_up/set_up.js";
import { strings } from "../strings/strings.js";
import { html, svg, update } from "../ui/element.js";
import { emblem } from "../ui/emblems.js";
import { errorText } from "../ui/error_text.js";
import { loadingLine } from "../ui/loading.js";
import { WatchedGame } from "../watch/watched_game.js";
import { FinishedList, GameFilters } from "./finished_games.js";
import { seatIn } from "../game/outcome.js";
import { openReport } from "../game/report.js";

/** @import {App, View} from "../app.js" */
/** @import {GameEntry, PoolRating, UserProfile} from "../wire.js" */

const t = strings.users;

/** @implements {View} */
export class UserPage {
  element = html("section", { class: "users-page profile" }, loadingLine());
  #app;
  #name;
  #current;
  #filters;
  #finished;
  #setUp;
  /** @type {UserProfile | undefined} */
  #user;
  /** The last finished games of each kind in which the user has a rating, the newest first. @type {Map<string, GameEntry[]>} */
  #rated = new Map();
  /** Whether the reader has blocked the user; `undefined` if the reader cannot. @type {boolean | undefined} */
  #isBlocked;
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} name
   * @param {string} hash of the address
   */
  constructor(app, name, hash) {
    this.#app = app;
    this.#name = name;
    this.#current = new CurrentGames(app, name);
    this.#finished = new FinishedList(app);
    this.#filters = new GameFilters(hash, name, () => this.#finished.show(this.#filters.filter));
    this.#setUp = new SetUp(app, () => app.showToast(t.challenged));
    app.setTitle(strings.player(name));
    this.#unsubscribe = app.connection.onSession(() => this.#load());
  }

  close() {
    this.#unsubscribe();
    this.#current.close();
  }

  async #load() {
    const { connection } = this.#app;
    try {
      this.#user = await connection.request({ type: "user", name: this.#name });
      this.#app.setTitle(strings.player(this.#user.user));
      this.#isBlocked = await this.#hasBlocked();
      this.#draw();
      await Promise.all([this.#current.load(), this.#finished.show(this.#filters.filter), this.#loadRated(this.#user)]);
    } catch (error) {
      if (error instanceof RequestError && error.failed.code === "not_found") this.#app.showNotFound(strings.notFound.user(this.#name));
      else this.#app.showToast(errorText(error));
    }
  }

  /**
   * Requests the games that the curves of the ratings are made of.
   * @param {UserProfile} profile
   */
  async #loadRated({ user, ratings }) {
    const load = async (/** @type {string} */ kind) => {
      const { games } = await this.#app.connection.request({ type: "history", user, rules: kind });
      this.#rated.set(kind, games);
    };
    await Promise.all([...new Set(ratings.map(({ rules }) => strings.kind(rules)))].map(load));
    this.#draw();
  }

  /** Whether the user is somebody else than the reader. */
  get #isOther() {
    return this.#user?.user !== this.#app.connection.welcome?.user?.name;
  }

  async #hasBlocked() {
    const { connection } = this.#app;
    const name = this.#user?.user ?? "";
    if (connection.welcome?.user == null || !this.#isOther || strings.game.isComputer(name)) return undefined;
    const { users } = await connection.request({ type: "blocks" });
    return users.includes(name);
  }

  #draw() {
    const user = this.#user;
    if (user === undefined) return;
    const about = [
      user.bot && strings.game.bot,
      user.guest && strings.game.guest,
      user.owner != null && t.owner(user.owner),
      t.since(user.since),
      user.online && t.online,
    ];
    update(
      this.element,
      html("h1", {}, strings.player(user.user)),
      html("p", { class: "lead" }, about.filter(Boolean).join(" · ")),
      html("div", { class: "profile-actions" }, this.#actions(user)),
      user.ratings.length > 0 && html("ul", { class: "ratings" }, user.ratings.map((pool) => ratingCard(pool, this.#course(pool)))),
      this.#current.element,
      html("section", { class: "history" }, html("h2", {}, t.history), this.#filters.element, this.#finished.element),
      this.#setUp.element,
    );
  }

  /**
   * Returns the ratings before and after each of the last games, as far as they are known.
   * @param {PoolRating} pool
   */
  #course({ rules, players }) {
    const games = this.#rated.get(strings.kind(rules)) ?? [];
    const name = this.#user?.user;
    /** @type {number[]} */
    const course = [];
    for (const entry of [...games].reverse()) {
      const { seats, ratings } = entry;
      const seat = seatIn(entry, name);
      const [before, after] = [ratings?.before[seat], ratings?.after[seat]];
      if (seats.length !== players || before == null || after == null) continue;
      if (course.length === 0) course.push(before);
      course.push(after);
    }
    return course;
  }

  /** @param {UserProfile} user */
  #actions({ user }) {
    const challenge = html("button", { class: "challenge", onclick: () => this.#challenge(user) }, t.challenge);
    const block = html("button", { class: "quiet", onclick: () => this.#block(user) }, this.#isBlocked === true ? t.unblock : t.block);
    const report = html("button", { class: "quiet", onclick: () => openReport(this.#app, [user]) }, strings.report.button);
    // The type tells the page that this is not one of its views.
    const feed = html("a", { class: "feed", href: `/user/${user}/feed.atom`, type: "application/atom+xml", title: t.feedAbout }, t.feed);
    return [this.#isOther && challenge, this.#isBlocked !== undefined && block, this.#isBlocked !== undefined && report, feed];
  }

  /** @param {string} name */
  async #challenge(name) {
    try {
      const { games, house } = await loadCatalogue(this.#app.connection);
      this.#setUp.setCatalogue(games, house ?? []);
      this.#setUp.open({ against: "friend", name });
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
  }

  /** @param {string} user */
  async #block(user) {
    try {
      await this.#app.connection.request({ type: this.#isBlocked === true ? "unblock" : "block", user });
      this.#isBlocked = this.#isBlocked !== true;
      this.#app.showToast(this.#isBlocked ? strings.people.blockedMeans : strings.people.saved);
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
    this.#draw();
  }
}

/**
 * @param {PoolRating} pool
 * @param {number[]} course
 */
function ratingCard({ rules, players, place, rating, deviation, provisional, games, wins, draws, losses }, course) {
  const kind = strings.kind(rules);
  const name = players > 2 ? `${strings.gameName(rules)}, ${t.tables(players)}` : strings.gameName(rules);
  return html(
    "li",
    { class: "card" },
    emblem(kind),
    html("h2", {}, html("a", { href: `/standings/${kind}#${players}` }, name)),
    html("p", { class: "rating" }, t.rated(rating, deviation), html("small", {}, provisional === true ? t.provisional : t.placed(place))),
    html("p", { class: "soft" }, t.record(games, wins, draws, losses)),
    course.length > 1 && curve(course),
  );
}

/** The size of a curve, in units of the drawing. */
const CURVE = { width: 100, height: 30 };

/**
 * Draws how a rating went.
 * @param {number[]} course
 */
function curve(course) {
  const [least, most] = [Math.min(...course), Math.max(...course)];
  const { width, height } = CURVE;
  const points = course.map((rating, index) => {
    const x = (index / (course.length - 1)) * width;
    const y = height - ((rating - least) / Math.max(1, most - least)) * height;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const label = t.course(course.length - 1, course[0] ?? 0, course.at(-1) ?? 0);
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label });
  drawing.append(svg("polyline", { points: points.join(" ") }));
  return html("figure", { class: "curve", title: label }, drawing, html("figcaption", {}, html("span", {}, most), html("span", {}, least)));
}

/** The largest number of boards. */
const SHOWN_MAX = 6;

/** How often the list is requested, in milliseconds. */
const EVERY_MS = 15_000;

/** The live games of one player as boards. */
class CurrentGames {
  element = html("section", { class: "current-games", hidden: true });
  #app;
  #user;
  /** The boards, also of games that have ended meanwhile. @type {Map<string, { watched: WatchedGame, element: Element }>} */
  #boards = new Map();
  #timer;

  /**
   * @param {App} app
   * @param {string} user
   */
  constructor(app, user) {
    this.#app = app;
    this.#user = user;
    this.#timer = setInterval(() => {
      if (document.visibilityState === "visible") this.load();
    }, EVERY_MS);
  }

  close() {
    clearInterval(this.#timer);
    for (const { watched } of this.#boards.values()) watched.close();
  }

  async load() {
    try {
      const { games } = await this.#app.connection.request({ type: "games", user: this.#user, state: "live", limit: SHOWN_MAX });
      for (const entry of games) {
        if (this.#boards.size >= SHOWN_MAX || this.#boards.has(entry.game)) continue;
        const watched = new WatchedGame(this.#app, entry);
        const link = html("a", { class: "mini-board", href: `/game/${entry.game}` }, ...watched.content);
        this.#boards.set(entry.game, { watched, element: html("li", { "data-key": entry.game }, link) });
      }
    } catch {
      // The timer requests it again.
    }
    const boards = [...this.#boards.values()];
    this.element.hidden = boards.length === 0;
    update(this.element, html("h2", {}, t.current), html("ul", { class: "mini-boards" }, boards.map(({ element }) => element)));
  }
}
