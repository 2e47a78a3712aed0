// The seats: names, ratings, clocks, reserves, and whose turn it is. The own side is near, the
// others are far, unless the board is turned.

import { html, update } from "../ui/element.js";
import { strings } from "../strings/strings.js";
import { formatTime, splitPeriods, timeLeft } from "./clock.js";
import { disc } from "../board/pieces.js";
import { Tray } from "./tray.js";

/** @import {BoardLayout, Snapshot, SnapshotSeat} from "../wire.js" */
/** @import {Callbacks} from "./tray.js" */

const t = strings.game;

/** Below this time, in milliseconds, a running clock is urgent. */
const URGENT_BELOW_MS = 20_000;

/**
 * @typedef {object} SeatView how the seats are shown
 * @property {number | undefined} own the seat of this user
 * @property {boolean} flipped
 * @property {boolean} placeable whether the user can place pieces of the reserve
 */

export class Seats {
  far = html("ol", { class: "seats far", "aria-label": t.farSide });
  near = html("ol", { class: "seats near", "aria-label": t.nearSide });
  tray;
  #now;
  /** @type {Snapshot | undefined} */
  #snapshot;
  /** @type {Map<number, HTMLElement>} */
  #clocks = new Map();
  /** The state that the seats were drawn from. */
  #drawn = "";

  /**
   * @param {() => number} now the server's time
   * @param {Callbacks} callbacks
   */
  constructor(now, callbacks) {
    this.#now = now;
    this.tray = new Tray(callbacks);
  }

  /**
   * @param {Snapshot} snapshot
   * @param {BoardLayout} layout
   * @param {SeatView} view
   */
  show(snapshot, layout, view) {
    this.#snapshot = snapshot;
    const { seats, presence, to_move, result, clock } = snapshot;
    const parts = [seats, presence, to_move, result?.winners, clock.left_ms != null, view, layout.letters, this.tray.chosen];
    const drawn = JSON.stringify(parts);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      const { letters } = layout;
      const numbers = seats.map((_, seat) => seat);
      const mine = (/** @type {number} */ seat) => (seat === (view.own ?? 0)) !== view.flipped;
      const draw = (/** @type {number} */ seat) => this.#seat(seat, letters, view);
      update(this.near, numbers.filter(mine).map(draw));
      update(this.far, numbers.filter((seat) => !mine(seat)).map(draw));
      this.far.dataset["seats"] = String(this.far.children.length);
      this.near.dataset["seats"] = String(this.near.children.length);
    }
    this.tick();
  }

  /**
   * @param {number} index
   * @param {string[]} letters of each seat
   * @param {SeatView} view
   */
  #seat(index, letters, { own, placeable }) {
    const snapshot = /** @type {Snapshot} */ (this.#snapshot);
    const seat = /** @type {SnapshotSeat} */ (snapshot.seats[index]);
    const moves = snapshot.to_move === index && !snapshot.result;
    const { winners = [] } = snapshot.result ?? {};
    const won = winners.length === 1 && winners.includes(index);
    const online = snapshot.presence.find((each) => each.seat === index)?.online ?? true;
    const clock = this.#clocks.get(index) ?? html("span", { class: "clock", role: "timer", "data-key": "clock" });
    if (snapshot.clock.left_ms != null) this.#clocks.set(index, clock);
    const isHouse = t.isComputer(seat.user);
    const notes = [
      index === own && t.you,
      seat.bot && !isHouse && t.bot,
      seat.guest && t.guest,
      !online && t.offline,
      seat.instead_of != null && t.insteadOf(strings.player(seat.instead_of)),
      t.seatState(seat.state),
    ];
    const first = letters[index]?.charAt(0) ?? seat.letter;
    return html(
      "li",
      {
        class: `seat seat${index}${moves ? " turn" : ""}${seat.state === "in" ? "" : " out"}${won ? " won" : ""}`,
        "data-key": index,
        "aria-current": moves ? "true" : undefined,
      },
      disc(first, letters),
      html(
        "span",
        { class: "who" },
        html("a", { class: "user", href: `/user/${seat.user}` }, strings.player(seat.user)),
        seat.rating != null && html("span", { class: "rating" }, seat.rating),
        html("span", { class: "notes" }, notes.filter(Boolean).join(" · ")),
      ),
      seat.reserve != null && this.tray.draw(seat.reserve, letters, index === own && placeable),
      this.#clocks.has(index) && clock,
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
      const text = formatTime(rest) + (periods > 0 ? t.periods(periods) : "");
      if (element.textContent !== text) element.textContent = text;
      element.classList.toggle("running", runs);
      element.classList.toggle("urgent", runs && ms < URGENT_BELOW_MS);
    }
  }

  /** Whether the time of the seat to move is up, although the server has not said so. */
  get timeIsUp() {
    const { clock, result } = this.#snapshot ?? {};
    if (clock?.running == null || result) return false;
    return timeLeft(clock, clock.running, this.#now()) === 0;
  }
}
