"""Bots: what they accept, how they move, and that they survive."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from typing import Any
from unittest import mock

from adamant_client import Bot, Client, Closed, Game
from adamant_client.protocol import Challenged, DeclineReason, DirectoryEntry, ToClient

from .server import LONG, Server, ServerTest, frame_of, kind, legal_move, new_name, within


class RandomBot(Bot):
    """Plays at random, and remembers what it has seen."""

    def __init__(self, url: str, against: str | None = None, rules: str = "diam") -> None:
        self.url = url
        self.against = against
        self.rules = rules
        self.name = new_name()
        self.results: list[Game] = []
        self.ready = asyncio.Event()
        self.asked = 0

    async def idle(self) -> None:
        self.asked += 1
        if self.against is not None:
            await self.client.challenge(self.against, rules=self.rules)

    def choose(self, game: Game) -> str | None:
        return random.choice(game.legal)

    def ended(self, game: Game) -> None:
        self.results.append(game)

    def received(self, frame: ToClient) -> None:
        self.ready.set()

    def start(self, **options: Any) -> asyncio.Task[None]:
        if "token_file" not in options:
            options["name"] = self.name
        return asyncio.create_task(self.play(self.url, **options))


class Picky(RandomBot):
    games_at_once = 1

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.accepts = {"games": [{"rules": "adamas"}, {"rules": "diam"}]}

    def accept(self, challenge: Challenged) -> bool | DeclineReason:
        return "game" if challenge["rules"].startswith("hexma") else True


class Wrong(RandomBot):
    def choose(self, game: Game) -> str | None:
        return "z9-z8"


class Broken(RandomBot):
    async def choose(self, game: Game) -> str | None:  # type: ignore[override]
        raise ZeroDivisionError


class Slow(RandomBot):
    """Thinks until it is let go, without blocking the client."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.go = asyncio.Event()
        self.begun = 0

    async def choose(self, game: Game) -> str | None:  # type: ignore[override]
        self.begun += 1
        await self.go.wait()
        return game.legal[0]


class Unwilling(RandomBot):
    """Swallows the first cancellation, as `asyncio.wait_for` did when it succeeded at the same moment."""

    async def idle(self) -> None:
        self.ready.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    def received(self, frame: ToClient) -> None:
        pass


