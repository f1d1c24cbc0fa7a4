#!/usr/bin/env python3
"""A WebSocket client for the tests: websocket_client.py CASE URL [TOKEN].

    messages    sends messages of every kind and wants them back; wants close codes passed in both directions
    many        holds 100 connections and uses each of them
    refused     wants the handshake refused, and prints the status
    watch       sends a message again and again, prints `echo N` for each that came back, and at the end
                `closed CODE REASON`

Exits with 1 where something is not as it should be.
"""
import asyncio
import os
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus


def open_one(url, token):
    fields = {"Authorization": f"Bearer {token}"} if token else {}
    return connect(url, additional_headers=fields, max_size=1 << 24, open_timeout=20, proxy=None)


async def returns(connection, message, expected=None):
    await connection.send(message)
    answer = await asyncio.wait_for(connection.recv(), 20)
    assert answer == (message if expected is None else expected), "another message came back"


async def messages(url, token):
    async with open_one(url, token) as connection:
        for text in ["", "hello", "grüße 🛂", "x" * 125, "x" * 126, "x" * 65_535, "x" * 65_536]:
            await returns(connection, text)
            await returns(connection, text.encode())
        await returns(connection, ["in ", "three ", "pieces"], "in three pieces")
        await returns(connection, os.urandom(1 << 20))
        await returns(connection, "m" * (1 << 20))
        for _ in range(10):
            await asyncio.wait_for(await connection.ping(), 20)
        await asyncio.gather(*(connection.send(str(i)) for i in range(1000)))
        assert [await connection.recv() for _ in range(1000)] == [str(i) for i in range(1000)]
        await connection.close(4001, "mine")
    async with open_one(url, token) as connection:
        await connection.send("close 4002 yours")
        try:
            await asyncio.wait_for(connection.recv(), 20)
        except ConnectionClosed:
            pass
        assert (connection.close_code, connection.close_reason) == (4002, "yours"), connection.close_code


async def many(url, token):
    connections = [await open_one(url, token) for _ in range(100)]
    for turn in range(3):
        await asyncio.gather(*(returns(c, f"{turn} {i}") for i, c in enumerate(connections)))
    await asyncio.gather(*(c.close() for c in connections))


async def refused(url, token):
    try:
        async with open_one(url, token):
            sys.exit("the handshake was not refused")
    except InvalidStatus as error:
        print(error.response.status_code, error.response.headers.get("WWW-Authenticate", ""), flush=True)


async def watch(url, token):
    async with open_one(url, token) as connection:
        count = 0
        try:
            while True:
                await returns(connection, f"message {count}")
                count += 1
                print("echo", count, flush=True)
                await asyncio.sleep(0.05)
        except ConnectionClosed:
            print("closed", connection.close_code, connection.close_reason, flush=True)


cases = {"messages": messages, "many": many, "refused": refused, "watch": watch}
asyncio.run(cases[sys.argv[1]](sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
