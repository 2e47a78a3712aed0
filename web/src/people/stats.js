// The statistics of each game: results, lengths and openings.

import { loadCatalogue } from "../net/catalogue.js";
import { html, svg, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { gameTabs, readHash, whoTabs } from "./list_tabs.js";

/** @import {GameStats, LengthCounts, OpeningCount} from "../wire.js" */
/** @import {App, View} from "../app.js" */

const t = strings.stats;

/** Whose games are counted. */
const WHO = /** @type {const} */ (["everyone", "people", "bots", "mixed"]);

/** The chart's height and the width of a bar with its gap, in units of the drawing. */
const CHART_HEIGHT = 100;
const BAR = 12;

/** @implements {View} */
export class StatsPage {
  element = html("section", { class: "users-page stats-page" }, html("p", { class: "empty" }, strings.loading));
  #app;
  #rules;
  #chosen;
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} rules
   * @param {string} hash of the address: the number of players, and whose games are counted
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
      const rules = this.#rules === "" ? strings.kind(games[0]?.rules ?? "") : this.#rules;
      const game = games.find((each) => strings.kind(each.rules) === rules);
      if (game === undefined) return this.#app.showNotFound(strings.notFound.rules);
      const { who } = this.#chosen;
      const players = game.players.find((each) => each === this.#chosen.players);
      const opponents = who === "everyone" ? undefined : who;
      const stats = await connection.request({ type: "stats", rules, players, opponents });
      const shown = /** @type {const} */ ({ view: "stats", rules, players: stats.players, who });
      this.#app.setTitle(`${t.title}: ${strings.gameName(rules)}`);
      update(
        this.element,
        html("h1", {}, t.title),
        gameTabs(shown, games),
        whoTabs(shown, t.whose, t.who),
        html("p", {}, html("a", { href: `/standings/${rules}#${stats.players}` }, strings.users.standings)),
        stats.games + stats.aborted > 0 ? counts(stats) : html("p", { class: "empty" }, t.none),
      );
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
    return undefined;
  }
}

/** @param {GameStats} stats */
function counts(stats) {
  const { games, aborted, wins, draws, reasons, length, openings } = stats;
  const results = [...wins.map((won, seat) => /** @type {[string, number]} */ ([t.wonBy(seat + 1), won])), /** @type {[string, number]} */ ([t.drawn, draws])];
  return html(
    "div",
    { class: "stats" },
    html("p", { class: "lead" }, t.games(games, aborted)),
    section(t.results, table([t.result, t.count, t.share], results.map(([text, number]) => [text, number, t.percent(number, games)]))),
    section(t.ends, table([t.end, t.count, t.share], reasons.map(({ reason, games: number }) => [t.reasons[reason] ?? reason, number, t.percent(number, games)]))),
    length !== undefined && section(t.lengths, html("p", {}, t.median(length.median, length.lower_quartile, length.upper_quartile)), chart(length)),
    openings.length > 0 && section(t.openings, ...openingTables(openings), html("p", { class: "soft" }, t.openingsAbout)),
  );
}

/**
 * @param {string} heading
 * @param {...Element} content
 */
function section(heading, ...content) {
  return html("section", {}, html("h2", {}, heading), content);
}

/**
 * @param {string[]} head
 * @param {(string | number)[][]} rows
 */
function table(head, rows) {
  return html(
    "table",
    {},
    html("thead", {}, html("tr", {}, head.map((text) => html("th", { scope: "col" }, text)))),
    html("tbody", {}, rows.map((row) => html("tr", {}, row.map((cell) => html("td", {}, cell))))),
  );
}

/**
 * A table for the first moves, one for the first two, and so on.
 * @param {OpeningCount[]} openings
 */
function openingTables(openings) {
  const shares = (/** @type {OpeningCount} */ { games, wins }) => wins.map((won) => t.percent(won, games)).join(" · ");
  const numbers = [...new Set(openings.map(({ moves }) => moves.length))];
  return numbers.map((number) => {
    const rows = openings.filter(({ moves }) => moves.length === number);
    return table([t.firstMoves(number), t.count, t.wonBySeat, t.drawn], rows.map((each) => [each.moves.join(" "), each.games, shares(each), t.percent(each.draws, each.games)]));
  });
}

/**
 * Draws the lengths as bars. The sentence before it says the same to those who do not see it.
 * @param {LengthCounts} length
 */
function chart({ bars, bar_width: width, longest }) {
  const most = Math.max(1, ...bars);
  const drawing = svg("svg", { class: "length-chart", viewBox: `0 0 ${bars.length * BAR} ${CHART_HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": t.chart(longest) });
  bars.forEach((games, index) => {
    const height = (games / most) * CHART_HEIGHT;
    const bar = svg("rect", { x: index * BAR + 1, y: CHART_HEIGHT - height, width: BAR - 2, height });
    const title = svg("title");
    title.textContent = t.bar(index * width, (index + 1) * width - 1, games);
    bar.append(title);
    drawing.append(bar);
  });
  const last = bars.length * width - 1;
  return html("figure", {}, drawing, html("figcaption", {}, html("span", {}, 0), html("span", {}, t.axis), html("span", {}, last)));
}
