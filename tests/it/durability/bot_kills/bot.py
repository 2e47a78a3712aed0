"""A bot that makes random moves, and keeps games going with other bots: bot.py NAME MOVE_MS GAMES OPPONENT .."""

from __future__ import annotations

import asyncio
import os
import random
import sys

from adamant_client import Bot, ConnectionLost, Game, RequestError
from adamant_client.protocol import Moved, PerMoveClock, ToClient

THINKS_MAX_S = 1.5
LOOKS_EVERY_S = 0.5
CHALLENGES_MAX = 2
BOARD = os.environ["BOARD"]

name, move_ms, wanted, *opponents = sys.argv[1:]


class Player(Bot):
    games_at_once = 64
    seeking: asyncio.Task[None] | None = None

    async def choose(self, game: Game) -> str:
        await asyncio.sleep(random.uniform(0, min(THINKS_MAX_S, (game.time_left() or 0) / 3)))
        return random.choice(game.legal)

    def received(self, frame: ToClient) -> None:
        if frame["type"] == "welcome" and self.seeking is None:
            self.seeking = asyncio.create_task(self.seek())
        elif frame["type"] == "event" and frame["kind"] == "moved" and self.is_mine(frame):
            print(f"{frame['game']}: {frame['ply']}. {frame['move']}", file=sys.stderr, flush=True)

    def is_mine(self, moved: Moved) -> bool:
        return moved["seat"] == self.client.games[moved["game"]].seat

    async def seek(self) -> None:
        """Challenges each opponent with whom there are too few games."""
        while True:
            for opponent in opponents:
                try:
                    await self.challenge(opponent)
                except (ConnectionLost, RequestError) as error:
                    # The server or the opponent is away.
                    print(f"{opponent}: {error}", file=sys.stderr, flush=True)
            await asyncio.sleep(LOOKS_EVERY_S)

    async def challenge(self, opponent: str) -> None:
        page = await self.client.request("challenges")
        waiting = sum(opponent in it["seats"] for it in page["challenges"] if it["direction"] == "out")
        playing = sum(opponent in game.opponents for game in self.client.live_games)
        missing = int(wanted) - playing - waiting
        clock: PerMoveClock = {"mode": "per_move", "move_ms": int(move_ms)}
        for _ in range(min(CHALLENGES_MAX - waiting, missing)):
            seat = random.randrange(2)
            await self.client.challenge(opponent, rules="diam", seat=seat, options=BOARD, clock=clock)


Player().run(os.environ["ADAMANT_SERVER"], name=name, token_file="token")
