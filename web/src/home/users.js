// Standings of each game, and a page for each user.

import { RequestError } from "../net/pending.js";
import { html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { gameRow } from "./finished.js";

/** @import {GameEntry, PlayableGame, Standing, UserProfile} from "../wire.js" */
/** @import {App, View} from "../app.js" */

const t = strings.users;

/** Finished games on one page of a user. */
const HISTORY_PAGE = 25;

/** @implements {View} */
export class StandingsPage {
  element = html("section", { class: "users-page" }, html("p", { class: "empty" }, strings.loading));
  #app;
  #rules;
  #players;
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} rules
   * @param {number | undefined} players
   */
  constructor(app, rules, players) {
    this.#app = app;
    this.#rules = rules;
    this.#players = players;
    this.#unsubscribe = app.connection.on("welcome", () => this.#load());
    if (app.connection.welcome !== undefined) this.#load();
  }

  close() {
    this.#unsubscribe();
  }

  async #load() {
    const { connection } = this.#app;
    try {
      const { games } = await connection.request({ type: "catalogue" });
      const first = games[0]?.rules ?? "";
      const rules = this.#rules === "" ? strings.kind(first) : this.#rules;
      const game = games.find((each) => strings.kind(each.rules) === rules);
      if (game === undefined) return this.#app.showNotFound(strings.notFound.rules);
      const players = game.players.find((each) => each === this.#players);
      const list = await connection.request({ type: "standings", rules, players });
      this.#app.setTitle(`${t.standings}: ${strings.gameName(rules)}`);
      update(
        this.element,
        html("h1", {}, t.standings),
        tabs(games, rules, list.players),
        list.standings.length > 0 ? table(list.standings) : html("p", { class: "empty" }, t.none),
      );
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
    return undefined;
  }
}

/**
 * @param {PlayableGame[]} games
 * @param {string} rules
 * @param {number} players
 */
function tabs(games, rules, players) {
  const link = (/** @type {PlayableGame} */ game, /** @type {number} */ number) => {
    const kind = strings.kind(game.rules);
    const here = kind === rules && number === players;
    const text = game.players.length > 1 ? `${strings.gameName(kind)}, ${t.tables(number)}` : strings.gameName(kind);
    const href = `/standings/${kind}#${number}`;
    return html("a", { href, class: "tab", "aria-current": here ? "page" : undefined }, text);
  };
  return html("nav", { class: "tabs" }, games.flatMap((game) => game.players.map((number) => link(game, number))));
}

/** @param {Standing[]} standings */
function table(standings) {
  const head = ["", t.player, t.rating, t.games, t.won, t.drawn, t.lost];
  return html(
    "table",
    {},
    html("thead", {}, html("tr", {}, head.map((text) => html("th", { scope: "col" }, text)))),
    html(
      "tbody",
      {},
      standings.map((each) =>
        html(
          "tr",
          {},
          html("td", {}, each.place),
          html("td", {}, html("a", { href: `/user/${each.user}` }, each.user), each.bot && html("small", {}, ` ${strings.game.bot}`)),
          html("td", {}, t.rated(each.rating, each.deviation), each.provisional && html("small", {}, ` ${t.provisional}`)),
          [each.games, each.wins, each.draws, each.losses].map((number) => html("td", {}, number)),
        ),
      ),
    ),
  );
}

/** @implements {View} */
export class UserPage {
  element = html("section", { class: "users-page" }, html("p", { class: "empty" }, strings.loading));
  #app;
  #name;
  #unsubscribe;
  /** @type {GameEntry[]} */
  #games = [];

  /**
   * @param {App} app
   * @param {string} name
   */
  constructor(app, name) {
    this.#app = app;
    this.#name = name;
    app.setTitle(name);
    this.#unsubscribe = app.connection.on("welcome", () => this.#load());
    if (app.connection.welcome !== undefined) this.#load();
  }

  close() {
    this.#unsubscribe();
  }

  async #load() {
    try {
      const user = await this.#app.connection.request({ type: "user", name: this.#name });
      this.#games = [];
      await this.#page(user);
    } catch (error) {
      if (error instanceof RequestError && error.failed.code === "not_found") this.#app.showNotFound(strings.notFound.user(this.#name));
      else this.#app.showToast(errorText(error));
    }
  }

  /**
   * Requests one more page of finished games.
   * @param {UserProfile} user
   */
  async #page(user) {
    const before = this.#games.at(-1)?.game;
    const history = await this.#app.connection.request({
      type: "history",
      user: user.user,
      limit: HISTORY_PAGE,
      before,
    });
    this.#games.push(...history.games);
    this.#draw(user, history.more);
  }

  /**
   * @param {UserProfile} user
   * @param {boolean} more
   */
  #draw(user, more) {
    const about = [
      user.bot && strings.game.bot,
      user.guest && strings.game.guest,
      user.owner != null && t.owner(user.owner),
      t.since(user.since),
      user.online && t.online,
    ];
    update(
      this.element,
      html("h1", {}, user.user),
      html("p", { class: "lead" }, about.filter(Boolean).join(" · ")),
      user.user !== this.#app.connection.welcome?.user?.name &&
        html("p", {}, html("a", { class: "button", href: `/#challenge=${user.user}` }, t.challenge)),
      user.ratings.length > 0 &&
        html(
          "ul",
          { class: "rows" },
          user.ratings.map((pool) =>
            html(
              "li",
              {},
              html("span", { class: "what" }, strings.gameName(pool.rules)),
              html("span", { class: "who" }, t.rated(pool.rating, pool.deviation)),
              html("span", { class: "about" }, `${t.tables(pool.players)} · ${t.won} ${pool.wins} · ${t.drawn} ${pool.draws} · ${t.lost} ${pool.losses}`),
            ),
          ),
        ),
      html("h2", {}, t.history),
      this.#games.length > 0
        ? html("ul", { class: "rows" }, this.#games.map(gameRow))
        : html("p", { class: "empty" }, t.noHistory),
      more && html("button", { class: "quiet", onclick: () => this.#page(user).catch(() => {}) }, t.more),
    );
  }
}
