// A page for each user: ratings and finished games.

import { RequestError } from "../net/pending.js";
import { html, update } from "../ui/element.js";
import { errorText } from "../ui/error_text.js";
import { strings } from "../strings/strings.js";
import { gameRow } from "./finished.js";

/** @import {GameEntry, UserProfile} from "../wire.js" */
/** @import {App, View} from "../app.js" */

const t = strings.users;

/** Finished games on one page of a user. */
const HISTORY_PAGE = 25;

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
