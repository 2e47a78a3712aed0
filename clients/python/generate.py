"""Writes the types of the protocol from its JSON Schema, and the version of the workspace.

    adamant schema --closed > schema.json
    python generate.py schema.json [--check]

With --check it writes nothing and fails if a file would change.
"""

from __future__ import annotations

import argparse
import json
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TYPES = HERE / "src/adamant_client/_protocol.py"
PROJECT = HERE / "pyproject.toml"
README = HERE / "README.md"
WORKSPACE = HERE.parents[1] / "Cargo.toml"

WIDTH = 100

# The replies that are not a plain `ok`. The schema does not say which reply belongs to a request.
REPLIES = {
    "analyse": "Analysis",
    "blocks": "BlockList",
    "bot_list": "Bots",
    "catalogue": "GameCatalogue",
    "challenges": "ChallengeList",
    "directory": "DirectoryList",
    "explore": "Explored",
    "games": "GameList",
    "hints": "HintList",
    "history": "HistoryList",
    "invite_info": "InviteState",
    "invites": "InviteList",
    "layout": "BoardLayout",
    "live": "LiveChange",
    "lobby": "LobbyChange",
    "moves": "MoveList",
    "mutes": "MuteList",
    "ping": "Pong",
    "positions": "PositionList",
    "push_list": "PushSubscriptions",
    "settings_get": "SettingsState",
    "settings_set": "SettingsState",
    "signature": "SignedHead",
    "standings": "StandingList",
    "stats": "GameStats",
    "talk": "TalkList",
    "token_list": "Tokens",
    "tv": "Featured",
    "user": "UserProfile",
    "watch": "Snapshot | Done",
    "webhook_get": "Webhook",
}

HEADER = '''\
"""The types of the protocol's frames, made from its JSON Schema by generate.py. Not written by hand.

A later server may send words, fields and kinds that these types do not have.
"""

# ruff: noqa

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, overload

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack
'''

REQUESTS = '''\
class Requests:
    """Sends requests. Each request has its fields as keyword arguments, and its own type of reply.

    A name that Python reserves has an underscore behind it: `from_`.
    """

    async def _request(self, type: str, fields: dict[str, Any]) -> Any:
        raise NotImplementedError
'''

Schema = dict[str, Any]


class Generator:
    def __init__(self, schema: Schema) -> None:
        self.definitions: dict[str, Schema] = schema["$defs"]
        requests = self.members("FromClient")
        self.requests = [name for name in requests if name != "Hello"]

    def members(self, union: str) -> list[str]:
        return [name_of(member) for member in self.definitions[union]["oneOf"]]

    def module(self) -> str:
        scalars, objects, unions = [], [], []
        for name, schema in self.definitions.items():
            if name in self.requests or name == "FromClient":
                continue
            if "properties" in schema:
                objects.append(self.typed_dict(name, schema))
            elif self.is_scalar(schema):
                scalars.append(self.alias(name, schema))
            else:
                unions.append(name)
        fields = [self.typed_dict(f"{name}Fields", self.fields(name)) for name in self.requests]
        parts = [HEADER, *scalars, *objects, *(self.alias(name) for name in self.ordered(unions))]
        text = "\n".join([*parts, *fields, self.overloads()])
        names = sorted(re.findall(r"^(?:class )?(\w+)(?:\(TypedDict\):|: TypeAlias| = TypedDict)", text, re.M))
        listed = "".join(f'    "{name}",\n' for name in names)
        return f"{text}\n__all__ = [\n{listed}]\n"

    def is_scalar(self, schema: Schema) -> bool:
        return isinstance(schema.get("type"), str) and schema["type"] != "object"

    def ordered(self, unions: list[str]) -> list[str]:
        """The unions, each behind those that it names."""
        done: list[str] = []
        while len(done) < len(unions):
            for name in unions:
                named = set(re.findall(r"#/\$defs/(\w+)", json.dumps(self.definitions[name])))
                if name not in done and not named & (set(unions) - set(done) - {name}):
                    done.append(name)
        return done

    def alias(self, name: str, schema: Schema | None = None) -> str:
        schema = schema or self.definitions[name]
        members = schema.get("enum") or schema.get("oneOf") or []
        if "enum" in schema:
            value = "Literal[\n" + "".join(f'    "{word}",\n' for word in schema["enum"]) + "]"
        elif len(members) > 3:
            joined = "\n    | ".join(self.type_of(member) for member in members)
            value = f"(\n    {joined}\n)"
        else:
            value = self.type_of(schema)
        return f"{comment(schema)}{name}: TypeAlias = {value}\n"

    def fields(self, name: str) -> Schema:
        """A request as keyword arguments: without its type, and with an id that may be left out."""
        schema = self.definitions[name]
        properties = {
            f"{key}_" if keyword.iskeyword(key) else key: value
            for key, value in schema["properties"].items()
            if key != "type"
        }
        required = [key for key in schema["required"] if key not in ("type", "id")]
        return {**schema, "properties": properties, "required": required}

    def typed_dict(self, name: str, schema: Schema) -> str:
        required = schema.get("required", [])
        first = ["type", "kind", "id"]
        keys = sorted(schema["properties"], key=lambda key: (key not in first, first.index(key) if key in first else 0))
        types = {}
        for key in keys:
            kind = self.type_of(schema["properties"][key])
            types[key] = kind if key in required else f"NotRequired[{kind}]"
        if any(keyword.iskeyword(key) for key in keys):
            lines = [comment(schema), f'{name} = TypedDict(\n    "{name}",\n    {{\n']
            for key in keys:
                lines.append(comment(schema["properties"][key], 8))
                lines.append(f"        \"{key}\": '{types[key]}',\n")
            return "".join(lines) + "    },\n)\n"
        lines = [f"class {name}(TypedDict):\n", docstring(schema)]
        for key in keys:
            lines.append(comment(schema["properties"][key], 4))
            lines.append(f"    {key}: {types[key]}\n")
        return "".join(lines) + ("" if keys else "    pass\n")

    def type_of(self, schema: Schema) -> str:
        if "$ref" in schema:
            return name_of(schema)
        if "const" in schema:
            return f'Literal["{schema["const"]}"]'
        if "enum" in schema:
            return "Literal[" + ", ".join(f'"{word}"' for word in schema["enum"]) + "]"
        if "allOf" in schema and len(schema["allOf"]) == 1:
            return self.type_of(schema["allOf"][0])
        for union in ("oneOf", "anyOf"):
            if union in schema:
                return " | ".join(dict.fromkeys(self.type_of(member) for member in schema[union]))
        if isinstance(schema.get("type"), list):
            return " | ".join(self.type_of({**schema, "type": one}) for one in schema["type"])
        if schema.get("type") == "array":
            return f"list[{self.type_of(schema['items'])}]"
        if schema.get("type") == "object" and "additionalProperties" in schema:
            return f"dict[str, {self.type_of(schema['additionalProperties'])}]"
        simple = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
        if schema.get("type") in simple:
            return simple[schema["type"]]
        raise SystemExit(f"generate.py does not know what to make of {schema}")

    def overloads(self) -> str:
        types = {self.definitions[name]["properties"]["type"]["const"]: name for name in self.requests}
        if unknown := sorted(set(REPLIES) - set(types)):
            raise SystemExit(f"REPLIES in generate.py names requests that do not exist: {unknown}")
        replies = set(self.members("ToClient"))
        lines = [REQUESTS]
        for word, name in types.items():
            reply = REPLIES.get(word, "Done")
            if missing := set(reply.split(" | ")) - replies:
                raise SystemExit(f"REPLIES in generate.py names replies that do not exist: {missing}")
            lines.append("    @overload")
            lines.append(
                f'    async def request(self, type: Literal["{word}"], /, **fields: Unpack[{name}Fields]) -> {reply}:'
            )
            lines.append(docstring(self.definitions[name], 8))
        lines.append("    async def request(self, type: str, /, **fields: Any) -> Any:")
        lines.append('        """Sends a request and returns its reply."""')
        lines.append("        return await self._request(type, fields)\n")
        return "\n".join(lines)