class Bots(ServerTest):
    async def started(self, bot: RandomBot, **options: Any) -> asyncio.Task[None]:
        task = bot.start(**options)
        self.addAsyncCleanup(ended, task)
        await asyncio.wait([task, asyncio.create_task(bot.ready.wait())], return_when=asyncio.FIRST_COMPLETED)
        return task

    async def test_a_bot_plays_one_game_after_the_other_against_the_house(self) -> None:
        bot = RandomBot(self.server.url, against="house-easy")
        await within(await self.started(bot, games=3))
        self.assertEqual([game.opponents for game in bot.results], [["house-easy"]] * 3)
        self.assertTrue(all(game.result for game in bot.results))
        self.assertEqual(bot.asked, 3)

    async def listed(self, client: Client, bot: RandomBot, free: int) -> DirectoryEntry:
        """Waits until the directory says that a bot would begin a number of games."""
        while True:
            for entry in (await client.request("directory"))["bots"]:
                if entry["user"] == bot.name and entry.get("free") == free:
                    return entry

    async def test_a_bot_accepts_what_it_wants(self) -> None:
        bot = Picky(self.server.url)
        await self.started(bot)
        ann = await self.client()
        entry = await within(self.listed(ann, bot, 1))
        self.assertEqual(entry["accepts"].get("games"), [{"rules": "adamas"}, {"rules": "diam"}])
        await ann.challenge(bot.name, rules="hexma")
        closed = await frame_of(ann, kind("challenge_closed"))
        self.assertEqual((closed["reason"], closed["by"]), ("game", bot.name))
        await ann.challenge(bot.name, rules="adamas")
        await frame_of(ann, kind("created"))
        await ann.challenge(bot.name, rules="adamas")
        self.assertEqual((await frame_of(ann, kind("challenge_closed")))["reason"], "busy")
        await within(self.listed(ann, bot, 0))

    async def test_challenges_at_the_same_moment_get_no_more_places_than_there_are(self) -> None:
        proxy = await self.proxy()
        held: list[str] = []

        def together(frame: dict[str, Any], text: str) -> list[str]:
            if frame["type"] != "challenged":
                return [text]
            held.append(text)
            return held if len(held) == 2 else []

        proxy.change = together
        bot = Picky(proxy.url)
        await self.started(bot)
        ann, cy = await self.client(), await self.client()
        for client in (ann, cy):
            await client.challenge(bot.name, rules="diam")
        self.assertIn("game", await frame_of(ann, kind("challenge_closed")))
        self.assertEqual((await frame_of(cy, kind("challenge_closed"))).get("reason"), "busy")

    async def test_a_challenge_that_waits_for_others_has_its_place(self) -> None:
        bot = Picky(self.server.url)
        await self.started(bot)
        ann, cy = await self.client(), await self.client()
        await ann.challenge(bot.name, str(cy.name), rules="adamas")
        waiting = await frame_of(ann, kind("challenged"))
        self.assertIn(bot.name, waiting["accepted"])
        await cy.challenge(bot.name, rules="diam")
        self.assertEqual((await frame_of(cy, kind("challenge_closed"))).get("reason"), "busy")
        await cy.request("decline", challenge=waiting["challenge"])
        await within(self.listed(ann, bot, 1))
        await cy.challenge(bot.name, rules="diam")
        await frame_of(cy, kind("created"))

    async def test_an_answer_that_never_arrived_is_given_again(self) -> None:
        proxy = await self.proxy()
        bot = RandomBot(proxy.url)
        await self.started(bot)
        ann = await self.client()
        proxy.answer = lambda frame: {"type": "lost"} if frame["type"] == "accept" else None
        await ann.challenge(bot.name, rules="adamas")
        await proxy.until(lambda: bool(proxy.sent("accept")))
        proxy.answer = lambda frame: None
        proxy.cut()
        self.assertIn("game", await frame_of(ann, kind("challenge_closed")))

    async def test_a_challenge_to_three_is_answered_once(self) -> None:
        bots = [RandomBot(self.server.url), RandomBot(self.server.url)]
        for bot in bots:
            await self.started(bot)
        ann = await self.client()
        with self.assertNoLogs("adamant_client", logging.INFO):
            await ann.challenge(*(bot.name for bot in bots), rules="adamas")
            created = await frame_of(ann, kind("created"))
        self.assertEqual(len(created["seats"]), 3)

    async def test_a_bot_resigns_after_a_move_that_is_not_legal(self) -> None:
        bot = Wrong(self.server.url, against="house-easy")
        with self.assertLogs("adamant_client", logging.ERROR) as logs:
            await within(await self.started(bot, games=1))
        self.assertIn("z9-z8 is not legal", logs.output[0])
        result = bot.results[0].result
        self.assertEqual(result and result["reason"], "resigned")

    async def test_an_exception_stops_the_bot(self) -> None:
        with self.assertRaises(ZeroDivisionError):
            await within(await self.started(Broken(self.server.url, against="house-easy")))
        with self.assertRaisesRegex(Exception, "not_found"):
            await within(await self.started(RandomBot(self.server.url, against="no-such-user")))

    async def test_a_bot_stops_even_if_a_task_swallows_its_cancellation(self) -> None:
        bot = Unwilling(self.server.url)
        playing = bot.start()
        await within(bot.ready.wait())
        playing.cancel()
        await within(asyncio.wait([playing]))
        self.assertTrue(playing.cancelled())

    async def test_a_turn_that_ends_while_the_bot_thinks_ends_the_thought(self) -> None:
        bot = Slow(self.server.url)
        await self.started(bot)
        ann, cy = await self.client(), await self.client()
        await ann.challenge(bot.name, str(cy.name), rules="adamas", seat=1)
        await cy.request("accept", challenge=(await frame_of(cy, kind("challenged")))["challenge"])
        created = await frame_of(ann, kind("created"))
        self.assertEqual(created["seats"][0]["user"], bot.name)
        await until(ann, lambda: bot.begun == 1)
        await frame_of(cy, kind("started"))
        await cy.games[created["game"]].resign()
        await until(ann, lambda: bot.begun == 2)
        bot.go.set()
        moved = await frame_of(ann, kind("moved"))
        self.assertEqual((moved["seat"], moved["turn"]), (0, 2))

    async def test_the_same_turn_after_a_drop_is_thought_about_once(self) -> None:
        proxy = await self.proxy()
        bot = Slow(proxy.url)
        await self.started(bot)
        ann = await self.client()
        await ann.challenge(bot.name, rules="adamas", seat=1)
        await frame_of(ann, kind("created"))
        await until(ann, lambda: bot.begun == 1)
        proxy.cut()
        await proxy.until(lambda: len(proxy.sent("hello")) == 2)
        await within(bot.client.request("ping"))
        bot.go.set()
        await frame_of(ann, kind("moved"))
        self.assertEqual((bot.begun, len(proxy.sent("move"))), (1, 1))

    async def test_a_bot_that_is_started_again_goes_on(self) -> None:
        file = self.server.data / "bot.token"
        first = RandomBot(self.server.url, rules="hexma")
        task = await self.started(first, name=first.name, token_file=file)
        ann = await self.client()
        await ann.challenge(first.name, rules="hexma")
        id = (await frame_of(ann, kind("started")))["game"]
        game = ann.games[id]
        await game.move(await legal_move(ann, id))
        await legal_move(ann, id)
        await ended(task)
        await game.move(await legal_move(ann, id))
        second = RandomBot(self.server.url)
        await self.started(second, name=first.name, token_file=file, games=1)
        await legal_move(ann, id)
        self.assertEqual((second.client.name, game.ply), (first.name, 4))

    async def test_a_bot_that_is_replaced_stops(self) -> None:
        bot = RandomBot(self.server.url)
        task = await self.started(bot)
        await self.client(token=bot.client.token)
        with self.assertRaises(Closed) as closed:
            await within(task)
        self.assertEqual(closed.exception.code, 4003)

    async def test_a_house_that_declines_is_not_asked_at_once_again(self) -> None:
        with mock.patch("adamant_client._bot.IDLE_WAIT", 0.3):
            ann = await self.client()
            bot = RandomBot(self.server.url, against=str(ann.name))
            await self.started(bot)
            for _ in range(2):
                challenged = await frame_of(ann, kind("challenged"))
                before = asyncio.get_running_loop().time()
                await ann.request("decline", challenge=challenged["challenge"])
            await frame_of(ann, kind("challenged"))
            self.assertGreater(asyncio.get_running_loop().time() - before, 0.2)


