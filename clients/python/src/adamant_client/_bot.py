"""A bot: it accepts challenges and chooses moves; the client does the rest."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, cast

from ._client import Client
from ._connect import connect
from ._game import Game
from ._tasks import end
from .errors import ConnectionLost, RequestError
from .limits import GAMES_AT_ONCE, IDLE_WAIT, RETRY_WAIT_MAX
from .protocol import AcceptanceGiven, Challenged, DeclineReason, ToClient

log = logging.getLogger("adamant_client")


class Bot:
    """A bot that plays until it is stopped. Override `choose`, and what else should differ.

    A bot that is killed and started again goes on with its games, if it has its token: see `token_file` of `connect`.
    """

    games_at_once = GAMES_AT_ONCE
    """How many games it plays at once. It declines further challenges as `busy`."""

    accepts: AcceptanceGiven | None = {}  # noqa: RUF012 - the bot only reads it
    """What the server's directory of bots says that it accepts; everything by default. `None` keeps it out of there.

    This is for people who look for a bot. What it really accepts is up to `accept`.
    """

    client: Client
    """The session. The bot sets it before it calls any method."""

    def choose(self, game: Game) -> str | Awaitable[str | None] | None:
        """Chooses a move for a game in which it is the bot's turn; `None` makes none.

        A plain method runs in a thread and may compute; an `async` method runs beside the client and must not block.
        The server's list `game.legal` has legal moves. If the turn ends meanwhile, the choice is dropped.
        A move that is not legal resigns the game. An exception stops the bot.
        """
        raise NotImplementedError

    def accept(self, challenge: Challenged) -> bool | DeclineReason:
        """Says whether the bot takes a challenge, or why not, such as `"too_fast"`."""
        return True

    async def idle(self) -> None:
        """Looks for a game. Called while the bot has none; by default the bot waits for challenges."""

    def ended(self, game: Game) -> None:
        """Called at the end of a game: see `game.result`."""
        log.info("%s", game)

    def received(self, frame: ToClient) -> None:
        """Called with every frame that is no reply, after the bot's games have taken it in."""

    def run(self, url: str, *, games: int | None = None, **options: Any) -> None:
        """Plays until Ctrl-C, or until it has finished a number of games. `options` are those of `connect`."""
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(self.play(url, games=games, **options))

    async def play(self, url: str, *, games: int | None = None, **options: Any) -> None:
        """Does what `run` does, in a program that has an event loop already."""
        async with connect(url, **options) as client:
            self.client = client
            await _Player(self, client, games).run()


