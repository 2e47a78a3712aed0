// Live games on the front page: the featured one, and mini boards beside it.

import { html } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { FeaturedGame } from "../watch/featured.js";
import { MiniBoards } from "../watch/mini_boards.js";

/** @import {GameEntry, LiveGame} from "../wire.js" */
/** @import {App} from "../app.js" */

const t = strings.home;

/** Number of mini boards. */
const SHOWN_MAX = 8;

export class Watching {
  element = html("section", { class: "watching", hidden: true });
  /** Whether the featured game is known. */
  #isReady = false;
  #featured;
  #miniBoards;
  #all = html("a", { href: "/live", class: "all", hidden: true }, t.all);

  /** @param {App} app */
  constructor(app) {
    // The user's own games are boards of their own on the front page.
    const me = () => app.connection.welcome?.user?.name;
    const isOthers = (/** @type {GameEntry} */ { game, seats }) => !app.games.live.has(game) && seats.every(({ user }) => user !== me());
    this.#featured = new FeaturedGame(app, () => this.#miniBoards.update(), { heading: html("h2", {}, t.featured), filter: isOthers });
    const selection = { shown: SHOWN_MAX, except: () => this.#featured.game, filter: (/** @type {LiveGame} */ { entry }) => isOthers(entry) };
    this.#miniBoards = new MiniBoards(app, selection, () => this.#arrange());
    this.element.append(
      this.#featured.element,
      html("div", {}, html("h2", {}, t.live), this.#miniBoards.element, this.#all),
    );
  }

  close() {
    this.#featured.close();
    this.#miniBoards.close();
  }

  /**
   * Follows the featured games.
   * @param {string[]} kinds of games
   */
  async follow(kinds) {
    await this.#featured.follow(kinds);
    this.#isReady = true;
    this.#arrange();
  }

  #arrange() {
    const { size, overflows } = this.#miniBoards;
    // The boards appear together, so that none of them jumps.
    this.element.hidden = !this.#isReady || (this.#featured.game === undefined && size === 0);
    this.element.classList.toggle("alone", size === 0);
    this.#all.hidden = !overflows;
  }
}
