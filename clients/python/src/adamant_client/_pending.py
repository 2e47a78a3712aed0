"""Requests that wait for their replies. Each one is answered, sent again or failed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from .errors import AdamantError, ConnectionLost, TooManyPending
from .limits import PENDING_MAX

ACTS = {"move", "resign", "abort", "offer", "answer", "withdraw", "claim", "rematch", "say", "unsay"}
"""Requests that the server recognises by their id when they arrive twice."""

READS = {"analyse", "bot_list", "blocks", "catalogue", "challenges", "directory", "explore", "games", "hints"}
READS |= {"history", "invite_info", "stats"}
READS |= {"invites", "layout", "live", "lobby", "moves", "mutes", "ping", "positions", "push_list", "settings_get"}
READS |= {"signature", "standings", "talk", "token_list", "try", "tv", "unwatch", "user", "watch", "webhook_get"}
"""Requests that change nothing which lasts, so that sending them twice does no harm."""

REPEATABLE = ACTS | READS


@dataclass(eq=False)
class Pending:
    """A request that waits for its reply. Every attempt sends the same text."""

    id: str
    type: str
    text: str = field(repr=False)
    """It may have a password."""
    reply: asyncio.Future[dict[str, Any]]
    was_sent: bool = False

    def fail(self, error: AdamantError) -> None:
        if not self.reply.done():
            self.reply.set_exception(error)


class PendingRequests:
    """The pending requests, oldest first."""

    def __init__(self) -> None:
        self.by_id: dict[str, Pending] = {}

    def add(self, request: Pending) -> None:
        if len(self.by_id) >= PENDING_MAX:
            raise TooManyPending(f"{PENDING_MAX} requests wait for their replies")
        if request.id in self.by_id:
            raise ValueError(f"a request with the id {request.id!r} waits for its reply already")
        self.by_id[request.id] = request

    def remove(self, id: str) -> Pending | None:
        return self.by_id.pop(id, None)

    def unsent(self) -> Pending | None:
        """The oldest request that this connection has not sent."""
        return next((request for request in self.by_id.values() if not request.was_sent), None)

    def connection_lost(self) -> None:
        """Keeps what the next connection may send again, and fails the rest."""
        for request in list(self.by_id.values()):
            if request.was_sent and request.type not in REPEATABLE:
                del self.by_id[request.id]
                request.fail(ConnectionLost(f"the connection broke before the answer to {request.type} arrived"))
            request.was_sent = False

    def close(self, error: AdamantError) -> None:
        for request in self.by_id.values():
            request.fail(error)
        self.by_id.clear()