@LONG
class Killed(ServerTest):
    async def test_bots_finish_their_games_on_a_server_that_is_killed_again_and_again(self) -> None:
        own = await asyncio.to_thread(Server, "--no-limits")
        self.addAsyncCleanup(asyncio.to_thread, own.remove)
        host = RandomBot(own.url)
        guest = RandomBot(own.url, against=host.name, rules="diam")
        running = host.start(games=4)
        self.addAsyncCleanup(ended, running)
        await within(host.ready.wait())
        playing = guest.start(games=4)
        self.addAsyncCleanup(ended, playing)
        await within(guest.ready.wait())
        for games in (1, 2, 3):
            await until(guest.client, lambda games=games: len(guest.results) >= games or playing.done())
            await asyncio.to_thread(own.kill)
            await asyncio.to_thread(own.start)
        await within(asyncio.gather(running, playing))
        self.assertEqual([game.id for game in host.results], [game.id for game in guest.results])
        for game in [*host.results, *guest.results]:
            # A game that began while the server was killed is followed from a snapshot on.
            self.assertEqual(game.record, own.log(game.id)[-len(game.record) :])


async def ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


async def until(client: Client, holds: Any) -> None:
    """Waits for something in this process, one round trip after the other."""
    while not holds():
        await within(client.request("ping"))
