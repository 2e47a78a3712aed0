// The strip that says when the connection is not what it should be. When all is well there is none.

import { fill, html } from "./element.js";
import { words } from "../strings.js";

/** @import {Condition, Connection} from "../net/connection.js" */

/** A connection that opens faster than this, in milliseconds, needs no mention. */
const PATIENCE_MS = 600;

/** @param {Connection} connection */
export function banner(connection) {
  const element = html("div", { class: "banner", role: "status", hidden: true });
  /** @type {any} */
  let timer;
  const show = () => {
    clearTimeout(timer);
    const { condition } = connection;
    if (condition.is === "waiting") timer = setTimeout(show, 1_000);
    const text = sentence(condition);
    element.hidden = text === "";
    fill(element, text);
    if (condition.is !== "ended") return;
    const again = html("button", { onclick: () => connection.open() }, words.connection.retry);
    element.append(" ", again);
  };
  connection.on("condition", (/** @type {Condition} */ { is }) => {
    clearTimeout(timer);
    if (is === "opening" || is === "waiting") timer = setTimeout(show, PATIENCE_MS);
    else show();
  });
  return element;
}

/** @param {Condition} condition */
function sentence(condition) {
  switch (condition.is) {
    case "open":
      return condition.stale ? words.connection.stale : "";
    case "opening":
      return words.connection.opening;
    case "waiting":
      return condition.restart
        ? words.connection.restart
        : words.connection.waiting(Math.max(0, Math.ceil((condition.until - Date.now()) / 1000)));
    default:
      return `${words.connection.ended}${condition.reason === "" ? "" : `: ${condition.reason}`}.`;
  }
}