class _Player:
    """One run of a bot."""

    def __init__(self, bot: Bot, client: Client, games_max: int | None) -> None:
        self.bot = bot
        self.client = client
        self.games_max = games_max
        self.finished = 0
        self.sessions = 0
        self.answered: dict[str, None] = {}
        self.promised: dict[str, str | None] = {}
        """Challenges that the bot has accepted, with the game once it has begun; the client does not have it yet."""
        self.thinking: dict[str, tuple[int, asyncio.Task[None]]] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.stir = asyncio.Event()
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        self.start(self.seek_games())
        if self.bot.accepts is not None:
            self.start(self.list_in_directory(self.bot.accepts))
        reader = self.start(self.read())
        try:
            await asyncio.wait([reader, self.failed], return_when=asyncio.FIRST_COMPLETED)
            if self.failed.done():
                await self.failed
        finally:
            await end(self.tasks)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Starts a task whose exception stops the bot."""
        task: asyncio.Task[None] = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.done)
        return task

    def done(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not self.failed.done():
            self.failed.set_exception(error)

    async def read(self) -> None:
        async for frame in self.client:
            self.handle(frame)
            self.bot.received(frame)
            if self.games_max is not None and self.finished >= self.games_max:
                return

    def handle(self, frame: ToClient) -> None:
        if frame["type"] == "welcome":
            self.sessions += 1
            # A challenge that was closed meanwhile has become one of the games, or none.
            known = {challenge["challenge"] for challenge in frame["challenges"]}
            known.update(game["game"] for game in frame["games"])
            self.promised = {id: game for id, game in self.promised.items() if (game or id) in known}
        elif frame["type"] == "your_turn":
            self.think(self.client.games.get(frame["game"]))
        elif frame["type"] == "challenged":
            self.challenged(frame)
        elif frame["type"] == "challenge_closed" and frame["challenge"] in self.promised:
            self.promise(frame["challenge"], frame.get("game"))
        elif frame["type"] == "event" and (frame["kind"] == "ended" or frame["kind"] == "aborted"):
            self.over(self.client.games.get(frame["game"]))
        self.promised = {id: game for id, game in self.promised.items() if game not in self.client.games}
        self.stir.set()

    def over(self, game: Game | None) -> None:
        if game is None or game.seat is None:
            return
        _, task = self.thinking.pop(game.id, (0, None))
        if task is not None:
            task.cancel()
        self.finished += 1
        self.bot.ended(game)

    def think(self, game: Game | None) -> None:
        """Begins to choose a move, unless that is under way for this turn."""
        if game is None or not game.is_my_turn:
            return
        turn, task = self.thinking.get(game.id, (-1, None))
        if task is not None and not task.done():
            if turn == game.turn:
                return
            task.cancel()
        self.thinking[game.id] = (game.turn, self.start(self.make_move(game, game.turn)))

    async def make_move(self, game: Game, turn: int) -> None:
        if inspect.iscoroutinefunction(self.bot.choose):
            move = await self.bot.choose(game)
        else:
            move = cast("str | None", await asyncio.to_thread(self.bot.choose, game))
        if move is None:
            return
        while game.turn == turn and game.is_my_turn:
            try:
                await game.move(move, turn=turn)
            except RequestError as error:
                if error.code == "illegal_move":
                    # The opponent should not have to wait for a bot that does not know the rules.
                    log.error("%s: %s is not legal: %s; the bot resigns", game.id, move, error)
                    await game.resign()
                elif error.retry in ("after", "same"):
                    # The client has tried for a while. As long as it is the bot's turn, so does the bot.
                    log.warning("%s: %s", game.id, error)
                    await asyncio.sleep(min(error.retry_after or 1.0, RETRY_WAIT_MAX))
                    continue
                else:
                    # The turn or the game is over. The server announces the next turn.
                    log.info("%s: %s", game.id, error)
            return

    def challenged(self, challenge: Challenged) -> None:
        """Answers a challenge, once: it arrives again when another player accepts, and after a reconnect."""
        mine = (self.client.name or "").lower()
        id = challenge["challenge"]
        if id in self.answered or any(name.lower() == mine for name in challenge["accepted"]):
            return
        answer: bool | DeclineReason = "busy"
        if self.free > 0:
            answer = self.bot.accept(challenge)
        self.answered[id] = None
        if answer is True:
            self.promised[id] = None
        self.start(self.answer(id, answer))

    async def answer(self, id: str, answer: bool | DeclineReason) -> None:
        try:
            if answer is True:
                done = await self.client.request("accept", challenge=id)
                # Without a game, the challenge waits for further players.
                if "game" in done:
                    self.promise(id, done["game"])
            else:
                await self.client.request("decline", challenge=id, reason=answer or "generic")
        except ConnectionLost:
            # If the server did not receive it, the challenge arrives again.
            self.answered.pop(id, None)
            self.promise(id, None)
        except RequestError as error:
            # It was cancelled, or answered before.
            log.info("challenge %s: %s", id, error)
            self.promise(id, None)
        if len(self.answered) > 2 * self.client.welcome["limits"].get("open_challenges", 100):
            self.answered.pop(next(iter(self.answered)))

    def promise(self, id: str, game: str | None) -> None:
        """Keeps the place of an accepted challenge until the client has its game. Without a game, frees it."""
        if game is None or game in self.client.games:
            self.promised.pop(id, None)
        elif id in self.promised:
            self.promised[id] = game
        self.stir.set()

    async def seek_games(self) -> None:
        """Calls `idle` while the bot has no game, but not faster than games begin or `IDLE_WAIT` passes."""
        while True:
            await self.until(lambda: self.sessions > 0 and not self.client.live_games)
            if self.games_max is not None and self.finished >= self.games_max:
                return
            finished, sessions = self.finished, self.sessions
            try:
                await self.bot.idle()
            except ConnectionLost as error:
                # The server may have received the request: the next `welcome` shows what came of it.
                log.info("%s", error)
                await self.until(lambda: self.sessions > sessions)  # noqa: B023
                if not any(challenge["direction"] == "out" for challenge in self.client.welcome["challenges"]):
                    continue
            except RequestError as error:
                if error.retry == "never" and error.code != "rate_limited":
                    raise
                log.warning("%s", error)
            with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
                begun = self.until(lambda: bool(self.client.live_games) or self.finished > finished)  # noqa: B023
                await asyncio.wait_for(begun, IDLE_WAIT)

    @property
    def free(self) -> int:
        """How many further games the bot would begin."""
        left = self.bot.games_at_once
        if self.games_max is not None:
            left = min(left, self.games_max - self.finished)
        return max(0, left - len(self.client.live_games) - len(self.promised))

    async def list_in_directory(self, accepts: AcceptanceGiven) -> None:
        """Says in each session, and whenever it changes, how many games the bot would begin."""
        said = (0, 0)
        while True:
            await self.until(lambda: self.sessions > 0 and (self.sessions, self.free) != said)  # noqa: B023
            said = (self.sessions, self.free)
            user = self.client.welcome["user"]
            if user is None or not user["bot"]:
                continue
            try:
                await self.client.request("bot_status", accepts=accepts, free=self.free)
            except (ConnectionLost, RequestError) as error:
                # The next session says it again.
                log.info("the directory: %s", error)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits for something that frames bring about."""
        while not holds():
            self.stir.clear()
            await self.stir.wait()
