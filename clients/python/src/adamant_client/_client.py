"""The client: it keeps one session with a server, and opens the next one when it is lost."""

from __future__ import annotations

import asyncio
import logging
import secrets
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any, cast

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from ._game import Game, Requester
from ._inbox import Inbox
from ._pace import Backoff, Rate
from ._pending import ACTS, REPEATABLE, Pending, PendingRequests
from ._record import Arrival
from ._session import Drop, Session, drop_of, encode, now_ms, open_session, parse
from ._tasks import end
from .errors import Closed, ConnectError, RequestError, TooLarge
from .limits import (
    CURSOR_BYTES_MAX,
    CURSORS_MAX,
    FIRST_WAIT_MAX,
    FRAME_OUT_BYTES_MAX,
    GAMES_MAX,
    HELLO_BYTES_MAX,
    RETRIES_MAX,
    RETRY_WAIT_MAX,
    RETRY_WAIT_MIN,
    STEADY_AFTER,
)
from .protocol import Auth, Cursor, Event, Failed, Hello, Me, OptionValue, Snapshot, TimeControl, ToClient, Welcome

log = logging.getLogger("adamant_client")


class Client(Requester):
    """A session with a server, which outlives lost connections. `connect` makes it.

    `async for frame in client` yields all frames that are no replies: the events of games, each once and in order,
    and messages such as `your_turn` and `challenged`. A `welcome` begins each session. A `your_turn` whose turn is over
    is left out. There is one reader.
    """

    def __init__(
        self, url: str, auth: Auth | None, caps: list[str], software: tuple[str, str], tls: ssl.SSLContext | None
    ) -> None:
        self.url = url
        self.auth = auth
        self._caps = caps
        self._software = software
        self._tls = tls
        self._session: Session | None = None
        self._games: dict[str, Game] = {}
        self._unwatched: dict[str, None] = {}
        self._fills: dict[str, Game] = {}
        self._pending = PendingRequests()
        self._to_send = asyncio.Event()
        self._inbox = Inbox()
        self._backoff = Backoff()
        self._restart_in: float | None = None
        self._ids = 0
        self._id_prefix = secrets.token_hex(5)
        self._task: asyncio.Task[None] | None = None
        self._closed: Closed | None = None

    # What the program knows.

    @property
    def welcome(self) -> Welcome:
        """The `welcome` of the present session, or of the last one."""
        assert self._session is not None, "a client is opened by connect"
        return self._session.welcome

    @property
    def user(self) -> Me | None:
        """Your user; `None` if you only watch."""
        return self.welcome["user"]

    @property
    def name(self) -> str | None:
        return self.user["name"] if self.user else None

    @property
    def token(self) -> str | None:
        """The secret to come back with. Keep it: a guest without it cannot come back as the same guest."""
        return cast("dict[str, str]", self.auth).get("token") if self.auth else None

    @property
    def games(self) -> Mapping[str, Game]:
        """The games that you play or watch, by id, and those that have ended meanwhile."""
        return self._games

    @property
    def live_games(self) -> list[Game]:
        """The games that you play and that are not over."""
        return [game for game in self._games.values() if game.is_live and game.seat is not None]

    def server_time(self) -> int:
        """The server's clock, in milliseconds since the Unix epoch."""
        return now_ms() + (self._session.ahead_ms if self._session else 0)

    def __aiter__(self) -> AsyncIterator[ToClient]:
        return self

    async def __anext__(self) -> ToClient:
        while True:
            frame = await self._inbox.get()
            # The server repeats `your_turn` after each reconnect. The program may have moved meanwhile.
            if frame["type"] != "your_turn" or self._is_due(frame["game"], frame["turn"]):
                return frame

    def _is_due(self, id: str, turn: int) -> bool:
        game = self._games.get(id)
        return game is not None and game.is_my_turn and game.turn == turn

    def raise_if_closed(self) -> None:
        """Raises `Closed` if there will be no further connection."""
        if self._closed is not None:
            raise Closed(str(self._closed), self._closed.code)

    # What the program does.

    async def follow(self, game: str) -> Game:
        """Watches a game, and returns it with its board."""
        await self.request("watch", game=game)
        return self._game(game)

    async def challenge(
        self,
        *opponents: str,
        rules: str,
        seat: int = 0,
        shuffle: bool = False,
        options: dict[str, OptionValue] | str | None = None,
        clock: TimeControl | None = None,
        rated: bool = False,
    ) -> str:
        """Challenges one or two users, and returns the id of the challenge. `seat` is your own, from 0."""
        if self.name is None:
            raise ValueError("to challenge others, connect with a name or a token")
        seats = list(opponents)
        seats.insert(seat, self.name)
        done = await self.request(
            "challenge",
            rules=rules,
            seats=seats,
            shuffle=shuffle,
            options=options if options is not None else {},
            clock=clock if clock is not None else {"mode": "none"},
            rated=rated,
        )
        return done["challenge"]

    async def sign_up(self, user: str, password: str) -> str:
        """Creates an account and returns its token. The session goes on as its user.

        The session is one without a user, or that of a guest who is no program: `connect(url, name=.., bot=False)`.
        """
        done = await self.request("signup", user=user, password=password)
        self.auth = {"token": done["token"]}
        # The server has logged this session in as another user; `hello` is not repeated.
        me: Me = {"name": done["user"], "bot": False, "guest": False}
        cast("dict[str, Any]", self.welcome)["user"] = me
        return done["token"]

    async def create_bot_token(self, name: str, label: str = "adamant-client") -> str:
        """Returns a new token for a bot of yours, which is created if you have none of that name.

        It needs an account: connect with its token or its password. The server shows a token only once.
        """
        bots = await self.request("bot_list")
        if all(bot["name"].lower() != name.lower() for bot in bots["bots"]):
            await self.request("bot_create", name=name)
        return (await self.request("token_create", label=label, user=name))["token"]

    async def close(self) -> None:
        """Closes the connection for good."""
        if self._task is not None:
            await end({self._task})
        self._finish(Closed("the connection was closed here"), None)

    # Requests.

    async def _request(self, type: str, fields: dict[str, Any]) -> Any:
        self.raise_if_closed()
        id = fields.pop("id", None) or self._next_id()
        text = encode({"type": type, "id": id, **{key.removesuffix("_"): value for key, value in fields.items()}})
        limit = self._frame_bytes_max
        if len(text.encode()) > limit:
            raise TooLarge(f"the request has {len(text.encode())} bytes; the server accepts {limit}")
        if type == "watch":
            self._unwatched.pop(fields["game"], None)
            self._game(fields["game"])
        elif type == "unwatch":
            self._forget(fields["game"])
        for attempt in range(RETRIES_MAX + 1):
            reply = await self._reply(Pending(id, type, text, asyncio.get_running_loop().create_future()))
            if reply["type"] != "error":
                return reply
            error = RequestError(cast(Failed, reply))
            wait = retry_wait(type, error, attempt)
            if wait is None:
                break
            log.info("%s: %s; sent again in %.1f s", type, error, wait)
            await asyncio.sleep(wait)
        if type == "watch" and self._game(fields["game"]).seq == 0:
            self._games.pop(fields["game"])
        raise error

    @property
    def _frame_bytes_max(self) -> int:
        """The largest frame that the server accepts, as far as it has said so."""
        if self._session is None:
            return FRAME_OUT_BYTES_MAX
        return self._session.welcome["limits"].get("frame_bytes", FRAME_OUT_BYTES_MAX)

    async def _reply(self, request: Pending) -> dict[str, Any]:
        self._pending.add(request)
        self._to_send.set()
        try:
            return await request.reply
        except asyncio.CancelledError:
            # The server may have an act already, or may get it: it has to reach its end.
            if request.type not in ACTS:
                self._pending.remove(request.id)
            raise

    def _next_id(self) -> str:
        # The server stores ids of acts with their games, so no other run may have used them.
        self._ids += 1
        return f"{self._id_prefix}-{self._ids}"

    # The connection.

    async def _start(self) -> None:
        self._session = await open_session(self.url, self._hello(), self._tls)
        self._task = asyncio.create_task(self._run(self._session))

    def _hello(self) -> Hello:
        name, version = self._software
        hello: Hello = {
            "type": "hello",
            "id": self._next_id(),
            "proto": [1],
            "client": {"name": name, "version": version},
            "caps": self._caps,
            "resume": self._cursors(),
        }
        if self.auth is not None:
            hello["auth"] = self.auth
        return hello

    def _cursors(self) -> dict[str, Cursor]:
        """The live games, those with the latest events first."""
        latest = reversed(self._games.values())
        live = [game for game in latest if game.is_live and game.seq > 0]
        room = (self._frame_bytes_max - HELLO_BYTES_MAX) // CURSOR_BYTES_MAX
        return {game.id: game._record.cursor() for game in live[: max(0, min(room, CURSORS_MAX))]}

    async def _run(self, first: Session) -> None:
        session: Session | None = first
        try:
            while True:
                if session is not None:
                    drop = await self._serve(session)
                    session = None
                else:
                    try:
                        self._session = session = await open_session(self.url, self._hello(), self._tls)
                        continue
                    except ConnectError as error:
                        drop = Drop(str(error), None, error.may_retry, error.retry_after)
                self._connection_lost()
                if not drop.may_reconnect:
                    closed = Closed(drop.why, drop.code)
                    self._finish(closed, closed)
                    return
                await self._wait(drop)
        except Exception as error:
            log.exception("the client has failed")
            closed = Closed(f"the client has failed: {error!r}")
            self._finish(closed, closed)

    async def _wait(self, drop: Drop) -> None:
        """Waits before the next attempt. The server spreads its clients itself when it names a time."""
        asked = drop.retry_after if drop.retry_after is not None else self._restart_in
        self._restart_in = None
        wait = self._backoff.next(time.monotonic())
        wait = asked if asked is not None else wait
        log.warning("%s; connecting again in %.1f s", drop.why, wait)
        await asyncio.sleep(wait)
        await self._inbox.wait_for_room()

    def _connection_lost(self) -> None:
        self._pending.connection_lost()
        for id in self._fills:
            self._pending.remove(id)
        self._fills.clear()
        for game in self._games.values():
            game._record.connection_lost()

    def _finish(self, closed: Closed, end: Closed | None) -> None:
        if self._closed is not None:
            return
        self._closed = closed
        self._pending.close(closed)
        self._inbox.close(end)
        for game in self._games.values():
            game._record.connection_lost()
            game._wake()

    async def _serve(self, session: Session) -> Drop:
        """Serves one session, and returns why it ended."""
        since = time.monotonic()
        self._backoff.opened()
        self._on_welcome(session.welcome)
        writer = asyncio.create_task(self._write(session.socket, Rate(session.welcome["limits"])))
        try:
            while not self._inbox.is_full:
                text = await session.socket.recv()
                frame = parse(text)
                if frame is not None:
                    self._on_frame(frame, cast(str, text))
                if self._inbox.is_filling:
                    # Frames that are here already are read without a pause: the program gets its turn.
                    await asyncio.sleep(0)
            return Drop("the program does not read its frames")
        except ConnectionClosed as error:
            return drop_of(error)
        finally:
            await end({writer})
            await session.socket.close()
            if time.monotonic() - since >= STEADY_AFTER:
                self._backoff.reset()

    async def _write(self, socket: ClientConnection, rate: Rate) -> None:
        """Sends what this connection has not sent yet, oldest first."""
        try:
            while True:
                request = self._pending.unsent()
                if request is None:
                    self._to_send.clear()
                    await self._to_send.wait()
                elif wait := rate.take():
                    await asyncio.sleep(wait)
                else:
                    request.was_sent = True
                    await socket.send(request.text)
        except ConnectionClosed:
            # The reader sees why.
            return

    # Frames.

    def _on_welcome(self, welcome: Welcome) -> None:
        if "token" in welcome:
            self.auth = {"token": welcome["token"]}
        for resumed in welcome["games"]:
            if resumed["resume"] == "gone":
                self._games.pop(resumed["game"], None)
                continue
            if resumed["game"] in self._unwatched:
                continue
            game = self._game(resumed["game"])
            if resumed["resume"] == "fork":
                log.warning("%s: the server's record differs from what it was", game.id)
                game._on_fork()
        self._inbox.put(welcome)

    def _on_frame(self, frame: dict[str, Any], text: str) -> None:
        """Handles a frame. What it does not know, it only passes on."""
        if frame.get("game") in self._unwatched and frame["type"] in ("event", "snapshot", "your_turn", "presence"):
            return
        if frame["type"] == "snapshot":
            self._game(frame["game"])._on_snapshot(cast(Snapshot, frame))
        re = frame.get("re")
        if re is not None:
            self._on_reply(re, frame)
            return
        if frame["type"] == "event":
            if not self._on_event(cast(Event, frame), text):
                return
        elif frame["type"] == "your_turn":
            self._game(frame["game"])._state.apply_your_turn(cast(Any, frame))
        elif frame["type"] == "presence":
            state = self._game(frame["game"])._state
            state.presence, state.spectators = frame["seats"], frame["spectators"]
        elif frame["type"] == "notice" and frame["what"] == "restart":
            self._restart_in = frame.get("in_ms", FIRST_WAIT_MAX * 1000) / 1000
        self._inbox.put(cast(ToClient, frame))

    def _on_reply(self, re: str, frame: dict[str, Any]) -> None:
        request = self._pending.remove(re)
        filled = self._fills.pop(re, None)
        if filled is not None:
            filled._record.fill_answered(frame.get("seq"))
        if request is not None and not request.reply.done():
            request.reply.set_result(frame)

    def _on_event(self, event: Event, text: str) -> bool:
        """Returns whether the event is the next one of its game. Asks for events that are missing."""
        game = self._game(event["game"])
        arrival = game._on_event(event, text)
        if arrival is Arrival.GAP:
            id = self._next_id()
            text = encode({"type": "watch", "id": id, "game": game.id, "from": game.seq + 1})
            # No caller waits, and the number of such requests is bounded by that of the games.
            self._pending.by_id[id] = Pending(id, "watch", text, asyncio.get_running_loop().create_future())
            self._fills[id] = game
            game._record.filling = id
            self._to_send.set()
        return arrival is Arrival.NEXT

    def _game(self, id: str) -> Game:
        """The game of an id, which becomes the one with the latest event."""
        game = self._games.pop(id, None) or Game(self, id)
        if len(self._games) >= GAMES_MAX:
            known = self._games.values()
            oldest = next((game for game in known if not game.is_live), next(iter(known)))
            del self._games[oldest.id]
        self._games[id] = game
        return game

    def _forget(self, id: str) -> None:
        """Ends a game for the program. What still arrives of it was under way."""
        game = self._games.pop(id, None)
        if game is not None:
            game._leave()
        self._unwatched[id] = None
        if len(self._unwatched) > GAMES_MAX:
            del self._unwatched[next(iter(self._unwatched))]


def retry_wait(type: str, error: RequestError, attempt: int) -> float | None:
    """How long to wait before a refused request is sent again, unchanged; `None` if it is not."""
    if attempt >= RETRIES_MAX:
        return None
    if error.retry == "after":
        named = error.retry_after if error.retry_after is not None else 1.0
    elif error.retry == "same" and type in REPEATABLE:
        named = 0.0
    else:
        return None
    return max(named, RETRY_WAIT_MIN * 2.0**attempt) if named <= RETRY_WAIT_MAX else None
