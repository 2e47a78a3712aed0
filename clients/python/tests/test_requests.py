"""Requests, their replies and refusals."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from adamant_client import Closed, ConnectError, RequestError, TooLarge, _protocol, connect
from adamant_client._address import is_exposed, websocket_url
from adamant_client._pending import Pending

from .server import Frame, ServerTest, frame_of, kind, new_name, within

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from generate import REPLIES


class Requests(ServerTest):
    async def test_the_reply_to_every_reading_request_has_the_type_that_its_overload_says(self) -> None:
        ann, bob = await self.client(), await self.client()
        game, over = await self.game(ann, bob), await self.game(ann, bob)
        await ann.request("resign", game=over)
        ann = await self.client(bot=False)
        await ann.sign_up(new_name(), "correct horse")
        fields: dict[str, dict[str, Any]] = {
            name: {"game": game} for name in ("hints", "layout", "moves", "positions", "explore", "signature", "watch")
        }
        fields |= {name: {"rules": "adamas"} for name in ("standings", "stats", "tv")}
        fields |= {name: {"user": ann.name} for name in ("history",)}
        fields |= {"user": {"name": bob.name}, "talk": {"game": game, "room": "spectators"}}
        fields["settings_set"] = {"challenges": "all"}
        fields["analyse"] = {"game": over}
        request: Any = ann.request
        for name, reply in REPLIES.items():
            if name == "invite_info":
                fields[name] = {"invite": (await request("invite", rules="hexma"))["invite"]}
            with self.subTest(name):
                answer = await within(request(name, **fields.get(name, {})))
                declared = [getattr(_protocol, one).__annotations__["type"] for one in reply.split(" | ")]
                words = [re.search(r"\w+(?='|\"\])", str(word.__forward_arg__)) for word in declared]
                self.assertIn(answer["type"], [word[0] for word in words if word])

    async def test_a_refusal_has_its_code_and_its_reason(self) -> None:
        ann, bob = await self.client(), await self.client()
        game = ann.games[await self.game(ann, bob)]
        with self.assertRaises(RequestError) as refused:
            await game.move("c1-e3")
        self.assertEqual(refused.exception.code, "illegal_move")
        self.assertEqual(refused.exception.frame["why"], "c1 and e3 are not on one line")
        self.assertEqual(refused.exception.retry, "never")
        done = await game.move("c1-c2")
        self.assertEqual(done["turn"], 1, "the corrected move has the same id")

    async def test_a_request_that_is_too_large_is_not_sent(self) -> None:
        client = await self.client()
        with self.assertRaises(TooLarge):
            await client.request("user", name="x" * 70_000)
        await client.request("ping")

    async def test_the_client_sends_the_same_again_after_the_wait_that_the_server_names(self) -> None:
        proxy = await self.proxy()
        ann, bob = await self.client(proxy.url), await self.client()
        game = ann.games[await self.game(ann, bob)]
        refusals: Iterator[Frame] = iter(
            [
                {"code": "rate_limited", "retry": "after", "retry_after_ms": 5},
                {"code": "internal", "retry": "same"},
                {"code": "a_later_code", "retry": "after", "retry_after_ms": 5},
            ]
        )

        def refuse(frame: Frame) -> Frame | None:
            refusal = next(refusals, None) if frame["type"] == "move" else None
            return {"type": "error", "re": frame["id"], "message": "not now", **refusal} if refusal else None

        proxy.answer = refuse
        done = await within(game.move("c1-c2"))
        self.assertEqual(done["turn"], 1)
        moves = proxy.sent("move")
        self.assertEqual(len(moves), 4)
        self.assertTrue(all(move == moves[0] for move in moves))

    async def test_a_wait_that_is_too_long_is_left_to_the_program(self) -> None:
        ann, bob = await self.client(), await self.client()
        game = ann.games[await self.game(ann, bob)]
        await game.move("c1-c2")
        await bob.close()
        await frame_of(ann, lambda frame: frame["type"] == "presence" and not frame["seats"][1]["online"])
        with self.assertRaises(RequestError) as refused:
            await game.claim()
        self.assertEqual(refused.exception.code, "too_soon")
        self.assertGreater(refused.exception.retry_after or 0, 60)

    async def test_a_cancelled_read_leaves_the_session_as_it_was(self) -> None:
        proxy = await self.proxy()
        client = await self.client(proxy.url)
        proxy.change = lambda frame, text: [] if frame["type"] == "pong" else [text]
        waiting = asyncio.create_task(client.request("ping"))
        await proxy.until(lambda: bool(proxy.sent("ping")))
        waiting.cancel()
        await asyncio.wait([waiting])
        proxy.change = lambda frame, text: [text]
        self.assertEqual((await within(client.request("ping", t0=7)))["t0"], 7)


class Limited(ServerTest):
    options = ()
    config = "[limits]\nmessages_burst = 5\nmessages_per_s = 100\n"

    async def test_the_client_keeps_within_the_rate_of_the_server(self) -> None:
        proxy = await self.proxy()
        client = await self.client(proxy.url)
        types: list[str] = []

        def note(frame: Frame, text: str) -> list[str]:
            types.append(frame["type"])
            return [text]

        proxy.change = note
        await within(asyncio.gather(*(client.request("ping") for _ in range(60))))
        self.assertEqual(types, ["pong"] * 60)


class LogIn(ServerTest):
    async def test_an_account_makes_tokens_for_its_bots(self) -> None:
        owner = await self.client(bot=False)
        user, bot = new_name(), new_name()
        token = await owner.sign_up(user, "correct horse")
        self.assertEqual((owner.name, owner.token), (user, token))
        first = await owner.create_bot_token(bot)
        second = await owner.create_bot_token(bot)
        self.assertNotEqual(first, second)
        for secret in (first, second):
            client = await self.client(token=secret)
            self.assertEqual(client.user, {"name": bot, "bot": True, "guest": False, "owner": user})
        again = await self.client(user=user, password="correct horse")
        self.assertEqual(again.name, user)
        self.assertNotEqual(again.token, token)

    async def test_a_guest_comes_back_by_the_file_with_its_token(self) -> None:
        file = self.server.data / "guest.token"
        name = new_name()
        first = await self.client(name=name, token_file=file)
        self.assertEqual(first.user, {"name": name, "bot": True, "guest": True})
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        await first.close()
        second = await self.client(name=name, token_file=file)
        self.assertEqual(second.name, name)
        await second.request("logout")
        with self.assertRaisesRegex(ConnectError, "delete the file"):
            await self.client(name=name, token_file=file)

    async def test_a_refused_log_in_says_why(self) -> None:
        taken = await self.client()
        cases: list[tuple[dict[str, Any], str]] = [
            ({"name": taken.name}, "name_taken"),
            ({"token": "at_wrong"}, "unauthorized"),
        ]
        for options, code in cases:
            with self.subTest(code), self.assertRaises(ConnectError) as refused:
                await self.client(**options)
            self.assertEqual((refused.exception.code, refused.exception.may_retry), (code, False))

    async def test_no_server_is_an_error_at_once(self) -> None:
        with self.assertRaisesRegex(ConnectError, "cannot reach the server at ws://127.0.0.1:1/v1/ws"):
            async with connect("127.0.0.1:1"):
                pass

    async def test_a_session_without_a_user_watches(self) -> None:
        ann, bob = await self.client(), await self.client()
        id = await self.game(ann, bob)
        async with connect(self.server.url) as spectator:
            self.assertIsNone(spectator.name)
            game = await spectator.follow(id)
            self.assertEqual((game.seat, game.position), (None, {"c1": "O" * 8, "c5": "X" * 8}))
            await ann.games[id].move("c1-c2")
            self.assertEqual((await frame_of(spectator, kind("moved")))["move"], "c1-c2")

    async def test_a_token_goes_to_a_new_file_that_is_no_link(self) -> None:
        file, victim = self.server.data / "new.token", self.server.data / "victim"
        victim.write_text("precious")
        new = Path(f"{file}.new")
        for leftover in ("readable", "link"):
            await asyncio.to_thread(
                partial(new.touch, 0o644) if leftover == "readable" else partial(new.symlink_to, victim)
            )
            client = await self.client(name=new_name(), token_file=file)
            self.assertEqual(file.read_text(), f"{client.token}\n")
            self.assertEqual((file.is_symlink(), file.stat().st_mode & 0o777), (False, 0o600))
            file.unlink()
        self.assertEqual(victim.read_text(), "precious")

    async def test_no_secret_is_in_a_log_or_in_repr(self) -> None:
        logged = io.StringIO()
        handler = logging.StreamHandler(logged)
        root = logging.getLogger()
        before = root.level
        root.addHandler(handler)
        root.setLevel(logging.DEBUG)
        try:
            name = new_name()
            client = await self.client(name=new_name(), bot=False)
            token = await client.sign_up(name, "S3cret horse")
            again = await self.client(user=name, password="S3cret horse")
            waiting = Pending("1", "signup", "S3cret horse", asyncio.get_running_loop().create_future())
            shown = f"{client!r} {again!r} {client._session!r} {waiting!r} {connect(self.server.url, token=token)!r}"
        finally:
            root.setLevel(before)
            root.removeHandler(handler)
        for secret in ("S3cret", token, again.token or "at_"):
            self.assertNotIn(secret, logged.getvalue())
            self.assertNotIn(secret, shown)

    async def test_a_servers_text_has_no_escape_sequences(self) -> None:
        rude = "\x1b]0;OWNED\x07\x9b2J\n"
        proxy = await self.proxy()
        client = await self.client(proxy.url)
        proxy.answer = lambda frame: {
            "type": "error",
            "re": frame["id"],
            "code": rude,
            "message": rude,
            "retry": "never",
        }
        with self.assertRaises(RequestError) as refused:
            await client.request("ping")
        proxy.answer = lambda frame: None
        with self.assertLogs("adamant_client") as logged:
            await proxy.close(1012, rude)
            await within(client.request("ping"))
        await proxy.close(1008, rude)
        with self.assertRaises(Closed) as closed:
            await frame_of(client, lambda frame: False)
        for text in (str(refused.exception), str(closed.exception), *logged.output):
            self.assertIsNone(re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text), repr(text))

    def test_addresses_are_completed_as_in_all_clients(self) -> None:
        file = Path(__file__).resolve().parents[3] / "client/tests/addresses.json"
        for case in json.loads(file.read_text(encoding="utf-8")):
            with self.subTest(case["address"]):
                if case["url"] is None:
                    self.assertRaises(ValueError, websocket_url, case["address"])
                    continue
                url = websocket_url(case["address"])
                parts = urlsplit(url)
                host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
                port = parts.port or {"ws": 80, "wss": 443}[parts.scheme]
                self.assertEqual(f"{parts.scheme}://{host}:{port}{parts.path}", case["url"])
                self.assertEqual(is_exposed(url), case.get("plain", False))

    def test_an_address_without_encryption_is_said_once(self) -> None:
        with self.assertLogs("adamant_client", "WARNING") as said:
            for _ in range(2):
                connect("ws://nobody.invalid", name="kim")
        self.assertEqual(len(said.output), 1)
        self.assertIn("ws://nobody.invalid/v1/ws is not encrypted", said.output[0])
