"""Games that a client follows: their state is that of the server, and their events arrive once and in order."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

from adamant_client import Client, Game, RequestError
from adamant_client.protocol import Event

from .server import Frame, ServerTest, frame_of, kind, legal_move, within


class Games(ServerTest):
    async def assert_true(self, game: Game) -> None:
        """Compares what events have made of a game with what a client sees that has only the snapshot."""
        other = await (await self.client()).follow(game.id)
        for name in ("rules", "options", "clock", "rated", "seats", "turn", "ply", "to_move", "moves", "hash"):
            self.assertEqual(getattr(game, name), getattr(other, name), name)
        for name in ("offers", "result", "seq"):
            self.assertEqual(getattr(game, name), getattr(other, name), name)
        for state in ("left_ms", "since"):
            self.assertEqual(getattr(game._state, state), getattr(other._state, state), state)
        if game.position is not None:
            self.assertEqual((game.position, game.threatened), (other.position, other.threatened))

    async def test_the_state_is_that_of_the_server_after_every_kind_of_event(self) -> None:
        ann, bob = await self.client(), await self.client()
        clock: Any = {"mode": "byoyomi", "base_ms": 300_000, "periods": 3, "period_ms": 30_000}
        id = await self.game(ann, bob, rules="stymie", options="-swap", clock=clock)
        game, bobs = ann.games[id], bob.games[id]
        await self.assert_true(game)
        self.assertEqual((game.seat, bobs.seat, game.opponents), (0, 1, [bob.name]))
        self.assertAlmostEqual(game.time_left() or 0, 390, delta=20)
        self.assertAlmostEqual(game.time_left(1) or 0, 390, delta=0)
        self.assertAlmostEqual(game.deadline_in() or 0, 90, delta=20)
        await game.move("c3")
        await legal_move(bob, id)
        await bobs.move("swap")
        await frame_of(ann, kind("swapped"))
        self.assertEqual((game.seat, bobs.seat, game.moves), (1, 0, ["c3", "swap"]))
        await self.assert_true(game)
        await game.move(await legal_move(ann, id))
        await game.offer("draw")
        await self.assert_true(game)
        await frame_of(bob, kind("offered"))
        await bobs.answer(bobs.offers[0]["offer"], False)
        await frame_of(ann, kind("offer_closed"))
        await self.assert_true(game)
        await game.offer("takeback")
        await frame_of(bob, kind("offered"))
        await bobs.answer(bobs.offers[0]["offer"], True)
        await frame_of(ann, kind("taken_back"))
        self.assertEqual((game.ply, game.moves), (2, ["c3", "swap"]))
        await self.assert_true(game)
        await bobs.resign()
        await frame_of(ann, kind("ended"))
        await self.assert_true(game)
        self.assertEqual(game.result, {"winners": [1], "places": [2, 1], "reason": "resigned"})
        self.assertIn("resigned, winners: " + str(ann.name), str(game))
        self.assertEqual(game.record, self.server.log(id))

    async def test_three_players_and_one_who_leaves(self) -> None:
        ann, bob, cy = [await self.client() for _ in range(3)]
        id = await self.game(ann, bob, cy)
        game = cy.games[id]
        await ann.games[id].move(await legal_move(ann, id))
        await frame_of(cy, kind("moved"))
        await game.offer("draw")
        await frame_of(bob, kind("offered"))
        await bob.games[id].answer("o_1", True)
        await frame_of(cy, kind("agreed"))
        await self.assert_true(game)
        await bob.games[id].resign()
        await frame_of(cy, kind("offer_closed"))
        await self.assert_true(game)
        self.assertEqual([seat.state for seat in game.seats], ["in", "resigned", "in"])
        await legal_move(cy, id)
        await self.assert_true(game)

    async def test_whole_games_of_every_kind_end_as_the_server_says(self) -> None:
        for rules in ("adamas", "hexma", "stymie", "diam"):
            with self.subTest(rules):
                players = [await self.client(), await self.client()]
                id = await self.game(*players, rules=rules)
                ends = await within(asyncio.gather(*(play(player, id, 60) for player in players)))
                for game in ends:
                    await self.assert_true(game)
                    self.assertEqual(game.record, self.server.log(id))

    async def test_a_spectator_gets_the_beginning_and_the_end(self) -> None:
        ann, bob, eve = [await self.client() for _ in range(3)]
        id = await self.game(ann, bob)
        await ann.games[id].move("c1-c2")
        await frame_of(bob, kind("moved"))
        game = await eve.follow(id)
        self.assertEqual(game.events, [])
        watching = asyncio.create_task(read(game))
        await bob.games[id].move("c5-c4")
        await frame_of(eve, kind("moved"))
        self.assertEqual([event["seq"] for event in game.events], [4])
        await within(game.load_record())
        self.assertEqual([event["seq"] for event in game.events], [1, 2, 3, 4])
        await ann.games[id].resign()
        self.assertEqual([event["seq"] for event in await within(watching)], [4, 5])
        self.assertEqual(game.record, self.server.log(id))
        self.assertEqual([event["seq"] for event in await within(read(game))], [1, 2, 3, 4, 5])

    async def test_all_moves_are_there_page_by_page(self) -> None:
        ann, bob = await self.client(), await self.client()
        game = ann.games[await self.game(ann, bob)]
        await legal_move(ann, game.id)
        every = [move async for move in game.all_moves()]
        turn = game.your_turn
        assert turn is not None
        self.assertTrue(turn["legal_cut"])
        self.assertEqual(len(every), turn["legal_total"])
        self.assertTrue(set(game.legal) < set(every))
        self.assertEqual([move async for move in game.all_moves("c1")], every)
        self.assertEqual((await game.try_move("c1-c2"))["position"], {"c1": "O" * 7, "c2": "O", "c5": "X" * 8})

    async def test_events_that_are_doubled_or_missing_arrive_once_and_in_order(self) -> None:
        proxy = await self.proxy()
        ann, bob = await self.client(proxy.url), await self.client()
        id = await self.game(ann, bob, rules="hexma")
        lost: list[int] = []

        def disturb(frame: Frame, text: str) -> list[str]:
            if frame["type"] == "event" and frame["seq"] in (4, 6) and frame["seq"] not in lost:
                lost.append(frame["seq"])
                return []
            return [text, text] if frame["type"] == "event" else [text]

        proxy.change = disturb
        seqs: list[int] = []

        async def play_ann() -> None:
            async for frame in ann:
                if frame["type"] == "event":
                    seqs.append(frame["seq"])
                    if frame["kind"] == "ended":
                        return
                elif frame["type"] == "your_turn" and frame["ply"] < 8:
                    await ann.games[id].move(frame["legal"][0])

        playing = asyncio.create_task(play_ann())
        for _ in range(4):
            await bob.games[id].move(await legal_move(bob, id))
        await bob.games[id].resign()
        await within(playing)
        self.assertEqual(seqs, list(range(3, ann.games[id].seq + 1)))
        self.assertEqual(lost, [4, 6])
        self.assertEqual(ann.games[id].record, self.server.log(id))
        await self.assert_true(ann.games[id])

    async def test_what_a_later_server_adds_passes_through(self) -> None:
        proxy = await self.proxy()
        ann, bob = await self.client(proxy.url), await self.client()
        id = await self.game(ann, bob)

        def add(frame: Frame, text: str) -> list[str]:
            if frame.get("kind") == "offered":
                return [text.replace('"kind":"offered"', '"kind":"applauded","loudness":7')]
            return [text, json.dumps({"type": "weather", "sky": "blue"})] if frame["type"] == "event" else [text]

        proxy.change = add
        await ann.games[id].offer("draw")
        applause = await frame_of(ann, kind("applauded"))
        self.assertEqual((applause["seq"], applause["loudness"], ann.games[id].seq), (3, 7, 3))
        await ann.games[id].move("c1-c2")
        self.assertEqual((await frame_of(ann, kind("weather")))["sky"], "blue")
        self.assertEqual(ann.games[id].seq, 5, "the unknown kind has its place in the order")

    async def test_a_game_that_is_left_sends_no_more(self) -> None:
        ann, bob, eve = [await self.client() for _ in range(3)]
        id = await self.game(ann, bob)
        game = await eve.follow(id)
        await game.unfollow()
        self.assertNotIn(id, eve.games)
        self.assertEqual(await within(read(game)), [])
        await ann.games[id].move("c1-c2")
        await frame_of(bob, kind("moved"))
        self.assertEqual((await eve.follow(id)).ply, 1)
        with self.assertRaises(RequestError):
            await eve.follow("nowhere")
        self.assertEqual(list(eve.games), [id])


async def read(game: Game) -> list[Event]:
    return [event async for event in game]


async def play(client: Client, id: str, plies: int) -> Game:
    """Plays at random, gives up after so many plies, and returns the game once it is over."""
    rng = random.Random(plies)
    game = client.games[id]
    while game.is_live:
        if game.is_my_turn and game.legal:
            if game.ply < plies:
                await game.move(rng.choice(game.legal))
            else:
                await game.resign()
        frame: Any = await client.__anext__()
        while frame["type"] not in ("your_turn", "event"):
            frame = await client.__anext__()
    return game
