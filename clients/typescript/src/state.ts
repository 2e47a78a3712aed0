// The state of a game, as events and snapshots tell it. It knows no rules.

import type {
  Event,
  GameResult,
  OpenOffer,
  OptionValue,
  SeatPresence,
  SeatUser,
  Snapshot,
  SnapshotSeat,
  TimeControl,
  YourTurn,
} from "./protocol.js";

const MS_PER_DAY = 86_400_000;

/** A seat of a game and the user in it. */
export interface Seat {
  readonly user: string;
  /** The letter of the seat's pieces, or the name of the seat. */
  readonly letter: string;
  readonly bot: boolean;
  readonly guest: boolean;
  readonly rating: number | undefined;
  /** `in`, or why the seat has left the game. */
  readonly state: string;
  /** The player who left the seat to this computer. */
  readonly insteadOf?: string;
}

/** What events say about the turn. */
type Turn = Pick<Extract<Event, { kind: "moved" }>, "turn" | "to_move" | "at">;

/** What is known of a game. */
export class State {
  rules = "";
  options: { [name: string]: OptionValue } = {};
  seats: Seat[] = [];
  clock: TimeControl = { mode: "none" };
  rated = false;
  delay = 0;
  turn = 0;
  ply = 0;
  toMove: number | null = null;
  moves: string[] = [];
  position: { [cell: string]: string } | null = null;
  threatened: string[] = [];
  hash = "";
  leftMs: number[] | undefined;
  since: number | undefined;
  offers: OpenOffer[] = [];
  presence: SeatPresence[] = [];
  spectators = 0;
  result: GameResult | null = null;
  yourTurn: YourTurn | null = null;

  applySnapshot(snapshot: Snapshot): void {
    const { left_ms: leftMs, running: _, since, ...clock } = snapshot.clock;
    this.rules = snapshot.rules;
    this.options = snapshot.options;
    this.seats = snapshot.seats.map(seatOf);
    this.clock = clock as TimeControl;
    this.rated = snapshot.rated;
    this.delay = snapshot.delay ?? 0;
    this.turn = snapshot.turn;
    this.ply = snapshot.ply;
    this.toMove = snapshot.to_move;
    this.moves = [...snapshot.moves];
    this.position = snapshot.position;
    this.threatened = snapshot.threatened ?? [];
    this.hash = snapshot.hash;
    this.leftMs = leftMs;
    this.since = since;
    this.offers = [...snapshot.offers];
    this.presence = snapshot.presence;
    this.spectators = snapshot.spectators;
    this.result = snapshot.result;
    if (this.yourTurn?.turn !== this.turn) this.yourTurn = null;
  }

  applyYourTurn(frame: YourTurn): void {
    this.yourTurn = frame;
    this.turn = frame.turn;
    this.ply = frame.ply;
    this.toMove = frame.seat;
    this.hash = frame.hash;
    this.leftMs = frame.left_ms ?? this.leftMs;
    if (frame.position === undefined) return;
    this.position = frame.position;
    this.threatened = frame.threatened ?? [];
  }

