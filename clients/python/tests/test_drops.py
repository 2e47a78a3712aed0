"""Connections that break, and servers that stop or are killed."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import time
from typing import Any
from unittest import mock

from adamant_client import Client, Closed, ConnectionLost
from adamant_client._pace import Backoff
from adamant_client._tasks import end
from adamant_client.errors import CLOSE_CODES_FINAL
from adamant_client.limits import EAGER_FOR, EAGER_WAIT_MAX, WAIT_MAX

from .server import LONG, TIMEOUT, Frame, Server, ServerTest, frame_of, kind, legal_move, within
from .test_games import play, read


class Drops(ServerTest):
    async def test_closing_ends_what_swallows_a_cancellation(self) -> None:
        async def stubborn() -> None:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            await asyncio.Event().wait()

        task = asyncio.create_task(stubborn())
        await asyncio.sleep(0)
        await within(end({task}))
        self.assertTrue(task.cancelled())

    async def test_a_move_whose_reply_is_lost_is_made_once(self) -> None:
        proxy = await self.proxy()
        ann, bob = await self.client(proxy.url), await self.client()
        id = await self.game(ann, bob)
        game = ann.games[id]
        proxy.change = lambda frame, text: []
        moving = asyncio.create_task(game.move("c1-c2"))
        await frame_of(bob, kind("moved"))
        proxy.change = lambda frame, text: [text]
        proxy.cut()
        done = await within(moving)
        self.assertTrue(done["dup"])
        self.assertEqual(proxy.sent("move")[0], proxy.sent("move")[1])
        self.assertEqual((await frame_of(ann, kind("moved")))["move"], "c1-c2")
        self.assertEqual(game.ply, 1)
        self.assertEqual(game.record, self.server.log(id))

    async def test_a_request_that_never_arrived_is_sent_again_only_if_that_does_no_harm(self) -> None:
        proxy = await self.proxy()
        client = await self.client(proxy.url)
        proxy.change = lambda frame, text: []
        reading = asyncio.create_task(client.request("games"))
        seeking = asyncio.create_task(client.request("seek", rules="hexma"))
        await proxy.until(lambda: len(proxy.received) == 3)
        proxy.change = lambda frame, text: [text]
        proxy.cut()
        with self.assertRaises(ConnectionLost):
            await within(seeking)
        waiting = asyncio.create_task(client.request("seek", rules="hexma"))
        self.assertEqual((await within(reading))["type"], "games")
        self.assertIn("seek", await within(waiting), "it waits for the connection")

    async def test_events_of_a_lost_connection_arrive_once_and_in_order(self) -> None:
        proxy = await self.proxy()
        ann, bob, eve = await self.client(proxy.url), await self.client(), await self.client(proxy.url)
        id = await self.game(ann, bob, rules="hexma")
        watching = asyncio.create_task(read(await eve.follow(id)))
        for number in range(12):
            player = (ann, bob)[number % 2]
            await player.games[id].move(await legal_move(player, id))
            if number % 3 == 0:
                proxy.cut()
        await bob.games[id].resign()
        await frame_of(ann, kind("ended"))
        self.assertEqual(ann.games[id].record, self.server.log(id))
        self.assertEqual([event["seq"] for event in await within(watching)], list(range(3, 16)))
        self.assertGreater(proxy.opened, 4)

    async def test_the_beginning_of_a_game_arrives_through_a_drop(self) -> None:
        proxy = await self.proxy()
        ann, bob, eve = await self.client(), await self.client(), await self.client(proxy.url)
        id = await self.game(ann, bob)
        await ann.games[id].move("c1-c2")
        game = await eve.follow(id)
        proxy.change = lambda frame, text: [] if frame.get("seq") == 2 else [text]
        loading = asyncio.create_task(game.load_record())
        await frame_of(eve, kind("presence"))
        proxy.change = lambda frame, text: [text]
        proxy.cut()
        self.assertEqual([event["seq"] for event in await within(loading)], [1, 2, 3])

    async def test_close_codes(self) -> None:
        for code in (1001, 1002, 1003, 1007, 1008, 1009, 4001, 4002, 4003, 4004, 4005, 4006, 4007, 4999, 1012, 1011):
            with self.subTest(code):
                proxy = await self.proxy()
                client = await self.client(proxy.url)
                await frame_of(client, kind("welcome"))
                await proxy.close(code, "a reason")
                if code in CLOSE_CODES_FINAL:
                    with self.assertRaises(Closed) as closed:
                        await frame_of(client, kind("welcome"))
                    self.assertEqual(closed.exception.code, code)
                    with self.assertRaises(Closed):
                        await client.request("ping")
                    self.assertEqual(proxy.opened, 1)
                else:
                    await frame_of(client, kind("welcome"))

    async def test_a_newer_session_with_the_same_token_ends_the_older_one(self) -> None:
        older = await self.client()
        newer = await self.client(token=older.token)
        with self.assertRaises(Closed) as closed:
            await frame_of(older, lambda frame: False)
        self.assertEqual(closed.exception.code, 4003)
        await within(newer.request("ping"))

    async def test_the_end_of_its_token_ends_the_client(self) -> None:
        client = await self.client()
        await within(client.request("logout"))
        with self.assertRaises(Closed) as closed:
            await frame_of(client, lambda frame: False)
        self.assertEqual(closed.exception.code, 4007)

    async def test_a_turn_that_the_server_repeats_is_not_announced_once_it_is_over(self) -> None:
        proxy = await self.proxy()
        ann, bob = await self.client(proxy.url), await self.client()
        id = await self.game(ann, bob, rules="hexma")
        proxy.change = lambda frame, text: [text, text, text] if frame["type"] == "your_turn" else [text]
        await ann.games[id].move(await legal_move(ann, id))
        await bob.games[id].move(await legal_move(bob, id))
        await frame_of(ann, kind("your_turn"))
        await ann.games[id].move(ann.games[id].legal[0])
        await bob.games[id].resign()
        frames = [await frame_of(ann, lambda frame: frame["type"] in ("your_turn", "event")) for _ in range(2)]
        self.assertEqual([frame["kind"] for frame in frames], ["moved", "ended"])

    async def test_an_acts_caller_who_stops_waiting_does_not_stop_the_act(self) -> None:
        proxy = await self.proxy()
        ann, bob = await self.client(proxy.url), await self.client()
        id = await self.game(ann, bob)
        proxy.answer = lambda frame: {"type": "lost"} if frame["type"] == "move" else None
        moving = asyncio.create_task(ann.games[id].move("c1-c2"))
        await proxy.until(lambda: bool(proxy.sent("move")))
        moving.cancel()
        await asyncio.wait([moving])
        proxy.answer = lambda frame: None
        proxy.cut()
        self.assertEqual((await frame_of(bob, kind("moved")))["move"], "c1-c2")

    async def test_a_server_that_falls_silent_counts_as_lost(self) -> None:
        proxy = await self.proxy()
        with (
            mock.patch("adamant_client._session.PING_EVERY", 0.1),
            mock.patch("adamant_client._session.PING_TIMEOUT", 0.1),
        ):
            client = await self.client(proxy.url)
            await frame_of(client, kind("welcome"))
            transport: Any = proxy.sessions[0].transport
            transport.pause_reading()
            await frame_of(client, kind("welcome"))
        self.assertEqual(proxy.opened, 2)

    async def test_a_program_that_falls_behind_resumes_without_a_gap(self) -> None:
        with mock.patch("adamant_client._inbox.INBOX_MAX", 8):
            proxy = await self.proxy()
            ann, bob, eve = await self.client(), await self.client(), await self.client(proxy.url)
            id = await self.game(ann, bob, rules="diam")
            await eve.follow(id)
            await frame_of(eve, kind("welcome"))
            await within(asyncio.gather(play(ann, id, 20), play(bob, id, 20)))
            seqs = [0]
            while eve.games[id].is_live or seqs[-1] < eve.games[id].seq:
                seqs.append((await frame_of(eve, lambda frame: frame["type"] == "event"))["seq"])
            self.assertEqual(seqs[1:], list(range(3, len(self.server.log(id)) + 1)))
            self.assertGreater(proxy.opened, 1)

    async def test_a_fork_begins_anew_from_the_snapshot(self) -> None:
        proxy = await self.proxy()
        ann, bob = await self.client(proxy.url), await self.client()
        id = await self.game(ann, bob)
        game = ann.games[id]

        def forge(frame: Frame, text: str) -> list[str]:
            return [json.dumps({**frame, "chain": "00" * 32})] if frame.get("kind") == "moved" else [text]

        proxy.change = forge
        await game.move("c1-c2")
        await frame_of(ann, kind("moved"))
        proxy.change = lambda frame, text: [text]
        proxy.cut()
        self.assertEqual((await frame_of(ann, kind("snapshot")))["reason"], "resumed")
        self.assertEqual((game.seq, game.ply, game.events), (3, 1, []))
        self.assertEqual([event["seq"] for event in await within(game.load_record())], [1, 2, 3])

    async def test_a_clock_that_is_set_back_changes_no_time_that_is_left(self) -> None:
        ann, bob = await self.client(), await self.client()
        id = await self.game(ann, bob, rules="hexma", clock={"mode": "fischer", "base_ms": 300_000, "inc_ms": 0})
        await frame_of(ann, kind("your_turn"))
        before = (ann.games[id].time_left(), ann.games[id].deadline_in())
        an_hour_ago = time.time() - 3600
        with mock.patch("time.time", lambda: an_hour_ago), mock.patch("time.time_ns", lambda: int(an_hour_ago * 1e9)):
            after = (ann.games[id].time_left(), ann.games[id].deadline_in())
        for earlier, later in zip(before, after, strict=True):
            assert earlier is not None and later is not None
            self.assertLess(abs(earlier - later), TIMEOUT)

    def test_waits_double_up_to_their_limit_and_are_spread(self) -> None:
        backoffs = [Backoff() for _ in range(400)]
        eager = (0.25, 0.5, 1, 2, EAGER_WAIT_MAX, EAGER_WAIT_MAX)
        for now, limit in (*((at, limit) for at, limit in enumerate(eager)), (EAGER_FOR, WAIT_MAX), (99, WAIT_MAX)):
            waits = [backoff.next(now) for backoff in backoffs]
            self.assertLessEqual(max(waits), limit)
            # Of 400 uniform waits the odds against an empty tenth are 10^18 to 1.
            for tenth in range(10):
                self.assertTrue(any(limit * tenth / 10 <= wait <= limit * (tenth + 1) / 10 for wait in waits))

    def test_brief_sessions_between_losses_keep_the_waits_short(self) -> None:
        backoff = Backoff()
        for loss in range(200):
            self.assertLessEqual(backoff.next(loss * EAGER_FOR), EAGER_WAIT_MAX)
            backoff.opened()


class ManyGames(ServerTest):
    games = 190
    """A server lets a user play 200 at once."""

    @LONG
    async def test_a_client_with_many_live_games_comes_back_in_all_of_them(self) -> None:
        proxy = await self.proxy()
        ann, bob = await self.client(proxy.url), await self.client()
        for _ in range(self.games):
            await within(bob.request("accept", challenge=await ann.challenge(str(bob.name), rules="adamas")))
        await count(ann, "your_turn", self.games)
        proxy.cut()
        turns = await count(ann, "your_turn", self.games)
        self.assertEqual(len(set(turns)), self.games)
        (_, hello) = proxy.sent("hello")
        self.assertEqual(len(hello["resume"]), self.games)
        self.assertEqual(proxy.opened, 2)


class DefaultLimits(ServerTest):
    options = ()
    moves = 100
    stop_max = 2.0

    @LONG
    async def test_a_program_plays_on_in_two_games_and_over_a_restart(self) -> None:
        client = await self.client()
        for house in ("house-easy", "house"):
            await client.challenge(house, rules="hexma")
        times: list[float] = []
        moved: set[str] = set()
        restarting: asyncio.Task[None] | None = None
        while len(times) < self.moves:
            game = client.games[(await frame_of(client, kind("your_turn")))["game"]]
            await within(game.move(game.legal[len(times) % len(game.legal)]))
            moved.add(game.id)
            times.append(time.monotonic())
            if restarting is None and len(times) > self.moves // 2:
                restarting = asyncio.create_task(self.restart())
                stopped = len(times)
        stops = [later - earlier for at, (earlier, later) in enumerate(itertools.pairwise(times)) if at + 1 != stopped]
        self.assertEqual(len(moved), 2)
        self.assertLess(max(stops), self.stop_max)
        assert restarting is not None
        await restarting

    async def restart(self) -> None:
        await asyncio.to_thread(self.server.kill)
        await asyncio.to_thread(self.server.start)


async def count(client: Client, type: str, number: int) -> list[str]:
    """The games of the next messages of a type."""
    return [(await frame_of(client, kind(type)))["game"] for _ in range(number)]


class Restarts(ServerTest):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.own = await asyncio.to_thread(Server, "--no-limits")
        self.addAsyncCleanup(asyncio.to_thread, self.own.remove)

    async def test_a_game_goes_on_after_the_server_was_killed(self) -> None:
        ann, bob = await self.client(self.own.url), await self.client(self.own.url)
        id = await self.game(ann, bob, rules="diam")
        playing = asyncio.gather(play(ann, id, 40), play(bob, id, 40))
        for ply in (5, 15, 25):
            async for _ in ann.games[id]:
                if ann.games[id].ply >= ply:
                    break
            await asyncio.to_thread(self.own.kill)
            await asyncio.to_thread(self.own.start)
        for game in await within(playing):
            self.assertEqual(game.record, self.own.log(id))
            self.assertEqual([event["seq"] for event in game.events], list(range(1, game.seq + 1)))

    async def test_the_client_comes_back_when_the_server_says_so(self) -> None:
        client = await self.client(self.own.url)
        await frame_of(client, kind("welcome"))
        stopping = asyncio.create_task(asyncio.to_thread(self.own.stop))
        notice = await frame_of(client, kind("notice"))
        self.assertEqual(notice["what"], "restart")
        await within(stopping)
        waiting = asyncio.create_task(client.request("ping"))
        await asyncio.to_thread(self.own.start)
        await within(waiting)
        self.assertEqual((await frame_of(client, kind("welcome")))["user"]["name"], client.name)
