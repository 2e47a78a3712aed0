// The bots that accept challenges: everybody's, and the server's own.

import { loadCatalogue } from "../net/catalogue.js";
import { html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { loadingLine } from "../ui/loading.js";
import { strings } from "../strings/strings.js";
import { SetUp } from "../set_up/set_up.js";

/** @import {DirectoryEntry, PlayableGame} from "../wire.js" */
/** @import {App, View} from "../app.js" */

const t = strings.bots;

/** Time between two readings of the list while the view is shown. */
const RELOAD_MS = 15_000;

/** @implements {View} */
export class BotsPage {
  element = html("section", { class: "users-page bots-page" }, loadingLine());
  #app;
  #rules;
  #setUp;
  #unsubscribe;
  #timer;
  #isReading = false;
  #isClosed = false;

  /**
   * @param {App} app
   * @param {string} rules
   */
  constructor(app, rules) {
    this.#app = app;
    this.#rules = rules;
    this.#setUp = new SetUp(app, () => app.showToast(strings.users.challenged));
    this.#unsubscribe = app.connection.onSession(() => this.#load());
    this.#timer = setInterval(() => this.#reload(), RELOAD_MS);
  }

  close() {
    this.#isClosed = true;
    this.#unsubscribe();
    clearInterval(this.#timer);
  }

  /** Reads the list again if the page is visible. */
  #reload() {
    if (!document.hidden && this.#app.connection.welcome !== undefined) this.#load();
  }

  async #load() {
    if (this.#isReading) return undefined;
    this.#isReading = true;
    const { connection } = this.#app;
    try {
      const { games, house } = await loadCatalogue(connection);
      const isGame = games.some((game) => strings.kind(game.rules) === this.#rules);
      if (this.#rules !== "" && !isGame) return this.#app.showNotFound(strings.notFound.rules);
      const rules = this.#rules === "" ? undefined : this.#rules;
      const { bots } = await connection.request({ type: "directory", rules });
      if (this.#isClosed) return undefined;
      this.#setUp.setCatalogue(games, house ?? []);
      this.#app.setTitle(t.title);
      const me = connection.welcome?.user?.name;
      const levels = (house ?? []).map(({ user }) => user);
      const others = bots.filter((bot) => bot.user !== me).sort((a, b) => place(levels, a) - place(levels, b));
      update(
        this.element,
        html("h1", {}, t.title),
        html("p", { class: "lead" }, t.lead),
        this.#tabs(games),
        others.length > 0
          ? html("ul", { class: "bots" }, others.map((bot) => this.#row(bot)))
          : html("p", { class: "empty" }, t.none),
        this.#setUp.element,
      );
    } catch (error) {
      this.#app.showToast(errorText(error));
    } finally {
      this.#isReading = false;
    }
    return undefined;
  }

  /** @param {PlayableGame[]} games */
  #tabs(games) {
    const link = (/** @type {string} */ rules, /** @type {string} */ text) =>
      html("a", { href: rules === "" ? "/bots" : `/bots/${rules}`, class: "tab", "aria-current": rules === this.#rules ? "page" : undefined }, text);
    const kinds = games.map(({ rules }) => strings.kind(rules));
    return html("nav", { class: "tabs", "aria-label": strings.rules.games }, link("", t.all), kinds.map((kind) => link(kind, strings.gameName(kind))));
  }

  /** @param {DirectoryEntry} bot */
  #row(bot) {
    const { user, free, accepts } = bot;
    const isBusy = free === 0;
    const about = [
      bot.level !== undefined && t.ofServer,
      bot.owner !== undefined && strings.users.owner(bot.owner),
      bot.guest === true && strings.game.guest,
      ...ratings(bot, this.#rules),
    ];
    const challenge = html(
      "button",
      { class: "challenge", "aria-label": t.challenge(strings.player(user)), onclick: () => this.#challenge(bot) },
      strings.users.challenge,
    );
    return html(
      "li",
      { class: "card" },
      html("h2", {}, html("a", { href: `/user/${user}` }, strings.player(user))),
      html("p", { class: "soft" }, about.filter(Boolean).join(" · ")),
      html("p", { class: "accepts" }, acceptance(accepts)),
      html("p", { class: "free" }, isBusy ? t.busy : free === undefined ? "" : t.free(free)),
      challenge,
    );
  }

  /** @param {DirectoryEntry} bot */
  #challenge({ user, accepts }) {
    const first = accepts.games?.[0]?.rules;
    const rules = this.#rules !== "" ? this.#rules : first === undefined ? undefined : strings.kind(first);
    this.#setUp.open({ against: "friend", name: user, rules });
  }
}

/**
 * Where a bot stands: those of the server first, from easy to hard, then the others by name.
 * @param {string[]} levels
 * @param {DirectoryEntry} bot
 */
function place(levels, { user }) {
  const level = levels.indexOf(user);
  return level < 0 ? levels.length : level;
}

/**
 * The ratings of a bot in the game that is shown, or in all.
 * @param {DirectoryEntry} bot
 * @param {string} rules
 */
function ratings({ ratings: all = {} }, rules) {
  const shown = Object.entries(all).filter(([pool]) => rules === "" || pool.startsWith(`${rules}/`));
  return shown.map(([pool, rating]) => {
    const [kind = "", players = ""] = pool.split("/");
    const game = players === "2" ? strings.gameName(kind) : `${strings.gameName(kind)}, ${strings.users.tables(Number(players))}`;
    return `${game} ${rating}`;
  });
}

/**
 * What a bot accepts, in words.
 * @param {DirectoryEntry["accepts"]} accepts
 */
function acceptance({ games = [], clocks = [], pace, rated, rating, allow, default_options }) {
  const named = games.map(({ rules, players }) =>
    players === undefined ? strings.gameName(strings.kind(rules)) : `${strings.gameName(strings.kind(rules))} (${strings.users.tables(players)})`,
  );
  const parts = [
    named.length > 0 && named.join(", "),
    clocks.length > 0 && clocks.map((mode) => t.clocks[mode] ?? mode).join(", "),
    pace?.min_ms !== undefined && t.paceMin(pace.min_ms),
    pace?.max_ms !== undefined && t.paceMax(pace.max_ms),
    rated !== undefined && (rated ? t.onlyRated : t.onlyCasual),
    rating !== undefined && t.ratings(rating.min, rating.max),
    allow.bots === false && t.noBots,
    allow.guests === false && t.noGuests,
    default_options === true && t.defaultOptions,
  ].filter((part) => part !== false);
  return parts.length > 0 ? t.accepts(parts.join(" · ")) : t.everything;
}
