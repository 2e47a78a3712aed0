// The seats: names, ratings, clocks, reserves, and whose turn it is.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { formatTime, splitPeriods, timeLeft } from "./clock.js";

/** @import {BoardLayout, Snapshot, SnapshotSeat} from "../wire.js" */

const t = strings.game;

/** Below this time, in milliseconds, a running clock is urgent. */
const URGENT_BELOW_MS = 20_000;

export class Seats {
  element = html("ol", { class: "seats" });
  #now;
  /** @type {Snapshot | undefined} */
  #snapshot;
  /** @type {Map<number, HTMLElement>} */
  #clocks = new Map();
  /** The state that the seats were drawn from. */
  #drawn = "";

  /** @param {() => number} now the server's time */
  constructor(now) {
    this.#now = now;
  }

  /**
   * @param {Snapshot} snapshot
   * @param {BoardLayout} layout
   * @param {number | undefined} own the seat of this user
   */
  show(snapshot, layout, own) {
    this.#snapshot = snapshot;
    const { seats, presence, to_move, result, clock } = snapshot;
    const drawn = JSON.stringify([seats, presence, to_move, result?.winners, clock.left_ms != null, own, layout.letters]);
    if (drawn === this.#drawn) return this.tick();
    this.#drawn = drawn;
    update(this.element, snapshot.seats.map((seat, index) => this.#seat(seat, index, layout, own)));
    return this.tick();
  }

  /**
   * @param {SnapshotSeat} seat
   * @param {number} index
   * @param {BoardLayout} layout
   * @param {number | undefined} own
   */
  #seat(seat, index, layout, own) {
    const snapshot = /** @type {Snapshot} */ (this.#snapshot);
    const moves = snapshot.to_move === index;
    const won = snapshot.result?.winners.includes(index);
    const online = snapshot.presence.find((each) => each.seat === index)?.online ?? true;
    // The element stays when the seat is drawn again.
    const clock = this.#clocks.get(index) ?? html("span", { class: "clock", role: "timer" });
    if (snapshot.clock.left_ms != null) this.#clocks.set(index, clock);
    const notes = [
      index === own && t.you,
      seat.bot && t.bot,
      seat.guest && t.guest,
      !online && t.offline,
      t.seatState(seat.state),
    ];
    return html(
      "li",
      {
        class: `seat seat${index}${moves ? " turn" : ""}${seat.state === "in" ? "" : " out"}${won ? " won" : ""}`,
        "aria-current": moves ? "true" : undefined,
      },
      html("span", { class: "chip", "aria-hidden": "true" }, layout.letters[index]?.charAt(0) ?? seat.letter),
      html("a", { class: "user", href: `/user/${seat.user}` }, seat.user, seat.rating != null && html("small", {}, ` ${seat.rating}`)),
      html("span", { class: "notes" }, notes.filter(Boolean).join(" · ")),
      clock,
      seat.reserve != null && html("span", { class: "reserve", title: t.reserve }, reserve(seat.reserve)),
    );
  }

  /** Updates the clocks. */
  tick() {
    const snapshot = this.#snapshot;
    if (snapshot === undefined) return;
    for (const [seat, element] of this.#clocks) {
      const ms = timeLeft(snapshot.clock, seat, this.#now());
      if (ms === undefined) continue;
      const runs = snapshot.clock.running === seat && !snapshot.result;
      const { ms: rest, periods } = splitPeriods(snapshot.clock, ms);
      const time = formatTime(rest) + (periods > 0 ? t.periods(periods) : "");
      const text = runs && ms === 0 ? t.waitingForServer : time;
      if (element.textContent !== text) element.textContent = text;
      element.classList.toggle("running", runs);
      element.classList.toggle("urgent", runs && ms < URGENT_BELOW_MS);
    }
  }
}

/**
 * Pieces in reserve, with the number of each kind.
 * @param {string} pieces
 */
function reserve(pieces) {
  const kinds = [...new Set(pieces)];
  return kinds.map((letter) => {
    const number = [...pieces].filter((each) => each === letter).length;
    return html("span", {}, `${letter} × ${number}`);
  });
}
