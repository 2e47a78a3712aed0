"""A game that the client follows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable

from ._protocol import Requests
from ._record import Arrival, Record
from ._state import Seat, State
from .errors import plain
from .protocol import (
    Done,
    Event,
    GameResult,
    MovesFields,
    OfferKind,
    OpenOffer,
    OptionValue,
    SeatPresence,
    Snapshot,
    TalkRoom,
    TimeControl,
    YourTurn,
)


class Requester(Requests):
    """What a game needs of the client that follows it."""

    @property
    def name(self) -> str | None:
        raise NotImplementedError

    def server_time(self) -> int:
        raise NotImplementedError

    def raise_if_closed(self) -> None:
        raise NotImplementedError


class Game:
    """A game that the client plays or watches. Its state changes as the server's events arrive.

    `async for event in game` yields the events that the client has, and then each further one until it is over.
    """

    def __init__(self, client: Requester, id: str) -> None:
        self.id = id
        self._client = client
        self._record = Record()
        self._state = State()
        self._changed = asyncio.Event()
        self._is_left = False

    # What was agreed.

    @property
    def rules(self) -> str:
        """The kind of game with the version of its rules, such as `adamas@1`."""
        return self._state.rules

    @property
    def options(self) -> dict[str, OptionValue]:
        return self._state.options

    @property
    def clock(self) -> TimeControl:
        """The time control, such as `{"mode": "fischer", "base_ms": 300000, "inc_ms": 5000}`."""
        return self._state.clock

    @property
    def rated(self) -> bool:
        return self._state.rated

    @property
    def seats(self) -> list[Seat]:
        """The seats with their users, in the order of turns."""
        return self._state.seats

    @property
    def seat(self) -> int | None:
        """Your own seat; `None` if you do not play in this game."""
        name = self._client.name
        if name is None:
            return None
        return next((n for n, seat in enumerate(self.seats) if seat.user.lower() == name.lower()), None)

    @property
    def opponents(self) -> list[str]:
        """The users in the other seats."""
        return [seat.user for number, seat in enumerate(self.seats) if number != self.seat]

    # How it stands.

    @property
    def turn(self) -> int:
        """The number of the decision that is due. A move names it. It never falls."""
        return self._state.turn

    @property
    def ply(self) -> int:
        """How many moves and skips stand."""
        return self._state.ply

    @property
    def to_move(self) -> int | None:
        """The seat to move; `None` when the game is over."""
        return self._state.to_move

    @property
    def is_my_turn(self) -> bool:
        return self.to_move is not None and self.to_move == self.seat

    @property
    def moves(self) -> list[str]:
        """The moves that stand, in canonical notation; a skip is `pass`."""
        return self._state.moves

    @property
    def position(self) -> dict[str, str] | None:
        """The board, cell to pieces, bottom piece first. `None` where only `refresh` can say it.

        The server sends the board with your turn; events have moves and no boards.
        """
        return self._state.position

    @property
    def threatened(self) -> list[str]:
        """With `position`: the cells with pieces that another seat could capture."""
        return self._state.threatened

    @property
    def hash(self) -> str:
        """Equal hashes mean equal positions with the same side to move."""
        return self._state.hash

    @property
    def result(self) -> GameResult | None:
        return self._state.result

    @property
    def is_live(self) -> bool:
        return self._state.result is None

    @property
    def offers(self) -> list[OpenOffer]:
        """The open offers of a draw, a takeback or an abort."""
        return self._state.offers

    @property
    def presence(self) -> list[SeatPresence]:
        """Which players are there, as the server last said."""
        return self._state.presence

    @property
    def your_turn(self) -> YourTurn | None:
        """The server's request for a move, while it is your turn."""
        return self._state.your_turn

    @property
    def legal(self) -> list[str]:
        """Legal moves, at most 512; all of them unless `your_turn["legal_cut"]`. Empty if it is not your turn."""
        return self._state.your_turn.get("legal", []) if self._state.your_turn else []

    def time_left(self, seat: int | None = None) -> float | None:
        """Seconds on a clock at this moment, your own by default; `None` without clocks."""
        state, seat = self._state, self.seat if seat is None else seat
        if state.left_ms is None or seat is None:
            return None
        spent = 0
        if state.to_move == seat and state.since is not None:
            spent = max(0, self._client.server_time() - state.since)
        return max(0, state.left_ms[seat] - spent) / 1000

    def deadline_in(self) -> float | None:
        """Seconds until your flag falls or the game is aborted; `None` without clocks or if it is not your turn."""
        deadline = self._state.your_turn.get("deadline") if self._state.your_turn else None
        return None if deadline is None else max(0, deadline - self._client.server_time()) / 1000

    def __str__(self) -> str:
        seats = " ".join(f"{seat.letter} {seat.user}" for seat in self.seats)
        if self.result is not None:
            winners = ", ".join(self.seats[seat].user for seat in self.result["winners"])
            turn = f"{self.result['reason']}, winners: {winners}" if winners else self.result["reason"]
        elif self.to_move is None:
            turn = "not begun"
        else:
            turn = f"{self.seats[self.to_move].letter} to move"
        lines = [f"{self.id} {self.rules}: {seats}; ply {self.ply}, {turn}"]
        if self.position is not None:
            lines.append(" ".join(f"{cell}:{pieces}" for cell, pieces in self.position.items()))
        return plain("\n".join(lines))

    # The record.

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return self._record.seq

    @property
    def events(self) -> list[Event]:
        """The events that the client has, without a gap. `load_record` fetches those before them."""
        return self._record.events

    @property
    def record(self) -> list[str]:
        """The same events, byte for byte as the server sent them: lines that the chain seals."""
        return self._record.lines

    async def load_record(self) -> list[Event]:
        """Fetches the events that are missing at the beginning, and returns all of them."""
        while self._record.first > 1:
            if self._record.loaded is None:
                self._record.beginning = []
                self._record.loaded = asyncio.get_running_loop().create_future()
                loaded = self._record.loaded
                try:
                    await self._client.request("watch", game=self.id, from_=1)
                except BaseException:
                    self._record.end_load()
                    raise
            else:
                loaded = self._record.loaded
            # A lost connection ends it early, and the loop begins again.
            await asyncio.shield(loaded)
        return self._record.events

    async def refresh(self) -> Game:
        """Fetches the state with the board, and returns this game."""
        await self._client.request("watch", game=self.id)
        return self

    async def __aiter__(self) -> AsyncIterator[Event]:
        seq = self._record.first
        while True:
            # A snapshot may have replaced the events.
            seq = min(max(seq, self._record.first), self._record.seq + 1)
            while seq <= self._record.seq:
                yield self._record.events[seq - self._record.first]
                seq += 1
            if not self.is_live or self._is_left:
                return
            self._client.raise_if_closed()
            changed = self._changed
            await changed.wait()

    # What a player does.

    async def move(self, move: str, *, turn: int | None = None) -> Done:
        """Makes a move, by default for the turn that is due.

        The server makes it once, however often the connection breaks. Then this game has the move already.
        """
        turn = self.turn if turn is None else turn
        return await self._act(self._client.request("move", id=f"{self.id}:{turn}", game=self.id, turn=turn, move=move))

    async def try_move(self, move: str) -> Done:
        """Says what a move would lead to, and makes none."""
        return await self._client.request("try", game=self.id, turn=self.turn, move=move)

    async def all_moves(self, cell: str | None = None) -> AsyncIterator[str]:
        """Yields all legal moves of the side to move, or those from one cell, page by page.

        It ends early if the game goes on. Some positions have billions of moves: do not read those to the end.
        """
        turn = self.turn
        after: str | None = None
        while True:
            fields: MovesFields = {"game": self.id}
            if cell is not None:
                fields["from_"] = cell
            if after is not None:
                fields["after"] = after
            page = await self._client.request("moves", **fields)
            if page["turn"] != turn:
                return
            for move in page["moves"]:
                yield move
            after = page.get("next")
            if after is None:
                return

    async def resign(self) -> Done:
        return await self._act(self._client.request("resign", game=self.id))

    async def abort(self) -> Done:
        """Ends the game without a result, while some side has not made its first move."""
        return await self._act(self._client.request("abort", game=self.id))

    async def offer(self, what: OfferKind) -> Done:
        """Offers a `draw`, a `takeback` or an `abort`."""
        return await self._act(self._client.request("offer", game=self.id, what=what))

    async def answer(self, offer: str, accept: bool) -> Done:
        """Accepts or declines an offer: the `offer` of an entry of `offers`."""
        return await self._act(self._client.request("answer", game=self.id, offer=offer, accept=accept))

    async def withdraw(self, offer: str) -> Done:
        return await self._act(self._client.request("withdraw", game=self.id, offer=offer))

    async def claim(self) -> Done:
        """Claims the game from a player who is to move and has gone away for long enough."""
        return await self._act(self._client.request("claim", game=self.id, what="abandoned"))

    async def rematch(self) -> Done:
        return await self._client.request("rematch", game=self.id)

    async def say(self, text: str) -> Done:
        """Says a line in the room of the players, or of the spectators."""
        room: TalkRoom = "spectators" if self.seat is None else "players"
        return await self._client.request("say", game=self.id, room=room, text=text)

    async def unfollow(self) -> None:
        """Ends the events of this game, also those of a game that you play."""
        await self._client.request("unwatch", game=self.id)

    async def _act(self, request: Awaitable[Done]) -> Done:
        """Sends a request that changes the game, and waits until its event has arrived as well."""
        done = await request
        record, seq = self._record, done.get("seq", 0)
        while self._record is record and record.seq < seq and not self._is_left:
            self._client.raise_if_closed()
            await self._changed.wait()
        return done

    # What the client calls.

    def _on_event(self, event: Event, line: str) -> Arrival:
        arrival = self._record.arrived(event, line)
        if arrival is Arrival.NEXT:
            self._state.apply_event(event)
            self._wake()
        return arrival

    def _on_snapshot(self, snapshot: Snapshot) -> None:
        if snapshot["seq"] < self._record.seq:
            return
        if snapshot["seq"] > self._record.seq:
            if self._record.filling and snapshot.get("reason") != "lagged":
                # The events that close the gap are on their way, and the program wants them.
                return
            self._record.begin_behind(snapshot["seq"], snapshot["chain"])
        self._state.apply_snapshot(snapshot)
        self._wake()

    def _on_fork(self) -> None:
        """The server's record differs from this one. A snapshot follows."""
        self._record.connection_lost()
        self._record = Record()
        self._state = State()
        self._wake()

    def _leave(self) -> None:
        self._is_left = True
        self._record.connection_lost()
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
