"""The bot of docs/CONFORMANCE.md against servers that lose, repeat and reorder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from .server import LONG

ROOT = Path(__file__).resolve().parents[3]

TIMEOUT = 300.0
"""The timeout of all seeds together, for a busy machine."""


@LONG
class Conformance(unittest.TestCase):
    def test_the_bot_of_the_document_bears_everything(self) -> None:
        text = (ROOT / "docs/CONFORMANCE.md").read_text(encoding="utf-8")
        self.assertIn("adamant conform --seeds 3 -- python3 bot.py\n", text)
        (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        server = Path(os.environ["ADAMANT_SERVER"])
        with tempfile.TemporaryDirectory(prefix="adamant-python-") as folder:
            bot = Path(folder) / "bot.py"
            bot.write_text(program, encoding="utf-8")
            command = [str(server.with_name("adamant")), "--json", "conform", "--server-program", str(server)]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
            done = subprocess.run(
                [*command, "--seeds", "3", "--", sys.executable, str(bot)],
                env=environment,
                capture_output=True,
                check=False,
                text=True,
                timeout=TIMEOUT,
            )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(json.loads(done.stdout)["seeds_passed"], 3)
