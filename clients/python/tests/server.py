"""A real server, and a proxy in front of it that loses, doubles and adds frames."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as dial
from websockets.asyncio.server import Server as WebSocketServer
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from adamant_client import Client, connect

TIMEOUT = 60.0
"""The timeout of every step, for a busy machine."""

LONG = unittest.skipUnless(os.environ.get("ADAMANT_LONG"), "cargo xtask test --all")
"""Marks tests that the short form of the tests leaves out."""

names = itertools.count(1)

logging.getLogger("adamant_client").addHandler(logging.NullHandler())

Frame = dict[str, Any]


class Server:
    """The server's binary, on a data directory and a port that outlive it."""

    def __init__(self, *options: str, config: str = "") -> None:
        self.data = Path(tempfile.mkdtemp(prefix="adamant-python-"))
        (self.data / "adamant.toml").write_text(config)
        self.options = options
        self.address = "127.0.0.1:0"
        self.start()

    def start(self) -> None:
        binary = os.environ.get("ADAMANT_SERVER")
        if binary is None:
            raise RuntimeError("ADAMANT_SERVER names the server's binary; use cargo xtask python")
        config = ["--config", str(self.data / "adamant.toml"), "--listen", self.address, "--data", str(self.data)]
        self.process = subprocess.Popen([binary, *config, *self.options], stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        said = []
        for line in self.process.stderr:
            said.append(line)
            if found := re.search(r"listening url=ws://([^/]+)/v1/ws", line):
                self.address = found[1]
                self.drain = threading.Thread(target=self.process.stderr.read, daemon=True)
                self.drain.start()
                return
        raise RuntimeError(f"the server did not start; it said:\n{''.join(said)}")

    @property
    def url(self) -> str:
        return f"ws://{self.address}"

    def kill(self) -> None:
        self.end(signal.SIGKILL)

    def stop(self) -> None:
        """Stops the server as an operator does."""
        self.end(signal.SIGTERM)

    def end(self, how: signal.Signals) -> None:
        self.process.send_signal(how)
        self.process.wait()
        self.drain.join()
        if self.process.stderr is not None:
            self.process.stderr.close()

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self.data)

    def log(self, game: str) -> list[str]:
        """The record of a game, as the server stores it."""
        return self.get(f"/v1/games/{game}/log").splitlines()

    def get(self, path: str) -> str:
        with urllib.request.urlopen(f"http://{self.address}{path}", timeout=TIMEOUT) as answer:
            return str(answer.read(), "utf-8")


class Proxy:
    """Stands between a client and a server."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.received: list[Frame] = []
        """What the client has sent."""
        self.answer: Callable[[Frame], Frame | None] = lambda frame: None
        """Answers a request in place of the server."""
        self.change: Callable[[Frame, str], list[str]] = lambda frame, text: [text]
        """What the client gets for a frame of the server."""
        self.sessions: list[ServerConnection] = []
        self.opened = 0
        self.changed = asyncio.Event()

    async def start(self) -> None:
        self.listener: WebSocketServer = await serve(self.serve, "127.0.0.1", 0, ping_interval=None, close_timeout=0)
        self.url = f"ws://127.0.0.1:{self.listener.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        self.listener.close()
        self.cut()
        await self.listener.wait_closed()

    async def serve(self, session: ServerConnection) -> None:
        try:
            async with dial(f"{self.server.url}/v1/ws", max_size=None) as upstream:
                self.sessions.append(session)
                self.opened += 1
                down = asyncio.create_task(self.down(upstream, session))
                await self.up(session, upstream)
                down.cancel()
        except (OSError, ConnectionClosed):
            session.transport.abort()

    async def up(self, session: ServerConnection, upstream: ClientConnection) -> None:
        async for text in session:
            frame = json.loads(text)
            self.received.append(frame)
            self.changed.set()
            own = self.answer(frame)
            if own is None:
                await upstream.send(text)
            else:
                await session.send(json.dumps(own))

    async def down(self, upstream: ClientConnection, session: ServerConnection) -> None:
        try:
            async for text in upstream:
                for changed in self.change(json.loads(text), str(text)):
                    await session.send(changed)
        except ConnectionClosed:
            pass
        if upstream.protocol.close_code is not None and upstream.protocol.close_code != 1006:
            await session.close(upstream.protocol.close_code, upstream.protocol.close_reason or "")
        session.transport.abort()

    def cut(self) -> None:
        """Breaks all connections, as a network does: without a close frame."""
        for session in self.sessions:
            session.transport.abort()
        self.sessions.clear()

    async def close(self, code: int, reason: str) -> None:
        for session in self.sessions:
            await session.close(code, reason)
        self.sessions.clear()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits for something that the client sends."""
        while not holds():
            self.changed.clear()
            await within(self.changed.wait())

    def sent(self, type: str) -> list[Frame]:
        return [frame for frame in self.received if frame["type"] == type]


class ServerTest(unittest.IsolatedAsyncioTestCase):
    """Tests that share a server without rate limits."""

    options: tuple[str, ...] = ("--no-limits",)
    config = ""
    server: Server

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server(*cls.options, config=cls.config)
        cls.addClassCleanup(cls.server.remove)

    async def asyncSetUp(self) -> None:
        # The debug mode, which the test case switches on, remembers where each task began, and is slow.
        asyncio.get_running_loop().set_debug(False)

    async def proxy(self, server: Server | None = None) -> Proxy:
        proxy = Proxy(server or self.server)
        await proxy.start()
        self.addAsyncCleanup(proxy.stop)
        return proxy

    async def client(self, url: str | None = None, **options: Any) -> Client:
        """A new guest, or the user that the options name."""
        if not {"name", "token", "token_file", "user"} & set(options):
            options["name"] = new_name()
        client: Client = await within(opened(url or self.server.url, **options))
        self.addAsyncCleanup(client.close)
        return client

    async def game(self, *players: Client, rules: str = "adamas", **terms: Any) -> str:
        """Starts a game of these players, in this order, and returns its id once all of them have it."""
        first, *others = players
        challenge = await first.challenge(*[str(player.name) for player in others], rules=rules, **terms)
        for player in others:
            done = await player.request("accept", challenge=challenge)
        for player in players:
            await frame_of(player, lambda frame: frame.get("kind") == "started" and frame["game"] == done["game"])
        return done["game"]


async def opened(url: str, **options: Any) -> Client:
    return await connect(url, **options)


def new_name() -> str:
    """A name that no other test of this run has."""
    return f"guest-{os.getpid() % 10**6}-{next(names)}"


async def within(work: Any) -> Any:
    return await asyncio.wait_for(work, TIMEOUT)


async def frame_of(client: Client, wanted: Callable[[Frame], bool]) -> Any:
    """The next frame of a kind. Those before it are gone."""

    async def search() -> Any:
        async for frame in client:
            known: Any = frame
            if wanted(known):
                return known

    return await within(search())


def kind(*kinds: str) -> Callable[[Frame], bool]:
    """Whether a frame is an event of one of these kinds, or a message of one of these types."""
    return lambda frame: frame.get("kind") in kinds or frame["type"] in kinds


async def legal_move(client: Client, game: str) -> str:
    """The first legal move, once it is this player's turn."""
    while not client.games[game].is_my_turn or not client.games[game].legal:
        await frame_of(client, kind("your_turn"))
    return client.games[game].legal[0]
