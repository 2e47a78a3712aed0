// The standings of each game.

import { loadCatalogue } from "../net/catalogue.js";
import { html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";

/** @import {PlayableGame, Standing} from "../wire.js" */
/** @import {App, View} from "../app.js" */

const t = strings.users;

/** Whose places the standings show; the address names all but the first. */
const WHO = /** @type {const} */ (["everyone", "people", "bots"]);

/** @typedef {typeof WHO[number]} Who */

/** @implements {View} */
export class StandingsPage {
  element = html("section", { class: "users-page" }, html("p", { class: "empty" }, strings.loading));
  #app;
  #rules;
  #players;
  /** @type {Who} */
  #who;
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} rules
   * @param {string} hash of the address: the number of players, and who is listed
   */
  constructor(app, rules, hash) {
    this.#app = app;
    this.#rules = rules;
    const [players, who] = hash.slice(1).split(",");
    this.#players = Number(players);
    this.#who = WHO.find((each) => each === who) ?? "everyone";
    this.#unsubscribe = app.connection.on("welcome", () => this.#load());
    if (app.connection.welcome !== undefined) this.#load();
  }

  close() {
    this.#unsubscribe();
  }

  async #load() {
    const { connection } = this.#app;
    try {
      const { games } = await loadCatalogue(connection);
      const first = games[0]?.rules ?? "";
      const rules = this.#rules === "" ? strings.kind(first) : this.#rules;
      const game = games.find((each) => strings.kind(each.rules) === rules);
      if (game === undefined) return this.#app.showNotFound(strings.notFound.rules);
      const players = game.players.find((each) => each === this.#players);
      const bot = this.#who === "everyone" ? undefined : this.#who === "bots";
      const list = await connection.request({ type: "standings", rules, players, bot });
      this.#app.setTitle(`${t.standings}: ${strings.gameName(rules)}`);
      update(
        this.element,
        html("h1", {}, t.standings),
        gameTabs(games, rules, list.players, this.#who),
        whoTabs(rules, list.players, this.#who),
        html("p", {}, html("a", { href: `/bots/${rules}` }, strings.bots.title)),
        list.standings.length > 0 ? table(list.standings) : html("p", { class: "empty" }, t.none[this.#who]),
      );
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
    return undefined;
  }
}

/**
 * @param {string} kind
 * @param {number} players
 * @param {Who} who
 */
function address(kind, players, who) {
  return `/standings/${kind}#${players}${who === "everyone" ? "" : `,${who}`}`;
}

/**
 * @param {string} href
 * @param {boolean} isHere
 * @param {string} text
 */
function tab(href, isHere, text) {
  return html("a", { href, class: "tab", "aria-current": isHere ? "page" : undefined }, text);
}

/**
 * @param {string} rules
 * @param {number} players
 * @param {Who} who
 */
function whoTabs(rules, players, who) {
  return html("nav", { class: "tabs", "aria-label": t.whose }, WHO.map((each) => tab(address(rules, players, each), each === who, t.who[each])));
}

/**
 * @param {PlayableGame[]} games
 * @param {string} rules
 * @param {number} players
 * @param {Who} who
 */
function gameTabs(games, rules, players, who) {
  const link = (/** @type {PlayableGame} */ game, /** @type {number} */ number) => {
    const kind = strings.kind(game.rules);
    const here = kind === rules && number === players;
    const text = game.players.length > 1 ? `${strings.gameName(kind)}, ${t.tables(number)}` : strings.gameName(kind);
    return tab(address(kind, number, who), here, text);
  };
  return html("nav", { class: "tabs", "aria-label": strings.rules.games }, games.flatMap((game) => game.players.map((number) => link(game, number))));
}

/** @param {Standing[]} standings */
function table(standings) {
  const head = [t.place, t.player, t.rating, t.games, t.won, t.drawn, t.lost];
  return html(
    "table",
    { class: "standings" },
    html("thead", {}, html("tr", {}, head.map((text) => html("th", { scope: "col" }, text)))),
    html(
      "tbody",
      {},
      standings.map((each) =>
        html(
          "tr",
          {},
          html("td", {}, each.place),
          html("td", {}, html("a", { href: `/user/${each.user}` }, strings.player(each.user)), each.bot && html("small", {}, ` ${strings.game.bot}`)),
          html("td", {}, t.rated(each.rating, each.deviation), each.provisional && html("small", {}, ` ${t.provisional}`)),
          [each.games, each.wins, each.draws, each.losses].map((number) => html("td", {}, number)),
        ),
      ),
    ),
  );
}
