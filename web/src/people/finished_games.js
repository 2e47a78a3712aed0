// Finished games by kind, player, opponent and result.

import { outcomeFor, seatIn } from "../game/outcome.js";
import { isUserName } from "../net/validation.js";
import { strings } from "../strings/strings.js";
import { fill, html, update } from "../ui/element.js";
import { emblem } from "../ui/emblems.js";
import { errorText } from "../ui/error_text.js";
import { loadingLine } from "../ui/loading.js";

/** @import {App, View} from "../app.js" */
/** @import {GameEntry, NewRequest} from "../wire.js" */

/** Which games to list. @typedef {Pick<Extract<NewRequest, { type: "games" }>, "rules" | "user" | "opponent" | "result" | "rated">} GamesFilter */

const t = strings.games;

/** Games on a page. */
const PAGE = 25;

/** Requests for one page: the server may answer with no game although there are some. */
const REQUESTS_MAX = 8;

/** A list, page by page. The games of one player are told from that player's side: won, lost or drawn, against whom and how. */
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
    fill(this.element, loadingLine());
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
  const { game, rules, seats, rated, annulled, last_at: at, result, ply } = entry;
  const seat = seatIn(entry, user);
  const users = seats.map((each) => strings.player(each.user));
  const details = [strings.gameName(rules), rated && strings.home.rated, annulled && t.annulled, strings.date(at)].filter(Boolean).join(" · ");
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
  // Who left the seat to a computer has lost, whatever that made of it.
  const left = seats[seat]?.user.toLowerCase() !== user?.toLowerCase();
  const outcome = left ? "lost" : outcomeFor(seat, result);
  const [before, after] = [entry.ratings?.before[seat], entry.ratings?.after[seat]];
  return html(
    "li",
    { class: "finished-game", "data-key": game },
    emblem(rules),
    html("a", { class: "who", href: `/game/${game}` }, t.against(users.filter((_, index) => index !== seat))),
    html("span", { class: "about" }, html("span", {}, left ? t.leftToComputer : t.how(result.reason, outcome)), " ", details, analysis && " · ", analysis),
    html("span", { class: `outcome ${outcome}` }, t.outcomes[outcome], before != null && after != null && html("small", {}, strings.over.signed(after - before))),
  );
}

/** What the address says after `#`. */
const FIELDS = /** @type {const} */ (["rules", "user", "opponent", "result", "rated"]);

/** The form that chooses games. The address holds what is chosen, so that a link shows the same games. */
export class GameFilters {
  element;
  #owner;
  #onChange;
  /** What is chosen, as in the address. */
  #hash;
  #inputs = {
    rules: html("select", { name: "rules" }),
    user: html("input", { name: "user", autocomplete: "off", spellcheck: "false", maxlength: 20 }),
    opponent: html("input", { name: "opponent", autocomplete: "off", spellcheck: "false", maxlength: 20 }),
    result: html("select", { name: "result" }),
    rated: html("input", { type: "checkbox", name: "rated" }),
  };
  #error = html("p", { class: "error", role: "alert" });

  /**
   * @param {string} hash of the address
   * @param {string | undefined} owner the player whose games they are in any case
   * @param {() => void} onChange
   */
  constructor(hash, owner, onChange) {
    this.#owner = owner;
    this.#onChange = onChange;
    const { rules, user, opponent, result, rated } = this.#inputs;
    const options = (/** @type {[string, string][]} */ entries) => entries.map(([value, text]) => html("option", { value }, text));
    rules.append(...options([["", t.anyGame], ...strings.kinds.map((kind) => /** @type {[string, string]} */ ([kind, strings.gameName(kind)]))]));
    result.append(...options([["", t.anyResult], ...Object.entries(t.results)]));
    const field = (/** @type {string} */ label, /** @type {Element} */ input) => html("label", {}, html("span", {}, label), input);
    this.element = html(
      "form",
      {
        class: "filters",
        role: "search",
        "aria-label": t.title,
        novalidate: true,
        onchange: () => this.#apply(false),
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          this.#apply(true);
        },
      },
      field(t.game, rules),
      owner === undefined && field(t.player, user),
      field(t.opponent, opponent),
      field(t.result, result),
      html("label", { class: "tick" }, rated, " ", t.rated),
      html("button", { type: "submit", class: "quiet" }, t.search),
      this.#error,
    );
    this.#write(new URLSearchParams(hash.slice(1)));
    this.#hash = this.#read().toString();
  }

  /** What is chosen, as the server asks for it. @returns {GamesFilter} */
  get filter() {
    const chosen = Object.fromEntries(new URLSearchParams(this.#hash));
    return /** @type {GamesFilter} */ ({ ...chosen, user: this.#owner ?? chosen["user"], rated: chosen["rated"] === undefined ? undefined : true });
  }

  /** @param {URLSearchParams} chosen */
  #write(chosen) {
    const { rated, ...others } = this.#inputs;
    rated.checked = chosen.has("rated");
    for (const [name, input] of Object.entries(others)) input.value = chosen.get(name) ?? "";
  }

  #read() {
    const chosen = new URLSearchParams();
    for (const name of FIELDS) {
      const input = this.#inputs[name];
      const value = input === this.#inputs.rated ? (this.#inputs.rated.checked ? "1" : "") : input.value.trim();
      if (value !== "") chosen.set(name, value);
    }
    return chosen;
  }

  /**
   * Applies what is in the form.
   * @param {boolean} isSent whether the user has sent the form
   */
  #apply(isSent) {
    const { user, opponent, result } = this.#inputs;
    const wrong = [user, opponent].find(({ value }) => value.trim() !== "" && !isUserName(value.trim()));
    // Results and opponents are those of a player.
    const isOwnerless = this.#owner === undefined && user.value.trim() === "" && (opponent.value.trim() !== "" || result.value !== "");
    for (const input of [user, opponent]) input.setAttribute("aria-invalid", String(input === wrong || (input === user && isOwnerless)));
    fill(this.#error, wrong !== undefined ? strings.newGame.noName(wrong.value) : isOwnerless && t.whose);
    if (wrong !== undefined || isOwnerless) {
      if (isSent) (wrong ?? user).focus();
      return;
    }
    const hash = this.#read().toString();
    if (hash === this.#hash) return;
    this.#hash = hash;
    history.replaceState(history.state, "", location.pathname + (hash === "" ? "" : `#${hash}`));
    this.#onChange();
  }
}

/** @implements {View} */
export class GamesPage {
  element;
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} hash of the address
   */
  constructor(app, hash) {
    app.setTitle(t.title);
    const list = new FinishedList(app);
    const show = () => list.show(filters.filter);
    const filters = new GameFilters(hash, undefined, show);
    this.element = html("section", { class: "games-page" }, html("h1", {}, t.title), filters.element, list.element);
    this.#unsubscribe = app.connection.onSession(show);
  }

  close() {
    this.#unsubscribe();
  }
}
