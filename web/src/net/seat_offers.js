// Seats of players who leave, offered to computers: all turns wait for the answers.

/** @import {Snapshot} from "../wire.js" */

/**
 * Returns the seat that is offered to a computer, while all clocks stand.
 * @param {Pick<Snapshot, "offers">} snapshot
 */
export function leavingSeat({ offers }) {
  return offers.find(({ substitute }) => substitute != null)?.by;
}
