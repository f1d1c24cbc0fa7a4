#!/usr/bin/env python3
"""A WebSocket server that sends every message back. Prints the port it listens on.

The message `close CODE REASON` has it close with that code. Every message comes back in the kind it came in, and in two
fragments if it is longer than 100,000.
"""
import asyncio

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed


async def answer(connection):
    try:
        await echo(connection)
    except ConnectionClosed:
        pass


async def echo(connection):
    async for message in connection:
        if isinstance(message, str) and message.startswith("close "):
            _, code, reason = message.split(" ", 2)
            await connection.close(int(code), reason)
            return
        half = len(message) // 2
        await connection.send([message[:half], message[half:]] if len(message) > 100_000 else message)


async def main():
    async with serve(answer, "127.0.0.1", 0, max_size=1 << 24) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


asyncio.run(main())
