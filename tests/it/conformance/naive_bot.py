"""A naive bot, the control of the conformance tests: it plays well as long as nothing goes wrong.
It comes back without cursors and without waiting, sends acts again under new ids, and knows all kinds of events."""
import asyncio, itertools, json, os
from websockets.asyncio.client import connect

KINDS = "created started moved swapped skipped removed seat_offered substituted offered agreed offer_closed taken_back clock_adjusted aborted ended rated"
ids = itertools.count(1)
unanswered = {}


async def session():
    async with connect(os.environ["ADAMANT_SERVER"], subprotocols=["adamant.v1.json"]) as socket:
        async def send(**frame):
            frame["id"] = f"n{next(ids)}"
            unanswered[frame["id"]] = frame
            await socket.send(json.dumps(frame))

        again = [frame for frame in unanswered.values() if frame["type"] == "move"]
        unanswered.clear()
        await send(type="hello", proto=[1], auth={"token": os.environ["ADAMANT_TOKEN"]}, caps=["legal"])
        for frame in again:
            await send(**frame)
        async for text in socket:
            frame = json.loads(text)
            asked = unanswered.pop(frame.get("re"), None)
            if frame["type"] == "challenged" and len(frame["accepted"]) == 1:
                await send(type="accept", challenge=frame["challenge"])
            elif frame["type"] == "your_turn":
                await send(type="move", game=frame["game"], turn=frame["turn"], move=frame["legal"][0])
            elif frame["type"] == "error" and frame["retry"] in ("after", "same") and asked:
                await send(**asked)
            elif frame["type"] == "event" and frame["kind"] not in KINDS.split():
                raise ValueError(frame["kind"])


async def main():
    while True:
        try:
            await session()
        except Exception:
            pass


asyncio.run(main())
