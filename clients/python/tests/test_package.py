"""The wheel, installed from its file into a fresh environment, and the programs of README.md in it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from pathlib import Path
from typing import Any

from .server import ServerTest, frame_of, kind, legal_move, within

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parents[1]

FIRST_MOVE_SECONDS_MAX = 120.0
"""The longest time from `pip install` to the first move that the server has acknowledged."""


class Package(ServerTest):
    folder: Path
    wheel: Path
    python: Path
    installed_at: float

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        folder = tempfile.TemporaryDirectory(prefix="adamant-python-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        subprocess.run([*pip, "--wheel-dir", str(cls.folder), str(HERE)], check=True)
        (cls.wheel,) = cls.folder.glob("*.whl")
        venv.create(cls.folder / "venv", with_pip=True)
        cls.python = cls.folder / "venv/bin/python"
        cls.installed_at = time.monotonic()
        cls.run_program("-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(cls.wheel))
        cls.write_programs()

    @classmethod
    def write_programs(cls) -> None:
        """Writes the programs of README.md as a reader would, with the address of the server."""
        text = (HERE / "README.md").read_text(encoding="utf-8")
        programs = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        for name, program in zip(("bot", "session", "watch", "account"), programs, strict=True):
            assert "ws://127.0.0.1:7777" in program
            (cls.folder / f"{name}.py").write_text(program.replace("ws://127.0.0.1:7777", cls.server.url))

    @classmethod
    def environment(cls) -> dict[str, str]:
        return {**{key: value for key, value in os.environ.items() if key != "PYTHONPATH"}, "PYTHONUNBUFFERED": "1"}

    @classmethod
    def run_program(cls, *arguments: str) -> str:
        command = [str(cls.python), *arguments]
        done = subprocess.run(command, cwd=cls.folder, env=cls.environment(), stdout=subprocess.PIPE, text=True)
        assert done.returncode == 0, f"{command} ended with {done.returncode}"
        return done.stdout

    async def begin(self, program: str) -> asyncio.subprocess.Process:
        # A shell starts programs in the background with SIGINT ignored, and their programs inherit that.
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        process = await asyncio.create_subprocess_exec(
            self.python, program, cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE
        )
        self.addAsyncCleanup(end, process)
        return process

    async def test_the_bot_makes_its_first_move_soon_and_goes_on_after_a_restart(self) -> None:
        bot = await self.begin("bot.py")
        watcher = await self.client()
        game = await self.live_game(watcher, "random-bot")
        while game["ply"] == 0:
            game = await self.live_game(watcher, "random-bot")
        seconds = time.monotonic() - self.installed_at
        print(f"\n{seconds:.1f} s from pip install to the first move of README's bot", file=sys.stderr)
        self.assertLess(seconds, FIRST_MOVE_SECONDS_MAX)
        await asyncio.to_thread(self.server.kill)
        await asyncio.to_thread(self.server.start)
        ply = (await self.live_game(watcher, "random-bot"))["ply"]
        while (await self.live_game(watcher, "random-bot"))["ply"] == ply:
            pass
        bot.send_signal(signal.SIGINT)
        self.assertEqual(await within(bot.wait()), 0)
        again = await self.begin("bot.py")
        assert again.stdout is not None
        line = str(await within(again.stdout.readline()), "utf-8")
        self.assertRegex(line, r"^\w+ adamas@1: . random-bot . house-easy; ply \d+, .*winners: ")

    async def live_game(self, client: Any, user: str) -> Any:
        """The first live game of a user who may not be there yet."""
        while True:
            games = (await within(client.request("games", user=user)))["games"]
            if games:
                return games[-1]

    async def test_the_session_plays_a_game_and_another_one_when_it_is_run_again(self) -> None:
        for _ in range(2):
            lines = (await asyncio.to_thread(self.run_program, "session.py")).splitlines()
            self.assertEqual(lines[0], "['Adamas', 'Hexma', 'Stymie', 'Diam']")
            self.assertIn("session-bot", lines[1])

    async def test_a_game_is_printed_until_it_ends(self) -> None:
        ann, bob = await self.client(), await self.client()
        game = ann.games[await self.game(ann, bob, rules="hexma")]
        move = (await game.move(await legal_move(ann, game.id)))["seq"] and game.moves[0]
        watch = await self.begin("watch.py")
        assert watch.stdout is not None
        self.assertEqual(str(await within(watch.stdout.readline()), "utf-8"), f"1 {ann.name} {move}\n")
        await frame_of(bob, kind("your_turn"))
        await bob.games[game.id].resign()
        rest = str(await within(watch.stdout.read()), "utf-8")
        self.assertIn(f"resigned, winners: {ann.name}", rest)
        self.assertEqual(await within(watch.wait()), 0)

    async def test_an_account_has_a_bot(self) -> None:
        token = await asyncio.to_thread(self.run_program, "account.py")
        bot = await self.client(token=token.strip())
        self.assertEqual(bot.user, {"name": "kims-bot", "bot": True, "guest": False, "owner": "kim"})

    def test_type_checkers_know_the_installed_package(self) -> None:
        mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(self.python)]
        programs = sorted(str(program) for program in self.folder.glob("*.py"))
        done = subprocess.run(
            [*mypy, *programs], cwd=self.folder, env=self.environment(), capture_output=True, text=True
        )
        self.assertEqual((done.returncode, done.stdout), (0, "Success: no issues found in 4 source files\n"))

    def test_the_wheel_is_complete(self) -> None:
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
            (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
            text = str(wheel.read(metadata), "utf-8")
        self.assertIn("adamant_client/py.typed", names)
        self.assertRegex(text, r"(?m)^Requires-Dist: websockets>=14$")
        self.assertEqual(len(re.findall(r"(?m)^Requires-Dist:", text)), 1)
        for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
            self.assertTrue(any(name.endswith(f"licenses/{licence}") for name in names), licence)
            self.assertEqual((HERE / licence).read_bytes(), (ROOT / licence).read_bytes())

    def test_a_bot_needs_at_most_25_lines(self) -> None:
        self.assertLessEqual(len((self.folder / "bot.py").read_text().splitlines()), 25)


async def end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.wait()
