"""The state of a game, as events and snapshots tell it. It knows no rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from .protocol import (
    Event,
    GameResult,
    OfferedSubstitute,
    OpenOffer,
    OptionValue,
    SeatPresence,
    SeatUser,
    Snapshot,
    SnapshotSeat,
    TimeControl,
    YourTurn,
)

MS_PER_DAY = 86_400_000


@dataclass(frozen=True)
class Seat:
    """A seat of a game and the user in it."""

    user: str
    letter: str
    """The letter of the seat's pieces, or the name of the seat."""
    bot: bool = False
    guest: bool = False
    rating: int | None = None
    state: str = "in"
    """`in`, or why the seat has left the game."""
    instead_of: str | None = None
    """The player who left the seat to this computer."""


class State:
    """What is known of a game."""

    def __init__(self) -> None:
        self.rules = ""
        self.options: dict[str, OptionValue] = {}
        self.seats: list[Seat] = []
        self.clock: TimeControl = {"mode": "none"}
        self.rated = False
        self.delay = 0
        self.turn = 0
        self.ply = 0
        self.to_move: int | None = None
        self.moves: list[str] = []
        self.position: dict[str, str] | None = None
        self.threatened: list[str] = []
        self.hash = ""
        self.left_ms: list[int] | None = None
        self.since: int | None = None
        self.offers: list[OpenOffer] = []
        self.presence: list[SeatPresence] = []
        self.spectators = 0
        self.result: GameResult | None = None
        self.your_turn: YourTurn | None = None

    def apply_snapshot(self, snapshot: Snapshot) -> None:
        clock = snapshot["clock"]
        self.rules = snapshot["rules"]
        self.options = snapshot["options"]
        self.seats = [seat_of(seat) for seat in snapshot["seats"]]
        agreed = {key: value for key, value in clock.items() if key not in ("left_ms", "running", "since")}
        self.clock = cast(TimeControl, agreed)
        self.rated = snapshot["rated"]
        self.delay = snapshot.get("delay", 0)
        self.turn, self.ply, self.to_move = snapshot["turn"], snapshot["ply"], snapshot["to_move"]
        self.moves = list(snapshot["moves"])
        self.position = snapshot["position"]
        self.threatened = snapshot.get("threatened", [])
        self.hash = snapshot["hash"]
        self.left_ms, self.since = clock.get("left_ms"), clock.get("since")
        self.offers = list(snapshot["offers"])
        self.presence, self.spectators = snapshot["presence"], snapshot["spectators"]
        self.result = snapshot["result"]
        if self.your_turn and self.your_turn["turn"] != self.turn:
            self.your_turn = None

    def apply_your_turn(self, frame: YourTurn) -> None:
        self.your_turn = frame
        self.turn, self.ply, self.to_move, self.hash = frame["turn"], frame["ply"], frame["seat"], frame["hash"]
        self.left_ms = frame.get("left_ms", self.left_ms)
        if "position" in frame:
            self.position, self.threatened = frame["position"], frame.get("threatened", [])

    def apply_event(self, event: Event) -> None:
        """Applies an event. One of an unknown kind changes nothing but what every event has."""
        # The unions of the types are closed; what a later server sends is not.
        kind: str = event["kind"]
        self.hash = event["hash"]
        if event["kind"] == "created":
            self.rules, self.options, self.clock = event["rules"], event["options"], event["clock"]
            self.seats = [seat_of(seat) for seat in event["seats"]]
            self.rated, self.delay = event["rated"], event.get("delay", 0)
            self.left_ms = left_at_start(self.clock, len(self.seats))
        elif event["kind"] == "started":
            self.to_move, self.since = event["to_move"], event["at"]
        elif event["kind"] == "moved" or event["kind"] == "swapped":
            self.moves.append(event["move"] if event["kind"] == "moved" else "swap")
            if event["kind"] == "swapped":
                self.seats = [seat_of(seat) for seat in event["seats"]]
            self.position = None
            self._turn(event["turn"], event["ply"], event["to_move"], event["at"])
            self.left_ms = event.get("left_ms", self.left_ms)
        elif event["kind"] == "skipped":
            self.moves.append("pass")
            self._turn(event["turn"], event["ply"], event["to_move"], event["at"])
        elif event["kind"] == "seat_offered":
            substitute: OfferedSubstitute = {
                "user": event["by"]["user"],
                "level": event["level"],
                "reason": event["reason"],
                "until": event["until"],
            }
            open_offer: OpenOffer = {
                "offer": event["offer"],
                "what": "substitute",
                "by": event["seat"],
                "needs": event["needs"],
                "substitute": substitute,
            }
            self.offers = [*self.offers, open_offer]
            self.left_ms, self.since = event.get("left_ms", self.left_ms), None
            self.your_turn = None
        elif event["kind"] == "substituted":
            taken = event["seat"]
            self.seats = [
                replace(seat_of(event["by"]), instead_of=seat.user) if number == taken else seat
                for number, seat in enumerate(self.seats)
            ]
            self.left_ms = event.get("left_ms", self.left_ms)
            self._turn(event["turn"], self.ply, event["to_move"], event["at"])
        elif event["kind"] == "removed":
            self.offers = [offer for offer in self.offers if offer["what"] != "substitute"]
            self.position = None
            gone = event["seat"]
            self.seats = [
                replace(seat, state=event["reason"]) if number == gone else seat
                for number, seat in enumerate(self.seats)
            ]
            self._turn(event["turn"], self.ply, event["to_move"], event["at"])
        elif event["kind"] == "taken_back":
            self.moves = self.moves[: event["ply"]]
            self.left_ms = event.get("left_ms", self.left_ms)
            self._turn(event["turn"], event["ply"], event["to_move"], event["at"])
            self.position, self.threatened = event["position"], []
        elif event["kind"] == "clock_adjusted":
            self.since = None if self.since is None else self.since + event["by_ms"]
        elif event["kind"] == "offered":
            offer: OpenOffer = {key: event[key] for key in ("offer", "what", "by", "needs")}  # type: ignore[assignment]
            self.offers = [*self.offers, offer]
        elif event["kind"] == "agreed":
            agreed, needs = event["offer"], event["needs"]
            self.offers = [{**offer, "needs": needs} if offer["offer"] == agreed else offer for offer in self.offers]
        elif event["kind"] == "offer_closed":
            closed = event["offer"]
            self.offers = [offer for offer in self.offers if offer["offer"] != closed]
        elif event["kind"] == "ended":
            result: GameResult = {"winners": event["winners"], "places": event["places"], "reason": event["reason"]}
            self._over(result, event["at"])
        elif event["kind"] == "aborted":
            self._over({"winners": [], "places": [], "reason": "aborted"}, event["at"])
        elif kind != "rated":
            # It may have changed the board. Who needs the board asks for it.
            self.position = None

    def _turn(self, turn: int, ply: int, to_move: int | None, at: int) -> None:
        self.turn, self.ply, self.to_move, self.since = turn, ply, to_move, at
        self.threatened, self.your_turn = [], None

    def _over(self, result: GameResult, at: int) -> None:
        if self.left_ms is not None and self.to_move is not None and self.since is not None:
            spent = at - self.since
            self.left_ms = [
                max(0, left - spent) if seat == self.to_move else left for seat, left in enumerate(self.left_ms)
            ]
        self.since = None
        self.result, self.to_move, self.offers, self.your_turn, self.threatened = result, None, [], None, []


def seat_of(seat: SeatUser | SnapshotSeat) -> Seat:
    return Seat(
        user=seat["user"],
        letter=seat["letter"],
        bot=seat.get("bot", False),
        guest=seat.get("guest", False),
        rating=seat.get("rating"),
        state=str(seat.get("state", "in")),
        instead_of=cast("str | None", seat.get("instead_of")),
    )


def left_at_start(clock: TimeControl, seats: int) -> list[int] | None:
    """What each clock shows before the first move."""
    if clock["mode"] == "fischer":
        left = clock["base_ms"]
    elif clock["mode"] == "per_move":
        left = clock["move_ms"]
    elif clock["mode"] == "byoyomi":
        left = clock["base_ms"] + clock["periods"] * clock["period_ms"]
    elif clock["mode"] == "days":
        left = clock["per_move_days"] * MS_PER_DAY
    else:
        return None
    return [left] * seats
