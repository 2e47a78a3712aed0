"""Words of tomorrow: an unknown word in every place of the schema neither ends nor silences a client."""

from __future__ import annotations

import asyncio
import copy
import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from adamant_client import RequestError

from .server import Frame, ServerTest, frame_of, kind, legal_move, within

UNKNOWN = "zz"


class Word(str):
    """A word of a list in the schema."""


class Schema:
    """Makes messages of the schema."""

    def __init__(self, text: str) -> None:
        self.definitions: dict[str, Any] = json.loads(text)["$defs"]

    def examples(self, node: Any) -> list[Any]:
        """Values of a schema: each alternative occurs, and each optional field."""
        if "$ref" in node:
            return self.examples(self.definitions[node["$ref"].rsplit("/", 1)[1]])
        if "const" in node:
            return [Word(node["const"]) if isinstance(node["const"], str) else node["const"]]
        if "enum" in node:
            return [Word(node["enum"][0])]
        for alternatives in ("anyOf", "oneOf"):
            if alternatives in node:
                # An open list is a closed one or any string.
                known = [one for one in node[alternatives] if one != {"type": "string"}]
                return list(itertools.chain(*map(self.examples, known or node[alternatives])))
        if "allOf" in node:
            return self.examples(node["allOf"][0])
        types = node.get("type", "object")
        types = [types] if isinstance(types, str) else types
        return list(itertools.chain(*(self.of_type(type, node) for type in types)))

    def of_type(self, type: str, node: Any) -> list[Any]:
        if type == "object":
            return self.objects(node)
        if type == "array":
            return [self.examples(node.get("items", {"type": "string"}))]
        plain = {"integer": node.get("minimum", 1), "number": 1.5, "boolean": True, "string": "x", "null": None}
        return [plain[type]]

    def objects(self, node: Any) -> list[Any]:
        fields = {name: self.examples(field) for name, field in node.get("properties", {}).items()}
        further = node.get("additionalProperties")
        if not fields and isinstance(further, dict):
            fields["x"] = self.examples(further)
        first = {name: examples[0] for name, examples in fields.items()}
        others = [{**first, name: one} for name, examples in fields.items() for one in examples[1:]]
        return [first, *others]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of words, and of objects that may get a further field."""
    if isinstance(value, Word):
        yield path
    elif isinstance(value, dict):
        yield (*path, UNKNOWN)
        for name, field in value.items():
            yield from places(field, (*path, name))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from places(item, (*path, at))


def with_unknown(value: Any) -> Iterator[Any]:
    """The same message with an unknown word or field in each place, one after the other."""
    for *path, last in places(value):
        changed = inner = copy.deepcopy(value)
        for step in path:
            inner = inner[step]
        inner[last] = UNKNOWN
        yield changed


def all_unknown(value: Any) -> Any:
    """The same message with unknown words in all places but that of its type."""
    changed = copy.deepcopy(value)
    for *path, last in places(value):
        inner = changed
        for step in path:
            inner = inner[step]
        if (*path, last) != ("type",):
            inner[last] = UNKNOWN
    return changed


def answer_with(frame: Frame) -> Callable[[Frame], Frame]:
    return lambda asked: {**frame, "re": asked["id"]}


class Words(ServerTest):
    async def test_no_unknown_word_ends_or_silences_a_client(self) -> None:
        schema = Schema(await asyncio.to_thread(self.server.get, "/schema/v1.json"))
        frames: dict[str, Frame] = {}
        welcomes = schema.examples({"$ref": "#/$defs/Welcome"})
        for message in [*schema.examples({"$ref": "#/$defs/ToClient"}), *schema.examples({"$ref": "#/$defs/Event"})]:
            if message["type"] != "welcome":
                frames.update((json.dumps(frame), frame) for frame in with_unknown(message))
        self.assertGreater(len(frames), 500)
        for number, frame in enumerate(frames.values()):
            # Each event is the first of a game.
            for of_game in (frame, frame.get("now") or {}):
                if "game" in of_game:
                    of_game.update(game=f"g{number}", seq=1, chain="0" * 64)
        proxy = await self.proxy()
        with mock.patch("adamant_client._pace.EAGER_WAIT_MAX", 0.001):
            ann, bob = await self.client(proxy.url), await self.client()
            game = ann.games[await self.game(ann, bob)]
            welcome = ann.welcome
            for frame in frames.values():
                if "re" in frame:
                    proxy.answer = answer_with(frame)
                    try:
                        await within(ann.request("ping"))
                    except RequestError as error:
                        self.assertEqual(frame["type"], "error", str(error))
                else:
                    await proxy.sessions[0].send(json.dumps(frame))
            proxy.answer = lambda asked: None
            await within(ann.request("ping"))
            await frame_of(ann, kind(UNKNOWN))
            # A connection for each `welcome`.
            for frame in map(all_unknown, welcomes):
                opened = proxy.opened
                frame.update(limits={**frame["limits"], **welcome["limits"]}, token=ann.token)

                def change(sent: Frame, text: str, frame: Frame = frame) -> list[str]:
                    return [json.dumps({**frame, "re": sent["re"]})] if sent["type"] == "welcome" else [text]

                proxy.change = change
                proxy.cut()
                await within(ann.request("ping"))
                self.assertEqual(proxy.opened, opened + 1)
            proxy.change = lambda frame, text: [text]
            proxy.cut()
            await game.move(await legal_move(ann, game.id))
            await within(bob.request("ping"))
            self.assertEqual(bob.games[game.id].ply, 1)
