// A list of finished games, page by page. The games of one player are told from that player's side:
// won, lost or drawn, against whom and how.

import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { emblem } from "../ui/emblems.js";

/** @import {GameEntry, NewRequest} from "../wire.js" */
/** @import {App} from "../app.js" */

/** Which games to list. @typedef {Pick<Extract<NewRequest, { type: "games" }>, "rules" | "user" | "opponent" | "result" | "rated">} GamesFilter */

const t = strings.games;

/** Games on a page. */
const PAGE = 25;

/** Requests for one page: the server may answer with no game although there are some. */
const REQUESTS_MAX = 8;

export class FinishedList {
  element = html("div", { class: "finished-list", "aria-live": "polite" });
  #app;
  /** @type {GamesFilter} */
  #filter = {};
  /** @type {GameEntry[]} */
  #games = [];
  /** The game after which the next page begins. @type {string | undefined} */
  #next;
  /** Number of lists so far: an answer for an earlier one is not shown. */
  #lists = 0;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    fill(this.element, html("p", { class: "empty" }, strings.loading));
  }

  /**
   * Begins the list again.
   * @param {GamesFilter} filter
   */
  async show(filter) {
    this.#filter = filter;
    this.#lists += 1;
    await this.#load([], undefined);
  }

  /**
   * Requests a page of games.
   * @param {GameEntry[]} shown the games before it
   * @param {string | undefined} before
   */
  async #load(shown, before) {
    const list = this.#lists;
    const games = [...shown];
    let next = before;
    try {
      for (let requests = 0; requests < REQUESTS_MAX && games.length === shown.length; requests += 1) {
        const page = await this.#app.connection.request({ type: "games", state: "finished", limit: PAGE, before: next, ...this.#filter });
        games.push(...page.games);
        next = page.more ? (page.next ?? page.games.at(-1)?.game) : undefined;
        if (next === undefined) break;
      }
    } catch (error) {
      if (list === this.#lists) fill(this.element, html("p", { class: "error", role: "alert" }, errorText(error)));
      return;
    }
    if (list !== this.#lists) return;
    [this.#games, this.#next] = [games, next];
    this.#draw();
  }

  #draw() {
    const rows = this.#games.map((entry) => finishedRow(entry, this.#filter.user));
    update(
      this.element,
      rows.length > 0 ? html("ul", { class: "rows" }, rows) : html("p", { class: "empty" }, t.none),
      this.#next !== undefined && html("button", { class: "quiet", onclick: () => this.#load(this.#games, this.#next) }, t.more),
    );
  }
}

/**
 * @param {GameEntry} entry
 * @param {string | undefined} user the player from whose side it is told
 */
function finishedRow(entry, user) {
  const { game, rules, seats, rated, last_at: at, result, ply } = entry;
  const seat = seats.findIndex((each) => each.user.toLowerCase() === user?.toLowerCase());
  const users = seats.map((each) => strings.player(each.user));
  const details = [strings.gameName(rules), rated && strings.home.rated, strings.date(at)].filter(Boolean).join(" · ");
  const { analyse, analyseGame } = strings.analysis;
  const analysis = ply > 0 && html("a", { class: "soft", href: `/analysis/game/${game}`, "aria-label": analyseGame(strings.home.versus(users)) }, analyse);
  if (seat < 0 || result == null) {
    return html(
      "li",
      { class: "finished-game", "data-key": game },
      emblem(rules),
      html("a", { class: "who", href: `/game/${game}` }, strings.home.versus(users)),
      html("span", { class: "about" }, result && html("span", {}, strings.result(result, users)), " ", details, analysis && " · ", analysis),
    );
  }
  const outcome = outcomeFor(seat, result);
  const [before, after] = [entry.ratings?.before[seat], entry.ratings?.after[seat]];
  return html(
    "li",
    { class: "finished-game", "data-key": game },
    emblem(rules),
    html("a", { class: "who", href: `/game/${game}` }, t.against(users.filter((_, index) => index !== seat))),
    html("span", { class: "about" }, html("span", {}, t.how(result.reason, outcome)), " ", details, analysis && " · ", analysis),
    html("span", { class: `outcome ${outcome}` }, t.outcomes[outcome], before != null && after != null && html("small", {}, strings.over.signed(after - before))),
  );
}

/**
 * Returns how a game ended for a seat.
 * @param {number} seat
 * @param {NonNullable<GameEntry["result"]>} result
 * @returns {"won" | "lost" | "drawn" | "aborted"}
 */
export function outcomeFor(seat, { reason, winners }) {
  if (reason === "aborted") return "aborted";
  if (!winners.includes(seat)) return "lost";
  return winners.length === 1 ? "won" : "drawn";
}
