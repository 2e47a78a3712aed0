"""The events of a game that the client has, and what to do with each one that arrives."""

from __future__ import annotations

import asyncio
from enum import Enum

from .protocol import Cursor, Event


class Arrival(Enum):
    """What an event that arrives means."""

    NEXT = "the next one"
    KNOWN = "known, or sent again later"
    GAP = "events before it are missing"


class Record:
    """A run of events without a gap. It may begin in the middle of the game, behind a snapshot."""

    def __init__(self) -> None:
        self.seq = 0
        self.chain: str | None = None
        self.first = 1
        """The seq of the first event that is here, or of the next one if none is."""
        self.events: list[Event] = []
        self.lines: list[str] = []
        self.filling: str | None = None
        """The id of the `watch` whose events close a gap."""
        self.fill_until: int | None = None
        self.beginning: list[tuple[Event, str]] | None = None
        """The events before `first`, while they are loaded."""
        self.loaded: asyncio.Future[None] | None = None

    def cursor(self) -> Cursor:
        return {"seq": self.seq} if self.chain is None else {"seq": self.seq, "chain": self.chain}

    def begin_behind(self, seq: int, chain: str) -> None:
        """Begins again with the state after an event."""
        self.end_load()
        self.__init__()  # type: ignore[misc]
        self.seq, self.chain, self.first = seq, chain, seq + 1

    def arrived(self, event: Event, line: str) -> Arrival:
        """Adds an event if it is the next one."""
        seq = event["seq"]
        if self.beginning is not None and seq == len(self.beginning) + 1 < self.first:
            self.beginning.append((event, line))
            if seq + 1 == self.first:
                self._join()
            return Arrival.KNOWN
        if seq <= self.seq:
            return Arrival.KNOWN
        if seq > self.seq + 1:
            return Arrival.KNOWN if self.filling else Arrival.GAP
        self.events.append(event)
        self.lines.append(line)
        self.seq, self.chain = seq, event["chain"]
        self._end_fill()
        return Arrival.NEXT

    def _join(self) -> None:
        """Puts the loaded beginning before the events."""
        beginning = self.beginning or []
        self.events[:0] = [event for event, _ in beginning]
        self.lines[:0] = [line for _, line in beginning]
        self.first = 1
        self.end_load()

    def end_load(self) -> None:
        """Wakes the program that waits for the beginning, which is complete or has to be asked for again."""
        self.beginning = None
        if self.loaded is not None and not self.loaded.done():
            self.loaded.set_result(None)
        self.loaded = None

    def fill_answered(self, until: int | None) -> None:
        """Takes the reply to the `watch` that closes a gap."""
        self.fill_until = until
        if until is None:
            self.filling = None
        self._end_fill()

    def _end_fill(self) -> None:
        if self.fill_until is not None and self.seq >= self.fill_until:
            self.filling = self.fill_until = None

    def connection_lost(self) -> None:
        """Ends what the lost connection would have sent. The next `hello` resumes."""
        self.filling = self.fill_until = None
        self.end_load()
