"""Opens a session: the WebSocket handshake, `hello` and `welcome`."""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
import time
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any, cast

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as dial
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI, WebSocketException
from websockets.typing import Subprotocol

from .errors import CLOSE_CODES_FINAL, ConnectError, plain
from .limits import CLOSE_TIMEOUT, FRAME_IN_BYTES_MAX, OPEN_TIMEOUT, PING_EVERY, PING_TIMEOUT
from .protocol import Failed, Hello, Welcome

SUBPROTOCOL = Subprotocol("adamant.v1.json")

# `websockets` logs all frames at the level of DEBUG, with passwords and tokens.
socket_log = logging.getLogger("adamant_client.websockets")
socket_log.setLevel(logging.INFO)

try:
    VERSION = version("adamant-client")
except PackageNotFoundError:
    # It runs from the source tree.
    VERSION = "0"


@dataclass(frozen=True)
class Drop:
    """Why a connection ended, and whether another one may follow."""

    why: str
    code: int | None = None
    may_reconnect: bool = True
    retry_after: float | None = None


@dataclass(frozen=True)
class Session:
    """An open session."""

    socket: ClientConnection
    welcome: Welcome = field(repr=False)
    ahead_ms: int
    """How far the server's clock is ahead of this machine's."""


def encode(frame: dict[str, Any]) -> str:
    return json.dumps(frame, separators=(",", ":"), ensure_ascii=False)


def now_ms() -> int:
    """This machine's time by a clock that nobody sets."""
    return time.monotonic_ns() // 1_000_000


async def open_session(url: str, hello: Hello, tls: ssl.SSLContext | None) -> Session:
    """Opens a session, or raises `ConnectError`."""
    options: dict[str, Any] = {} if tls is None else {"ssl": tls}
    try:
        socket = await dial(
            url,
            subprotocols=[SUBPROTOCOL],
            compression=None,
            max_size=FRAME_IN_BYTES_MAX,
            open_timeout=OPEN_TIMEOUT,
            ping_interval=PING_EVERY,
            ping_timeout=PING_TIMEOUT,
            close_timeout=CLOSE_TIMEOUT,
            logger=socket_log,
            user_agent_header=f"adamant-client/{VERSION}",
            **options,
        )
    except InvalidStatus as error:
        raise refused_by_http(url, error) from error
    except (TimeoutError, asyncio.TimeoutError) as error:
        raise ConnectError(f"the server at {url} did not answer in time") from error
    except InvalidURI as error:
        raise ConnectError(f"{url} is not a server's address", may_retry=False) from error
    except InvalidHandshake as error:
        raise ConnectError(f"what answers at {url} is not an Adamant server: {error}") from error
    except (OSError, WebSocketException) as error:
        raise ConnectError(f"cannot reach the server at {url}: {error}") from error
    try:
        sent_at = now_ms()
        welcome = await asyncio.wait_for(say_hello(socket, hello), OPEN_TIMEOUT)
        # The middle of the round trip is nearest to the moment that `ts` names.
        return Session(socket, welcome, welcome["ts"] - (sent_at + now_ms()) // 2)
    except BaseException as error:
        await socket.close()
        if isinstance(error, TimeoutError | asyncio.TimeoutError):
            raise ConnectError(f"the server at {url} did not answer in time") from error
        raise


async def say_hello(socket: ClientConnection, hello: Hello) -> Welcome:
    try:
        await socket.send(encode(cast("dict[str, Any]", hello)))
        while True:
            frame = parse(await socket.recv())
            if frame is None or frame.get("re", hello["id"]) != hello["id"]:
                continue
            if frame["type"] == "welcome":
                return cast(Welcome, frame)
            if frame["type"] == "error":
                raise refused(cast(Failed, frame))
    except ConnectionClosed as error:
        drop = drop_of(error)
        raise ConnectError(drop.why, may_retry=drop.may_reconnect) from error


def parse(text: str | bytes) -> dict[str, Any] | None:
    """Returns a frame, or `None` for what is none."""
    if not isinstance(text, str):
        return None
    try:
        frame = json.loads(text)
    except ValueError:
        return None
    return frame if isinstance(frame, dict) and isinstance(frame.get("type"), str) else None


def refused(frame: Failed) -> ConnectError:
    """The error of a rejected `hello`."""
    wait = frame.get("retry_after_ms")
    return ConnectError(
        f"{frame['message']} ({frame['code']})",
        code=frame["code"],
        may_retry=frame["retry"] != "never",
        retry_after=None if wait is None else wait / 1000,
    )


def refused_by_http(url: str, error: InvalidStatus) -> ConnectError:
    """The error of an answer by HTTP instead of a WebSocket."""
    status = error.response.status_code
    try:
        body = json.loads(error.response.body or b"{}")
        message, wait = body["message"], body.get("retry_after_ms")
    except (ValueError, KeyError, TypeError):
        return ConnectError(f"what answers at {url} is not an Adamant server, or cannot reach it: HTTP status {status}")
    return ConnectError(
        f"the server at {url} takes no connection: {message}",
        code=body.get("code"),
        may_retry=status in (429, 503),
        retry_after=None if wait is None else wait / 1000,
    )


def drop_of(error: ConnectionClosed) -> Drop:
    """Why a socket was closed."""
    if error.rcvd is None:
        return Drop("the connection broke")
    code, reason = error.rcvd.code, plain(error.rcvd.reason)
    # Codes that the protocol does not name come from proxies, crashes and later servers.
    return Drop(f"the server closed the connection: {reason} ({code})", code, code not in CLOSE_CODES_FINAL)
