// Who is how strong, and who somebody is: a table of players for each game, and a page for each user.

import { Refused } from "../net/pending.js";
import { html, refill } from "../ui/element.js";
import { reason } from "../ui/error_text.js";
import { words } from "../strings.js";
import { gameRow } from "./finished.js";

/** @import {GameEntry, PlayableGame, Standing, UserProfile} from "../wire.js" */
/** @import {App, View} from "../main.js" */

const say = words.people;

/** Finished games on one page of a user. */
const HISTORY_PAGE = 25;

/** @implements {View} */
export class StandingsPage {
  element = html("section", { class: "people" }, html("p", { class: "empty" }, words.loading));
  #app;
  #rules;
  #players;
  #stop;

  /**
   * @param {App} app
   * @param {string} rules
   * @param {number | undefined} players
   */
  constructor(app, rules, players) {
    this.#app = app;
    this.#rules = rules;
    this.#players = players;
    this.#stop = app.connection.on("welcome", () => this.#ask());
    if (app.connection.welcome !== undefined) this.#ask();
  }

  close() {
    this.#stop();
  }

  async #ask() {
    const { connection } = this.#app;
    try {
      const { games } = await connection.request({ type: "catalogue" });
      const first = games[0]?.rules ?? "";
      const rules = this.#rules === "" ? words.kind(first) : this.#rules;
      const game = games.find((each) => words.kind(each.rules) === rules);
      if (game === undefined) return this.#app.lose(words.lost.rules);
      const players = game.players.find((each) => each === this.#players);
      const list = await connection.request({ type: "standings", rules, players });
      this.#app.entitle(`${say.standings}: ${words.gameName(rules)}`);
      refill(
        this.element,
        html("h1", {}, say.standings),
        tabs(games, rules, list.players),
        list.standings.length > 0 ? table(list.standings) : html("p", { class: "empty" }, say.none),
      );
    } catch (error) {
      this.#app.say(reason(error));
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
    const kind = words.kind(game.rules);
    const here = kind === rules && number === players;
    const text = game.players.length > 1 ? `${words.gameName(kind)}, ${say.tables(number)}` : words.gameName(kind);
    const href = `/standings/${kind}#${number}`;
    return html("a", { href, class: "tab", "aria-current": here ? "page" : undefined }, text);
  };
  return html("nav", { class: "tabs" }, games.flatMap((game) => game.players.map((number) => link(game, number))));
}

/** @param {Standing[]} standings */
function table(standings) {
  const head = ["", say.player, say.rating, say.games, say.won, say.drawn, say.lost];
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
          html("td", {}, html("a", { href: `/user/${each.user}` }, each.user), each.bot && html("small", {}, ` ${words.game.bot}`)),
          html("td", {}, say.rated(each.rating, each.deviation), each.provisional && html("small", {}, ` ${say.provisional}`)),
          [each.games, each.wins, each.draws, each.losses].map((number) => html("td", {}, number)),
        ),
      ),
    ),
  );
}

/** @implements {View} */
export class UserPage {
  element = html("section", { class: "people" }, html("p", { class: "empty" }, words.loading));
  #app;
  #name;
  #stop;
  /** @type {GameEntry[]} */
  #games = [];

  /**
   * @param {App} app
   * @param {string} name
   */
  constructor(app, name) {
    this.#app = app;
    this.#name = name;
    app.entitle(name);
    this.#stop = app.connection.on("welcome", () => this.#ask());
    if (app.connection.welcome !== undefined) this.#ask();
  }

  close() {
    this.#stop();
  }

  async #ask() {
    try {
      const user = await this.#app.connection.request({ type: "user", name: this.#name });
      this.#games = [];
      await this.#page(user);
    } catch (error) {
      if (error instanceof Refused && error.failed.code === "not_found") this.#app.lose(words.lost.user(this.#name));
      else this.#app.say(reason(error));
    }
  }

  /**
   * Asks for one more page of finished games.
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
      user.bot && words.game.bot,
      user.guest && words.game.guest,
      user.owner != null && say.owner(user.owner),
      say.since(user.since),
      user.online && say.online,
    ];
    refill(
      this.element,
      html("h1", {}, user.user),
      html("p", { class: "lead" }, about.filter(Boolean).join(" · ")),
      user.user !== this.#app.connection.welcome?.user?.name &&
        html("p", {}, html("a", { class: "button", href: `/#challenge=${user.user}` }, say.challenge)),
      user.ratings.length > 0 &&
        html(
          "ul",
          { class: "rows" },
          user.ratings.map((pool) =>
            html(
              "li",
              {},
              html("span", { class: "what" }, words.gameName(pool.rules)),
              html("span", { class: "who" }, say.rated(pool.rating, pool.deviation)),
              html("span", { class: "about" }, `${say.tables(pool.players)} · ${say.won} ${pool.wins} · ${say.drawn} ${pool.draws} · ${say.lost} ${pool.losses}`),
            ),
          ),
        ),
      html("h2", {}, say.history),
      this.#games.length > 0
        ? html("ul", { class: "rows" }, this.#games.map(gameRow))
        : html("p", { class: "empty" }, say.noHistory),
      more && html("button", { class: "quiet", onclick: () => this.#page(user).catch(() => {}) }, say.more),
    );
  }
}
