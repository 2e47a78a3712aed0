// The views of analysis by their addresses, and the one behind `/analysis`: empty boards, games at one
// screen, and loading a game.

import { isGameId } from "../net/validation.js";
import { strings } from "../strings/strings.js";
import { html } from "../ui/element.js";
import { HotSeatPage } from "./hot_seat.js";
import { Loader } from "./load.js";
import { AnalysisPage } from "./page.js";

/** @import {App, View} from "../app.js" */

/**
 * Returns the view behind `/analysis/` and a name, if there is one.
 * @param {App} app
 * @param {string} name
 * @param {string} search
 * @param {string} hash
 * @returns {View | undefined}
 */
export function analysisView(app, name, search, hash) {
  const [first = "", game, ...rest] = name.split("/");
  if (first === "game" && game !== undefined) return isGameId(game) && rest.length === 0 ? new AnalysisPage(app, { game }, search, hash) : undefined;
  if (game !== undefined) return undefined;
  if (first === "") return new AnalysisIndexPage(app);
  if (!strings.kinds.includes(first)) return undefined;
  return new URLSearchParams(search).has("hotseat") ? new HotSeatPage(app, first) : new AnalysisPage(app, { rules: first }, search, hash);
}

const t = strings.analysis;

/** @implements {View} */
class AnalysisIndexPage {
  element;

  /** @param {App} app */
  constructor(app) {
    app.setTitle(t.title);
    const chosen = html("select", { name: "rules" }, html("option", { value: "" }, t.load.inTheText), strings.kinds.map((rules) => html("option", { value: rules }, strings.gameName(rules))));
    const kind = () => (chosen.value === "" ? undefined : { rules: chosen.value, options: {}, players: 2, users: [] });
    const loader = new Loader(app, kind, { fields: [html("label", { class: "field" }, html("span", {}, t.load.game), chosen)] });
    const card = (/** @type {string} */ rules) =>
      html(
        "li",
        { class: "card" },
        html("h2", {}, strings.gameName(rules)),
        html("a", { class: "button", href: `/analysis/${rules}` }, t.emptyBoard, html("span", { class: "visually-hidden" }, `: ${strings.gameName(rules)}`)),
        html("a", { class: "button", href: `/analysis/${rules}?hotseat` }, t.hotSeat, html("span", { class: "visually-hidden" }, `: ${strings.gameName(rules)}`)),
      );
    this.element = html(
      "article",
      { class: "analysis-index" },
      html("h1", {}, t.title),
      html("p", { class: "soft" }, t.about),
      html("ul", { class: "analysis-games" }, strings.kinds.map(card)),
      html("section", { class: "card" }, html("h2", {}, t.load.heading), loader.element),
    );
    loader.listen(this.element);
  }

  close() {}
}
