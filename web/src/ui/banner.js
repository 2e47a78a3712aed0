// The banner that shows a problem with the connection.

import { fill, html } from "./element.js";
import { now } from "../net/stopwatch.js";
import { strings } from "../strings/strings.js";

/** @import {ConnectionState, Connection} from "../net/connection.js" */

/** A reconnect that takes less time than this, in milliseconds, shows no banner. */
const DELAY_MS = 600;

/** @param {Connection} connection */
export function banner(connection) {
  const element = html("div", { class: "banner", role: "status", hidden: true });
  /** @type {any} */
  let timer;
  const show = () => {
    clearTimeout(timer);
    const { state } = connection;
    if (state.is === "waiting") timer = setTimeout(show, 1_000);
    const text = sentence(state);
    element.hidden = text === "";
    fill(element, text);
    if (state.is !== "ended") return;
    const retry = html("button", { onclick: () => connection.open() }, strings.connection.retry);
    element.append(" ", retry);
  };
  connection.on("state", (/** @type {ConnectionState} */ { is }) => {
    clearTimeout(timer);
    if (is === "opening" || is === "waiting") timer = setTimeout(show, DELAY_MS);
    else show();
  });
  return element;
}

/** @param {ConnectionState} state */
function sentence(state) {
  switch (state.is) {
    case "open":
      return state.stale ? strings.connection.stale : "";
    case "opening":
      return navigator.onLine ? strings.connection.opening : strings.connection.offline;
    case "waiting":
      if (!navigator.onLine) return strings.connection.offline;
      return state.restart
        ? strings.connection.restart
        : strings.connection.waiting(Math.max(0, Math.ceil((state.until - now()) / 1000)));
    default:
      return `${strings.connection.ended}${state.reason === "" ? "" : `: ${state.reason}`}.`;
  }
}
