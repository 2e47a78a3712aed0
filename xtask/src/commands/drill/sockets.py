"""Opens many WebSockets over TLS, and says on request how many of them still answer.

Arguments: how many, the server's name, and the file with the certificate authority. Each line of
standard input is answered with one line, a number. Fifty sockets share an address of the loopback
network, so that the limits for one address hold.
"""

import asyncio
import json
import ssl
import sys

from websockets.asyncio.client import connect

PER_ADDRESS = 50
# Handshakes at a time.
AT_ONCE = 10


async def ask(socket, request):
    await socket.send(json.dumps({"id": "1", **request}))
    while json.loads(await socket.recv()).get("re") != "1":
        pass
    return 1


async def main(count, name, authority):
    tls = ssl.create_default_context(cafile=authority)
    turn = asyncio.Semaphore(AT_ONCE)

    async def opened(number):
        async with turn:
            socket = await connect(
                f"wss://{name}/v1/ws",
                host="127.0.0.1",
                ssl=tls,
                subprotocols=["adamant.v1.json"],
                local_addr=(f"127.0.1.{1 + number // PER_ADDRESS}", 0),
                open_timeout=60,
            )
            await ask(socket, {"type": "hello", "proto": [1]})
            return socket

    sockets = await asyncio.gather(*map(opened, range(count)))
    print(len(sockets), flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        answers = [ask(socket, {"type": "games"}) for socket in sockets]
        answered = await asyncio.gather(*answers, return_exceptions=True)
        print(answered.count(1), flush=True)


asyncio.run(main(int(sys.argv[1]), *sys.argv[2:]))
