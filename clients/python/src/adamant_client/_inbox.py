"""The frames that wait for the program."""

from __future__ import annotations

import asyncio
from collections import deque

from .errors import AdamantError, InboxOverflow
from .limits import INBOX_MAX
from .protocol import ToClient


class Inbox:
    """A bounded queue with one reader. A program that never reads loses nothing but the frames."""

    def __init__(self) -> None:
        self.frames: deque[ToClient] = deque()
        self.is_read = False
        self.lost = False
        self.end: AdamantError | None = None
        self.is_closed = False
        self._changed = asyncio.Event()

    @property
    def is_full(self) -> bool:
        """Whether a program that reads has fallen too far behind."""
        return self.is_read and len(self.frames) >= INBOX_MAX

    @property
    def is_filling(self) -> bool:
        return self.is_read and len(self.frames) > INBOX_MAX // 2

    def put(self, frame: ToClient) -> None:
        if not self.is_read and len(self.frames) >= INBOX_MAX:
            self.lost = True
            self.frames.clear()
        if not self.lost:
            self.frames.append(frame)
            self._changed.set()

    def close(self, end: AdamantError | None) -> None:
        """Ends the queue: with an error, or after the frames that wait."""
        self.is_closed, self.end = True, end
        self._changed.set()

    async def get(self) -> ToClient:
        self.is_read = True
        if self.lost:
            raise InboxOverflow("frames were lost because the program did not read them")
        while not self.frames:
            if self.is_closed:
                raise self.end or StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        frame = self.frames.popleft()
        if len(self.frames) == INBOX_MAX // 2:
            self._changed.set()
        return frame

    async def wait_for_room(self) -> None:
        """Waits until half of the queue is free."""
        while len(self.frames) > INBOX_MAX // 2 and not self.is_closed:
            self._changed.clear()
            await self._changed.wait()