def name_of(schema: Schema) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def sentences(schema: Schema) -> list[str]:
    return str(schema.get("description", "")).splitlines()


def docstring(schema: Schema, indent: int = 4) -> str:
    """The description as a docstring; without one nothing."""
    lines = wrapped(schema, indent)
    if not lines:
        return ""
    blanks = " " * indent
    body = "\n".join(f"{blanks}{line}" if line else "" for line in lines).lstrip()
    end = '"""' if len(lines) == 1 else f'\n{blanks}"""'
    return f'{blanks}"""{body}{end}\n' + ("" if indent > 4 else "\n")


def comment(schema: Schema, indent: int = 0) -> str:
    """The description as a comment."""
    return "".join(f"{' ' * indent}# {line}".rstrip() + "\n" for line in wrapped(schema, indent))


def wrapped(schema: Schema, indent: int) -> list[str]:
    lines: list[str] = []
    for sentence in sentences(schema):
        hanging = "  " if sentence.startswith("- ") else ""
        lines += textwrap.wrap(sentence, WIDTH - indent - 6, subsequent_indent=hanging) or [""]
    return lines


def workspace_version() -> str:
    found = re.search(r'\[workspace\.package\]\s*version = "([^"]+)"', WORKSPACE.read_text())
    if found is None:
        raise SystemExit(f"{WORKSPACE} has no version")
    return found[1]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("schema", type=Path, help="what `adamant schema --closed` prints")
    arguments.add_argument("--check", action="store_true", help="write nothing, and fail if a file would change")
    given = arguments.parse_args()
    version = workspace_version()
    made = {
        TYPES: Generator(json.loads(given.schema.read_text())).module(),
        PROJECT: re.sub(r'(?m)^version = ".*"$', f'version = "{version}"', PROJECT.read_text(), count=1),
        README: re.sub(r"(adamant_client)-[^-]+-(py3)", rf"\1-{version}-\2", README.read_text()),
    }
    changed = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    if not given.check:
        for path in changed:
            path.write_text(made[path])
    elif changed:
        names = ", ".join(str(path.relative_to(HERE.parents[1])) for path in changed)
        sys.exit(f"{names}: not as the protocol and the workspace say; run clients/python/generate.py")


if __name__ == "__main__":
    main()
