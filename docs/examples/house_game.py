"""Plays a game of Adamas against a house bot. Survives lost connections and its own restarts.
Needs: pip install websockets. Run: house_game.py [ADDRESS [FILE]]; FILE stores the token and the last move sent."""

import asyncio, json, os, random, sys
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

ADDRESS = sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:7777/v1/ws"
FILE = sys.argv[2] if len(sys.argv) > 2 else "house_game.json"
kept = json.load(open(FILE)) if os.path.exists(FILE) else {}
cursor, names = {"seq": 0}, []  # The last event received, and the user in each seat.


def keep(**changes):  # Writes to disk before sending, so that a restart sends the same move again.
    kept.update(changes)
    if os.path.lexists(FILE + ".new"):
        os.remove(FILE + ".new")
    with open(os.open(FILE + ".new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(kept, file)
    os.replace(FILE + ".new", FILE)


def choose(turn):  # Prefers a capture. Where `legal_cut` is true, the request `moves` has the other moves.
    enemies = [cell for cell, pieces in turn["position"].items() if pieces[0] != "OXY"[turn["seat"]]]
    goals = lambda move: [part.split("x")[-1] for part in move.split("-")[1].split(",")]
    return random.choice([move for move in turn["legal"] if set(goals(move)) & set(enemies)] or turn["legal"])


async def play(socket):
    sent = None
    async def send(**frame):
        nonlocal sent
        sent = json.dumps(frame)
        await socket.send(sent)

    auth = {"token": kept["token"]} if kept.get("token") else {"guest": f"guest-{random.randrange(10**6):06}", "bot": True}
    await send(type="hello", id="hello", proto=[1], auth=auth, caps=["legal", "position"],
               client={"name": "house_game.py", "version": "2"},
               resume={kept["game"]: cursor} if kept.get("game") else {})
    async for text in socket:
        frame = json.loads(text)
        kind = frame["kind"] if frame["type"] == "event" else frame["type"]
        if kind == "welcome":
            if "token" in frame:
                keep(token=frame["token"])
            live = [game["game"] for game in frame["games"] if game["resume"] != "gone"]
            if kept.get("game") not in live:
                keep(game=live[0] if live else None)
            if not live and not frame["challenges"]:
                await send(type="challenge", id="challenge", rules="adamas", seats=[frame["user"]["name"], "house"])
        elif kind == "your_turn":
            move = {"type": "move", "id": f"{frame['game']}:{frame['turn']}", "game": frame["game"], "turn": frame["turn"]}
            if kept.get("move", {}).get("id") != move["id"]:  # If it is the same, its answer was lost: send it again.
                keep(move={**move, "move": choose(frame)})
            await send(**kept["move"])
        elif kind == "error" and frame["retry"] == "after":  # Too fast: send the same again, later.
            await asyncio.sleep(frame.get("retry_after_ms", 1000) / 1000)
            await socket.send(sent)
        elif kind == "error" and frame["code"] == "unauthorized" and kept.get("token"):
            return keep(token=None, game=None)  # The token has ended: come back as another guest.
        elif kind == "aborted" or kind == "error" and frame["retry"] != "resync":
            sys.exit(text)
        elif kind == "challenge_closed" and "game" not in frame:  # The house bot declined.
            sys.exit(text)
        if "seq" in frame and "chain" in frame:
            cursor.update(seq=frame["seq"], chain=frame["chain"])
            names[:] = [seat["user"] for seat in frame.get("seats", [])] or names
        if kind == "created":
            keep(game=frame["game"])
        elif kind == "moved":
            print(frame["ply"], names[frame["seat"]], frame["move"], flush=True)
        elif kind == "ended":
            keep(game=None, move={})
            return f"{frame['reason']} - winners: {' '.join(names[seat] for seat in frame['winners'])}"
    if socket.close_code in (4002, 4003):  # No common version, or replaced by a newer session.
        sys.exit(socket.close_reason)


async def main():
    wait, result = 0.25, None
    while result is None:
        try:
            async with connect(ADDRESS, subprotocols=["adamant.v1.json"]) as socket:
                wait, result = 0.25, await play(socket)
        except (OSError, WebSocketException) as error:
            print(f"{error}; coming back", file=sys.stderr)
        if result is None:  # A random time up to a limit that doubles from 250 ms to 3 s.
            await asyncio.sleep(random.uniform(0, wait))
            wait = min(2 * wait, 3)
    print(result)


asyncio.run(main())
