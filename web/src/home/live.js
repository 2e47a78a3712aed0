// All games that are being played, side by side, or those of one kind.

import { fill, html, refill } from "../ui/element.js";
import { words } from "../strings.js";
import { Thumbs } from "./mini_boards.js";

/** @import {App, View} from "../main.js" */

const say = words.live;

/** @implements {View} */
export class LivePage {
  element;
  #app;
  #rules;
  #thumbs;
  #tabs = html("nav", { class: "tabs", "aria-label": words.rules.games });
  #empty = html("p", { class: "empty" }, words.loading);
  #stop;

  /**
   * @param {App} app
   * @param {string} rules only games of this kind, or all if it is empty
   */
  constructor(app, rules) {
    this.#app = app;
    app.entitle(rules === "" ? words.home.live : `${words.home.live}: ${words.gameName(rules)}`);
    this.#rules = rules;
    this.#thumbs = new Thumbs(app, { rules: rules === "" ? undefined : rules, many: true }, () => {
      fill(this.#empty, say.none);
      this.#empty.hidden = this.#thumbs.size > 0;
    });
    this.element = html(
      "section",
      { class: "live" },
      html("h1", {}, words.home.live),
      this.#tabs,
      this.#thumbs.element,
      this.#empty,
    );
    this.#stop = app.connection.on("welcome", () => this.#ask());
    if (app.connection.welcome !== undefined) this.#ask();
  }

  close() {
    this.#stop();
    this.#thumbs.close();
  }

  async #ask() {
    try {
      const { games } = await this.#app.connection.request({ type: "catalogue" });
      const kinds = games.map(({ rules }) => words.kind(rules));
      if (this.#rules !== "" && !kinds.includes(this.#rules)) return this.#app.lose(words.lost.rules);
      refill(this.#tabs, this.#tab("", say.all), kinds.map((kind) => this.#tab(kind, words.gameName(kind))));
    } catch {
      // The next welcome asks again.
    }
    return undefined;
  }

  /**
   * @param {string} rules
   * @param {string} text
   */
  #tab(rules, text) {
    const here = rules === this.#rules;
    const href = rules === "" ? "/live" : `/live/${rules}`;
    return html("a", { href, class: "tab", "aria-current": here ? "page" : undefined }, text);
  }
}
