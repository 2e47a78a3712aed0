// The views of analysis, by their addresses.

import { isGameId } from "../net/validation.js";
import { strings } from "../strings/strings.js";
import { HotSeatPage } from "./hot_seat.js";
import { AnalysisIndexPage } from "./index_page.js";
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