  /** Applies an event. One of an unknown kind changes nothing but what every event has. */
  applyEvent(event: Event): void {
    this.hash = event.hash;
    switch (event.kind) {
      case "created":
        this.rules = event.rules;
        this.options = event.options;
        this.clock = event.clock;
        this.seats = event.seats.map(seatOf);
        this.rated = event.rated;
        this.delay = event.delay ?? 0;
        this.leftMs = leftAtStart(event.clock, event.seats.length);
        break;
      case "started":
        this.toMove = event.to_move;
        this.since = event.at;
        break;
      case "swapped":
        this.seats = event.seats.map(seatOf);
        this.#moved("swap", event);
        break;
      case "moved":
        this.#moved(event.move, event);
        break;
      case "skipped":
        this.moves.push("pass");
        this.#begin(event, event.ply);
        break;
      case "seat_offered": {
        const { offer, seat, reason, by, level, needs, until } = event;
        this.offers = [...this.offers, { offer, what: "substitute", by: seat, needs, substitute: { user: by.user, level, reason, until } }];
        this.leftMs = event.left_ms ?? this.leftMs;
        this.since = undefined;
        this.yourTurn = null;
        break;
      }
      case "substituted":
        this.seats = this.seats.map((seat, at) => (at === event.seat ? { ...seatOf(event.by), insteadOf: seat.user } : seat));
        this.leftMs = event.left_ms ?? this.leftMs;
        this.#begin(event, this.ply);
        break;
      case "removed":
        this.offers = this.offers.filter((open) => open.what !== "substitute");
        this.position = null;
        this.seats = this.seats.map((seat, at) => (at === event.seat ? { ...seat, state: event.reason } : seat));
        this.#begin(event, this.ply);
        break;
      case "taken_back":
        this.moves = this.moves.slice(0, event.ply);
        this.leftMs = event.left_ms ?? this.leftMs;
        this.#begin(event, event.ply);
        this.position = event.position;
        break;
      case "clock_adjusted":
        if (this.since !== undefined) this.since += event.by_ms;
        break;
      case "offered":
        this.offers = [...this.offers, { offer: event.offer, what: event.what, by: event.by, needs: event.needs }];
        break;
      case "agreed":
        this.offers = this.offers.map((open) => (open.offer === event.offer ? { ...open, needs: event.needs } : open));
        break;
      case "offer_closed":
        this.offers = this.offers.filter((open) => open.offer !== event.offer);
        break;
      case "ended":
        this.#over({ winners: event.winners, places: event.places, reason: event.reason }, event.at);
        break;
      case "aborted":
        this.#over({ winners: [], places: [], reason: "aborted" }, event.at);
        break;
      case "rated":
        break;
      default:
        // A later server may send it. It may have changed the board; who needs the board asks for it.
        this.position = null;
    }
  }

  #moved(move: string, event: Turn & { ply: number; left_ms?: number[] }): void {
    this.moves.push(move);
    this.position = null;
    this.#begin(event, event.ply);
    this.leftMs = event.left_ms ?? this.leftMs;
  }

  /** Begins a turn. */
  #begin(event: Turn, ply: number): void {
    this.turn = event.turn;
    this.ply = ply;
    this.toMove = event.to_move;
    this.since = event.at;
    this.threatened = [];
    this.yourTurn = null;
  }

  #over(result: GameResult, at: number): void {
    if (this.leftMs !== undefined && this.toMove !== null && this.since !== undefined) {
      const spent = at - this.since;
      this.leftMs = this.leftMs.map((left, seat) => (seat === this.toMove ? Math.max(0, left - spent) : left));
    }
    this.since = undefined;
    this.result = result;
    this.toMove = null;
    this.offers = [];
    this.yourTurn = null;
    this.threatened = [];
  }
}

function seatOf(seat: SeatUser | SnapshotSeat): Seat {
  return {
    user: seat.user,
    letter: seat.letter,
    bot: seat.bot ?? false,
    guest: seat.guest ?? false,
    rating: seat.rating,
    state: "state" in seat ? seat.state : "in",
    insteadOf: "instead_of" in seat ? seat.instead_of : undefined,
  };
}

/** What each clock shows before the first move; `undefined` without clocks. */
function leftAtStart(clock: TimeControl, seats: number): number[] | undefined {
  const left = startOf(clock);
  return left === undefined ? undefined : new Array<number>(seats).fill(left);
}

function startOf(clock: TimeControl): number | undefined {
  switch (clock.mode) {
    case "fischer":
      return clock.base_ms;
    case "per_move":
      return clock.move_ms;
    case "byoyomi":
      return clock.base_ms + clock.periods * clock.period_ms;
    case "days":
      return clock.per_move_days * MS_PER_DAY;
    default:
      return undefined;
  }
}
