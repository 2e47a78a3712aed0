// What the operator tells all users or one, as a line that stays until it is taken away.

import { strings } from "../strings/strings.js";

/** @import {Notice} from "../wire.js" */
/** @import {Troubles} from "./trouble.js" */

const t = strings.trouble;

const MINUTE_MS = 60_000;

/**
 * @param {Notice} notice
 * @param {Troubles} troubles
 */
export function showNotice(notice, troubles) {
  const text = notice.text ?? "";
  if (notice.what === "message") troubles.show("operator", t.operatorSays(text), t.understood);
  else if (notice.what === "maintenance") troubles.show("maintenance", t.maintenance(Math.ceil(notice.in_ms / MINUTE_MS), text), t.understood);
  else if (notice.what === "maintenance_cancelled") troubles.show("maintenance", t.maintenanceCancelled, t.understood);
}
