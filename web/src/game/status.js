// What the bar says: who is waited for, and what to do.

import { leavingSeat } from "../net/seat_offers.js";
import { strings } from "../strings/strings.js";

/** @import {Snapshot} from "../wire.js" */

const t = strings.game;

/**
 * What the user is doing.
 * @typedef {object} Doing
 * @property {number | undefined} ply the earlier position that is shown, if one is
 * @property {boolean} [sent] whether a move is under way
 * @property {boolean} [started] whether a move is being composed
 * @property {string} [why] why the composed cells are no move yet
 * @property {boolean} [canGoOn] whether further cells can complete the move
 * @property {boolean} [placing] whether a piece of the reserve is chosen
 * @property {boolean} [canDrag] whether pieces can be dragged
 * @property {boolean} [parked] whether the game has been left lying
 * @property {boolean} [timeIsUp] whether the running clock is at zero
 */

/**
 * @param {Snapshot} snapshot
 * @param {number | undefined} seat the user's seat
 * @param {Doing} doing
 * @returns {{ status: string, hint: string }}
 */
export function statusOf(snapshot, seat, doing) {
  const { seats, moves, result, to_move } = snapshot;
  const users = seats.map(({ user }) => strings.player(user));
  const { ply } = doing;
  if (ply !== undefined) {
    return { status: strings.replay.showing(ply, moves.length), hint: moves[ply - 1] ?? "" };
  }
  if (result) return { status: strings.result(result, users), hint: "" };
  if (leavingSeat(snapshot) !== undefined) return { status: t.awaitsAnswers, hint: "" };
  if (doing.sent) return { status: t.sending, hint: "" };
  if (seat === undefined || to_move !== seat) {
    const waited = users[to_move ?? 0] ?? "";
    return { status: t.waitingFor(waited), hint: doing.timeIsUp ? t.waitingForServer : seatHint(snapshot, waited) };
  }
  if (doing.parked && !doing.started) return { status: t.yourMove, hint: t.parked };
  if (clockWaits(snapshot) && !doing.started) return { status: t.yourMove, hint: t.ownClockWaits };
  const hasReserve = (seats[seat]?.reserve ?? "") !== "";
  return { status: t.yourMove, hint: doing.timeIsUp ? t.waitingForServer : moveHint(doing, hasReserve) };
}

/**
 * @param {Snapshot} snapshot
 * @param {string} waited
 */
function seatHint(snapshot, waited) {
  if (clockWaits(snapshot)) return t.clockWaits(waited);
  const { presence, to_move } = snapshot;
  const online = presence.find(({ seat }) => seat === to_move)?.online ?? true;
  return online ? "" : t.isAway(waited);
}

/**
 * Whether the clock of the player to move does not run yet: it starts when the player has seen the game.
 * @param {Snapshot} snapshot
 */
function clockWaits({ clock, ply, seats }) {
  return ply < seats.length && clock.left_ms != null && clock.running == null;
}

/**
 * @param {Doing} doing
 * @param {boolean} hasReserve
 */
function moveHint({ started = false, why = "", placing = false, canDrag = false, canGoOn = false }, hasReserve) {
  if (placing) return t.choosePlace;
  if (hasReserve && !started) return t.chooseFromReserve;
  if (started) return why === "" ? t.goOn : canGoOn ? t.completeIt : why;
  return canDrag ? t.chooseOrDrag : t.choose;
}
