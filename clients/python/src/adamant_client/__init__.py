"""A client of the Adamant game server for programs: typed requests, games to follow, and bots.

The client survives lost connections: it connects again, resumes each game behind the last event that it has, and sends
what was not answered again, under the same id.
"""

from ._bot import Bot
from ._client import Client
from ._connect import connect
from ._game import Game
from ._session import VERSION as __version__
from ._state import Seat
from .errors import (
    AdamantError,
    Closed,
    ConnectError,
    ConnectionLost,
    InboxOverflow,
    RequestError,
    TooLarge,
    TooManyPending,
)

__all__ = [
    "AdamantError",
    "Bot",
    "Client",
    "Closed",
    "ConnectError",
    "ConnectionLost",
    "Game",
    "InboxOverflow",
    "RequestError",
    "Seat",
    "TooLarge",
    "TooManyPending",
    "__version__",
    "connect",
]
