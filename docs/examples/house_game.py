"""Plays a game of Adamas against the house by random moves. Needs: pip install websockets"""

import asyncio, json, random, sys
from websockets.asyncio.client import connect


async def play(url):
    async with connect(url, subprotocols=["adamant.v1.json"]) as socket:
        sent = {"type": "hello", "id": "hello", "proto": [1], "caps": ["legal"],
                "client": {"name": "house_game.py", "version": "1"},
                "auth": {"guest": f"guest-{random.randrange(10**6):06}", "bot": True}}
        await socket.send(json.dumps(sent))
        async for text in socket:
            frame = json.loads(text)
            kind = frame["kind"] if frame["type"] == "event" else frame["type"]
            if kind == "welcome":
                sent = {"type": "challenge", "id": "challenge", "rules": "adamas",
                        "seats": [frame["user"]["name"], "house"]}
            elif kind == "your_turn":
                sent = {"type": "move", "id": f"{frame['game']}:{frame['turn']}", "game": frame["game"],
                        "turn": frame["turn"], "move": random.choice(frame["legal"])}
            elif kind == "error" and frame["retry"] == "after":  # Too fast: the same again, later.
                await asyncio.sleep(frame.get("retry_after_ms", 1000) / 1000)
            else:
                if kind == "created":
                    names = [seat["user"] for seat in frame["seats"]]
                elif kind == "moved":
                    print(frame["ply"], names[frame["seat"]], frame["move"])
                elif kind == "ended":
                    return print(frame["reason"], "- winners:", *(names[seat] for seat in frame["winners"]))
                elif kind in ("error", "aborted"):
                    sys.exit(text)
                continue
            await socket.send(json.dumps(sent))
        sys.exit("the server closed the connection before the game was over")


asyncio.run(play(sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:7777/v1/ws"))
