// The featured game, which follows the one that the server chooses, preferably one between people.

import { fill, html } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { WatchedGame } from "./watched_game.js";

/** @import {Featured, GameEntry} from "../wire.js" */
/** @import {App} from "../app.js" */

/** How long the end of a featured game stays, in milliseconds. */
const END_SHOWN_MS = 5_000;

export class FeaturedGame {
  element = html("a", { class: "featured", hidden: true });
  #app;
  #onChange;
  #filter;
  #unsubscribe;
  #closed = false;
  /** Featured games by kind. @type {Map<string, Featured>} */
  #choices = new Map();
  /** The kinds that are followed, and how to leave each. @type {Map<string, () => boolean>} */
  #followed = new Map();
  /** @type {WatchedGame | undefined} */
  #watched;
  #shown = html("div", { class: "shown" });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #next;

  /**
   * @param {App} app
   * @param {() => void} onChange called when another game is featured
   * @param {{ heading?: Element, filter?: (entry: GameEntry) => boolean }} [options] what stands above the board, and which games to show
   */
  constructor(app, onChange, { heading, filter = () => true } = {}) {
    this.#app = app;
    this.#onChange = onChange;
    this.#filter = filter;
    if (heading !== undefined) this.element.append(heading);
    this.element.append(this.#shown);
    this.#unsubscribe = app.connection.on("tv", (/** @type {Featured} */ featured) => this.#onFeatured(featured));
  }

  /** The shown game. */
  get game() {
    return this.#watched?.game;
  }

  close() {
    this.#closed = true;
    this.#unsubscribe();
    clearTimeout(this.#next);
    this.#watched?.close();
    for (const [rules, leave] of this.#followed) {
      if (leave()) this.#app.connection.request({ type: "tv", rules, watch: false }).catch(() => {});
    }
  }

  /** @param {string[]} kinds */
  async follow(kinds) {
    for (const rules of kinds) {
      if (this.#closed) return;
      if (!this.#followed.has(rules)) this.#followed.set(rules, this.#app.connection.follow(`tv ${rules}`));
      try {
        this.#onFeatured(await this.#app.connection.request({ type: "tv", rules }));
      } catch {
        // The next welcome requests it again.
      }
    }
  }

  /** @param {Featured} featured */
  #onFeatured(featured) {
    // The answer may come after the view has gone.
    if (this.#closed) return;
    this.#choices.set(strings.kind(featured.rules), featured);
    clearTimeout(this.#next);
    if (this.#watched?.isOver === true) this.#next = setTimeout(() => this.#choose(), END_SHOWN_MS);
    else this.#choose();
  }

  #choose() {
    const choices = [...this.#choices.values()].filter(({ entry }) => entry != null && this.#filter(entry));
    if (choices.some((each) => each.game === this.game)) return;
    const latest = choices.sort((one, other) => (other.entry?.last_at ?? 0) - (one.entry?.last_at ?? 0));
    const choice = latest.find((each) => each.entry?.seats.every((seat) => !seat.bot)) ?? latest[0];
    this.#watched?.close();
    this.#watched = choice?.entry == null ? undefined : new WatchedGame(this.#app, choice.entry);
    this.element.hidden = this.#watched === undefined;
    if (this.#watched !== undefined) {
      this.element.setAttribute("href", `/game/${this.#watched.game}`);
      fill(this.#shown, ...this.#watched.content);
    }
    this.#onChange();
  }
}
