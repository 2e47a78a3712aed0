// Finished games by kind, player, opponent and result.

import { fill, html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { isUserName } from "../net/validation.js";
import { gameRow } from "./finished.js";

/** @import {GameEntry} from "../wire.js" */
/** @import {App, View} from "../app.js" */

const t = strings.games;

/** Games on a page. */
const PAGE = 30;

/** What the address says after `#`. */
const FIELDS = /** @type {const} */ (["rules", "user", "opponent", "result", "rated"]);

/** @implements {View} */
export class GamesPage {
  element;
  #app;
  /** What is asked for, by field. @type {URLSearchParams} */
  #wanted;
  #rules = html("select", { name: "rules" });
  #user = html("input", { name: "user", autocomplete: "off", spellcheck: "false" });
  #opponent = html("input", { name: "opponent", autocomplete: "off", spellcheck: "false" });
  #result = html("select", { name: "result" });
  #rated = html("input", { type: "checkbox", name: "rated" });
  #error = html("p", { class: "error", role: "alert" });
  #list = html("div", { "aria-live": "polite" }, html("p", { class: "empty" }, strings.loading));
  /** @type {GameEntry[]} */
  #games = [];
  /** The last game of the last page. @type {string | undefined} */
  #last;
  #unsubscribe;

  /**
   * @param {App} app
   * @param {string} hash of the address
   */
  constructor(app, hash) {
    this.#app = app;
    this.#wanted = new URLSearchParams(hash.slice(1));
    app.setTitle(t.title);
    const options = (/** @type {[string, string][]} */ entries) => entries.map(([value, text]) => html("option", { value }, text));
    this.#rules.append(...options([["", t.anyGame], ...strings.kinds.map((rules) => /** @type {[string, string]} */ ([rules, strings.gameName(rules)]))]));
    this.#result.append(...options([["", t.anyResult], ...Object.entries(t.results)]));
    const field = (/** @type {string} */ label, /** @type {Element} */ input) => html("label", {}, html("span", {}, label), input);
    this.element = html(
      "section",
      { class: "games-page" },
      html("h1", {}, t.title),
      html(
        "form",
        { class: "filters", role: "search", onsubmit: (/** @type {Event} */ event) => this.#onSubmit(event) },
        field(t.game, this.#rules),
        field(t.player, this.#user),
        field(t.result, this.#result),
        field(t.opponent, this.#opponent),
        html("label", { class: "tick" }, this.#rated, " ", t.rated),
        html("button", { type: "submit" }, t.search),
      ),
      this.#error,
      this.#list,
    );
    this.#rules.value = this.#wanted.get("rules") ?? "";
    this.#user.value = this.#wanted.get("user") ?? "";
    this.#opponent.value = this.#wanted.get("opponent") ?? "";
    this.#result.value = this.#wanted.get("result") ?? "";
    this.#rated.checked = this.#wanted.has("rated");
    this.#unsubscribe = app.connection.on("welcome", () => this.#load(true));
    if (app.connection.welcome !== undefined) this.#load(true);
  }

  close() {
    this.#unsubscribe();
  }

  /** @param {Event} event */
  #onSubmit(event) {
    event.preventDefault();
    fill(this.#error);
    const names = [this.#user, this.#opponent];
    const wrong = names.find(({ value }) => value !== "" && !isUserName(value));
    for (const input of names) input.setAttribute("aria-invalid", String(input === wrong));
    if (wrong !== undefined) {
      fill(this.#error, strings.newGame.noName(wrong.value));
      return wrong.focus();
    }
    const values = { rules: this.#rules.value, user: this.#user.value, opponent: this.#opponent.value, result: this.#result.value, rated: this.#rated.checked ? "1" : "" };
    // Results are those of a player.
    if (values.user === "" && (values.result !== "" || values.opponent !== "")) {
      fill(this.#error, t.whose);
      return this.#user.focus();
    }
    this.#wanted = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ""));
    const hash = this.#wanted.toString();
    history.replaceState(history.state, "", hash === "" ? "/games" : `/games#${hash}`);
    return this.#load(true);
  }

  /** @param {boolean} isFirst whether to begin the list again */
  async #load(isFirst) {
    const asked = Object.fromEntries(FIELDS.flatMap((field) => (this.#wanted.has(field) ? [[field, field === "rated" ? true : this.#wanted.get(field)]] : [])));
    const before = isFirst ? undefined : this.#last;
    try {
      const request = { type: "games", state: "finished", limit: PAGE, before, ...asked };
      const { games, more } = await this.#app.connection.request(/** @type {Extract<import("../wire.js").NewRequest, { type: "games" }>} */ (request));
      this.#last = games.at(-1)?.game;
      const wanted = games.filter((entry) => this.#isWanted(entry));
      this.#games = isFirst ? wanted : [...this.#games, ...wanted];
      this.#draw(more);
    } catch (error) {
      fill(this.#error, errorText(error));
      fill(this.#list);
    }
  }

  /**
   * Tells whether a game is asked for, also if the server does not know all of the filters.
   * @param {GameEntry} entry
   */
  #isWanted({ seats, rated, result }) {
    const same = (/** @type {string} */ one, /** @type {string} */ other) => one.toLowerCase() === other.toLowerCase();
    const seatOf = (/** @type {string | null} */ name) => seats.findIndex(({ user }) => name !== null && same(user, name));
    const winners = result?.winners ?? [];
    const outcome = !winners.includes(seatOf(this.#wanted.get("user"))) ? "lost" : winners.length === 1 ? "won" : "drawn";
    const [asked, opponent] = [this.#wanted.get("result"), this.#wanted.get("opponent")];
    return (asked === null || (asked === outcome && result?.reason !== "aborted")) && (opponent === null || seatOf(opponent) >= 0) && (rated || !this.#wanted.has("rated"));
  }

  /** @param {boolean} more */
  #draw(more) {
    update(
      this.#list,
      this.#games.length > 0 ? html("ul", { class: "rows" }, this.#games.map((entry) => gameRow(entry))) : html("p", { class: "empty" }, t.none),
      more && html("button", { class: "quiet", onclick: () => this.#load(false) }, t.more),
    );
  }
}
