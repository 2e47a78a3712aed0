// The standings of each game.

import { loadCatalogue } from "../net/catalogue.js";
import { html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { gameTabs, readHash, whoTabs } from "./list_tabs.js";

/** @import {Standing} from "../wire.js" */
/** @import {App, View} from "../app.js" */

const t = strings.users;

/** Whose places the standings show. */
const WHO = /** @type {const} */ (["everyone", "people", "bots"]);

/** @implements {View} */
export class StandingsPage {
  element = html("section", { class: "users-page" }, html("p", { class: "empty" }, strings.loading));
  #app;
  #rules;
  #chosen;
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} rules
   * @param {string} hash of the address: the number of players, and who is listed
   */
  constructor(app, rules, hash) {
    this.#app = app;
    this.#rules = rules;
    this.#chosen = readHash(hash, WHO);
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
      const { who } = this.#chosen;
      const players = game.players.find((each) => each === this.#chosen.players);
      const bot = who === "everyone" ? undefined : who === "bots";
      const list = await connection.request({ type: "standings", rules, players, bot });
      const shown = /** @type {const} */ ({ view: "standings", rules, players: list.players, who });
      this.#app.setTitle(`${t.standings}: ${strings.gameName(rules)}`);
      update(
        this.element,
        html("h1", {}, t.standings),
        gameTabs(shown, games),
        whoTabs(shown, t.whose, t.who),
        html("p", { class: "ways" }, html("a", { href: `/bots/${rules}` }, strings.bots.title), html("a", { href: `/stats/${rules}#${list.players}` }, strings.stats.title)),
        list.standings.length > 0 ? table(list.standings) : html("p", { class: "empty" }, t.none[who]),
      );
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
    return undefined;
  }
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
