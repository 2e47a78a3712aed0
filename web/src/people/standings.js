// The standings and the statistics of each game and number of players: of everyone, people or bots. The
// address holds what is chosen: `/standings/hexma#2,bots`.

import { loadCatalogue } from "../net/catalogue.js";
import { RequestError } from "../net/pending.js";
import { strings } from "../strings/strings.js";
import { html, svg, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { loadingLine } from "../ui/loading.js";

/** @import {App, View} from "../app.js" */
/** @import {GameStats, LengthCounts, OpeningCount, PlayableGame, Standing} from "../wire.js" */

const t = strings.users;
const texts = strings.stats;

/** Whose places the standings show. */
const LISTED = /** @type {const} */ (["everyone", "people", "bots"]);

/** Whose games are counted. */
const COUNTED = /** @type {const} */ (["everyone", "people", "bots", "mixed"]);

/** The chart's height and the width of a bar with its gap, in units of the drawing. */
const CHART_HEIGHT = 100;
const BAR = 12;

/**
 * A view of each game and number of players.
 * @template {string} Who
 * @implements {View}
 */
class PoolPage {
  element;
  #app;
  #rules;
  #chosen;
  #content;
  #first;
  /** What it shows without a game in the address. @type {Players | undefined} */
  #found;
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} rules the game, or the first one if empty
   * @param {{ players: number, who: Who }} chosen
   * @param {string} name of its class
   * @param {(pool: Pool<Who>) => Promise<HTMLElement[]>} content requests and draws what it shows
   * @param {(games: PlayableGame[]) => Promise<Players>} [first] which it shows if the address names no game
   */
  constructor(app, rules, chosen, name, content, first = async ([game]) => ({ rules: game?.rules ?? "", players: game?.players[0] })) {
    this.element = html("section", { class: name }, loadingLine());
    this.#app = app;
    this.#rules = rules;
    this.#chosen = chosen;
    this.#content = content;
    this.#first = first;
    this.#unsubscribe = app.connection.onSession(() => this.#load());
  }

  close() {
    this.#unsubscribe();
  }

  async #load() {
    try {
      const { games } = await loadCatalogue(this.#app.connection);
      if (this.#rules === "") this.#found ??= await this.#first(games);
      const { rules, players: found } = this.#found ?? { rules: this.#rules, players: undefined };
      const { players: wanted, who } = this.#chosen;
      const game = games.find((each) => strings.kind(each.rules) === strings.kind(rules));
      if (game === undefined) return this.#app.showNotFound(strings.notFound.rules);
      const players = game.players.find((each) => each === wanted) ?? found;
      update(this.element, await this.#content({ games, rules: strings.kind(rules), players, who }));
    } catch (error) {
      this.#app.showToast(errorText(error));
    }
    return undefined;
  }
}

/**
 * What a view is about. Without a number of players the server chooses one.
 * @template {string} Who
 * @typedef {{ games: PlayableGame[], rules: string, players: number | undefined, who: Who }} Pool
 */

/** A game and a number of players, unless the server chooses that. @typedef {{ rules: string, players: number | undefined }} Players */

/**
 * Returns the first pool in which somebody has a rating.
 * @param {App} app
 * @param {PlayableGame[]} games
 * @returns {Promise<Players>}
 */
async function firstRated({ connection }, games) {
  const pools = games.flatMap(({ rules, players }) => players.map((number) => ({ rules, players: number })));
  const isRated = async (/** @type {typeof pools[number]} */ pool) => {
    try {
      return (await connection.request({ type: "standings", ...pool, limit: 1 })).standings.length > 0;
    } catch (error) {
      // A list that the server refuses at the moment hides no other.
      if (error instanceof RequestError) return false;
      throw error;
    }
  };
  const found = await Promise.all(pools.map(isRated));
  return pools[Math.max(0, found.indexOf(true))] ?? { rules: "", players: undefined };
}

/** @extends {PoolPage<typeof LISTED[number]>} */
export class StandingsPage extends PoolPage {
  /**
   * @param {App} app
   * @param {string} rules
   * @param {string} hash of the address: the number of players, and who is listed
   */
  constructor(app, rules, hash) {
    super(app, rules, readHash(hash, LISTED), "users-page", async ({ games, rules, players, who }) => {
      const bot = who === "everyone" ? undefined : who === "bots";
      const list = await app.connection.request({ type: "standings", rules, players, bot });
      const shown = /** @type {const} */ ({ view: "standings", rules, players: list.players, who });
      app.setTitle(`${t.standings}: ${strings.gameName(rules)}`);
      return [
        html("h1", {}, t.standings),
        gameTabs(shown, games),
        whoTabs(shown, t.whose, t.who),
        html("p", { class: "ways" }, html("a", { href: `/bots/${rules}` }, strings.bots.title), html("a", { href: `/stats/${rules}#${list.players}` }, texts.title)),
        list.standings.length > 0 ? ranking(list.standings) : html("p", { class: "empty" }, t.none[who]),
      ];
    }, (games) => firstRated(app, games));
  }
}

/** @extends {PoolPage<typeof COUNTED[number]>} */
export class StatsPage extends PoolPage {
  /**
   * @param {App} app
   * @param {string} rules
   * @param {string} hash of the address: the number of players, and whose games are counted
   */
  constructor(app, rules, hash) {
    super(app, rules, readHash(hash, COUNTED), "users-page stats-page", async ({ games, rules, players, who }) => {
      const opponents = who === "everyone" ? undefined : who;
      const stats = await app.connection.request({ type: "stats", rules, players, opponents });
      const shown = /** @type {const} */ ({ view: "stats", rules, players: stats.players, who });
      app.setTitle(`${texts.title}: ${strings.gameName(rules)}`);
      return [
        html("h1", {}, texts.title),
        gameTabs(shown, games),
        whoTabs(shown, texts.whose, texts.who),
        html("p", {}, html("a", { href: `/standings/${rules}#${stats.players}` }, t.standings)),
        stats.games + stats.aborted > 0 ? counts(stats) : html("p", { class: "empty" }, texts.none),
      ];
    });
  }
}

/**
 * What a view shows.
 * @template {string} Who
 * @typedef {object} Shown
 * @property {"standings" | "stats"} view
 * @property {string} rules
 * @property {number} players
 * @property {Who} who
 */

/**
 * What an address says after `#`. Without a known word it is the first choice.
 * @template {string} Who
 * @param {string} hash
 * @param {readonly [Who, ...Who[]]} choices
 */
function readHash(hash, choices) {
  const [players, who] = hash.slice(1).split(",");
  return { players: Number(players), who: choices.find((each) => each === who) ?? choices[0] };
}

/**
 * Links to the same view of each game and number of players.
 * @template {string} Who
 * @param {Shown<Who>} shown
 * @param {PlayableGame[]} games
 */
function gameTabs(shown, games) {
  const links = games.flatMap((game) => {
    const rules = strings.kind(game.rules);
    const name = strings.gameName(rules);
    const text = (/** @type {number} */ players) => (game.players.length > 1 ? `${name}, ${strings.users.tables(players)}` : name);
    return game.players.map((players) => tab(shown, { rules, players }, text(players)));
  });
  return html("nav", { class: "tabs", "aria-label": strings.rules.games }, links);
}

/**
 * Links to the same view of everyone, and of some only.
 * @template {string} Who
 * @param {Shown<Who>} shown
 * @param {string} label
 * @param {Record<Who, string>} names
 */
function whoTabs(shown, label, names) {
  const choices = /** @type {[Who, string][]} */ (Object.entries(names));
  return html("nav", { class: "tabs", "aria-label": label }, choices.map(([who, text]) => tab(shown, { who }, text)));
}

/**
 * @template {string} Who
 * @param {Shown<Who>} shown
 * @param {Partial<Shown<Who>>} change
 * @param {string} text
 */
function tab(shown, change, text) {
  const to = address({ ...shown, ...change });
  return html("a", { href: to, class: "tab", "aria-current": to === address(shown) ? "page" : undefined }, text);
}

/** @param {Shown<string>} shown */
function address({ view, rules, players, who }) {
  return `/${view}/${rules}#${players}${who === "everyone" ? "" : `,${who}`}`;
}

/** @param {Standing[]} standings */
function ranking(standings) {
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

/** @param {GameStats} stats */
function counts(stats) {
  const { games, aborted, wins, draws, reasons, length, openings } = stats;
  const results = [...wins.map((won, seat) => /** @type {[string, number]} */ ([texts.wonBy(seat + 1), won])), /** @type {[string, number]} */ ([texts.drawn, draws])];
  return html(
    "div",
    { class: "stats" },
    html("p", { class: "lead" }, texts.games(games, aborted)),
    section(texts.results, table([texts.result, texts.count, texts.share], results.map(([text, number]) => [text, number, texts.percent(number, games)]))),
    section(texts.ends, table([texts.end, texts.count, texts.share], reasons.map(({ reason, games: number }) => [texts.reasons[reason] ?? reason, number, texts.percent(number, games)]))),
    length !== undefined && section(texts.lengths, html("p", {}, texts.median(length.median, length.lower_quartile, length.upper_quartile)), chart(length)),
    openings.length > 0 && section(texts.openings, ...openingTables(openings), html("p", { class: "soft" }, texts.openingsAbout)),
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
  const shares = (/** @type {OpeningCount} */ { games, wins }) => wins.map((won) => texts.percent(won, games)).join(" · ");
  const numbers = [...new Set(openings.map(({ moves }) => moves.length))];
  return numbers.map((number) => {
    const rows = openings.filter(({ moves }) => moves.length === number);
    return table([texts.firstMoves(number), texts.count, texts.wonBySeat, texts.drawn], rows.map((each) => [each.moves.join(" "), each.games, shares(each), texts.percent(each.draws, each.games)]));
  });
}

/**
 * Draws the lengths as bars. The sentence before it says the same to those who do not see it.
 * @param {LengthCounts} length
 */
function chart({ bars, bar_width: width, longest }) {
  const most = Math.max(1, ...bars);
  const drawing = svg("svg", { class: "length-chart", viewBox: `0 0 ${bars.length * BAR} ${CHART_HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": texts.chart(longest) });
  bars.forEach((games, index) => {
    const height = (games / most) * CHART_HEIGHT;
    const bar = svg("rect", { x: index * BAR + 1, y: CHART_HEIGHT - height, width: BAR - 2, height });
    const title = svg("title");
    title.textContent = texts.bar(index * width, (index + 1) * width - 1, games);
    bar.append(title);
    drawing.append(bar);
  });
  const last = bars.length * width - 1;
  return html("figure", {}, drawing, html("figcaption", {}, html("span", {}, 0), html("span", {}, texts.axis), html("span", {}, last)));
}
