// Links to the same view for each kind of games, and for all.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";

/**
 * @param {string} path of the view for all games
 * @param {string} rules the shown kind, or empty for all
 */
export function kindTabs(path, rules) {
  const element = html("nav", { class: "tabs", "aria-label": strings.rules.games });
  const tab = (/** @type {string} */ kind, /** @type {string} */ text) =>
    html("a", { href: kind === "" ? path : `${path}/${kind}`, class: "tab", "aria-current": kind === rules ? "page" : undefined }, text);
  const show = (/** @type {readonly string[]} */ kinds) => update(element, tab("", strings.live.all), kinds.map((kind) => tab(kind, strings.gameName(kind))));
  show(strings.kinds);
  return { element, show };
}
