// What the operator tells all users or one, as a line that stays until it is taken away.

import { strings } from "../strings/strings.js";

/** @import {Connection} from "../net/connection.js" */
/** @import {Notice} from "../wire.js" */
/** @import {Troubles} from "./trouble.js" */

const t = strings.trouble;

const MINUTE_MS = 60_000;

/**
 * @param {Notice} notice
 * @param {Troubles} troubles
 * @param {Connection} connection which hears that a notice that stays has been read
 */
export function showNotice(notice, troubles, connection) {
  const { n, until, outcome, game } = notice;
  const text = notice.text ?? "";
  // What cannot be said now comes again with the next session.
  const seen = n == null ? undefined : () => connection.request({ type: "notice_seen", n }).catch(() => {});
  const show = (/** @type {string} */ about, /** @type {string} */ said) => troubles.show(about, said, t.understood, seen);
  if (notice.what === "message") show("operator", t.operatorSays(text));
  else if (notice.what === "maintenance") show("maintenance", t.maintenance(Math.ceil(notice.in_ms / MINUTE_MS), text));
  else if (notice.what === "maintenance_cancelled") show("maintenance", t.maintenanceCancelled);
  else if (notice.what === "warning") show(`notice ${n}`, t.warned(text));
  else if (notice.what === "silenced") show(`notice ${n}`, t.silenced(until ?? undefined, text));
  else if (notice.what === "report_closed") show(`notice ${n}`, t.reportClosed(outcome === "acted", text));
  else if (notice.what === "game_ruled") show(`notice ${n}`, t.gameRuled(game ?? "", text));
  else if (notice.what === "game_annulled") show(`notice ${n}`, t.gameAnnulled(game ?? "", text));
}
