#!/usr/bin/env python3
"""Goes on being a hostile client until it is ended: hostile_load.py ATTACK PLAIN SECURE CA

ATTACK is `slowloris`, `slow_body`, `slow_read`, `rapid_reset`, `continuation_flood` or `hpack_bomb`; `gzip_bomb`,
`billion_laughs` or `signatures`, which are SAML assertions in exchange for a token; `silent_provider`, of browsers on their
way to an identity provider that never answers; or `burn`, which takes of a processor what it gets and leaves the gateway
alone. PLAIN and SECURE are HOST:PORT of listeners. Prints `ready` once it has begun, and makes every connection anew that
the gateway ends. Floods come from an address of their own, as they do in earnest. An assertion that is not refused as it
should be, or a browser that is told anything but to come back later, ends the attack.

    hostile_load.py silence

is that provider: it prints its HOST:PORT.
"""
import base64
import gzip
import http.client
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


SIGNATURE = """<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo>\
<ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>\
<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"/><ds:Reference URI="#a"><ds:Transforms>\
<ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/>\
<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms>\
<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>\
47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=</ds:DigestValue></ds:Reference></ds:SignedInfo>\
<ds:SignatureValue>AAAA</ds:SignatureValue></ds:Signature>"""


def assertion(more=""):
    return (
        '<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="a" Version="2.0" '
        'IssueInstant="2026-01-01T00:00:00Z"><saml:Issuer>https://idp.example.com</saml:Issuer>'
        f"{SIGNATURE}{more}</saml:Assertion>"
    )


def document(attack):
    if attack == "gzip_bomb":
        return assertion("<saml:Advice>" + " " * 10_000_000 + "</saml:Advice>")
    if attack == "billion_laughs":
        entities = "".join(
            f"<!ENTITY l{level} '{f'&l{level - 1};' * 10}'>" if level else "<!ENTITY l0 'laugh'>" for level in range(10))
        return f"<!DOCTYPE a [{entities}]>" + assertion("<saml:Advice>&l9;</saml:Advice>")
    many = 65_536 // len(SIGNATURE) + 1
    return assertion(f"<saml:Advice>{SIGNATURE * many}</saml:Advice>")


# What must be answered, beside a queue that is full.
REFUSED = {"gzip_bomb": 400, "billion_laughs": 400, "signatures": 400, "silent_provider": 503}
PRESENTERS = 8
BROWSERS = 200


def present(attack, address, problem):
    """The same request again and again, on one connection after the other."""
    path, fields = "/mobile/platform/sso/exchange-token?clientID=inv-client", {}
    if attack != "silent_provider":
        packed = base64.b64encode(gzip.compress(document(attack).encode())).decode()
        path, fields = "/mobile/platform/sso/exchange-token", {
            "Authorization": f"Bearer {packed}", "Oracle-Mobile-Backend-ID": "mbe"}
    host, port = address.rsplit(":", 1)
    while True:
        connection = http.client.HTTPConnection(host, int(port), timeout=60, source_address=(FLOOD_SOURCE, 0))
        try:
            while True:
                connection.request("GET", path, headers=fields)
                answer = connection.getresponse()
                text = answer.read()
                if answer.status not in (REFUSED[attack], 503):
                    problem.append(f"{answer.status} {text[:200]}")
        except (http.client.HTTPException, OSError):
            time.sleep(0.01)
        connection.close()


def be_silent():
    """An identity provider that takes connections and says nothing."""
    server = socket.create_server(("127.0.0.1", 0), backlog=4096)
    print("%s:%d" % server.getsockname(), flush=True)
    kept = []
    while True:
        kept.append(server.accept())


def main():
    if sys.argv[1:] == ["silence"]:
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
        be_silent()
    attack, plain, secure, authority = sys.argv[1:]
    if attack in REFUSED:
        problem = []
        for _ in range(BROWSERS if attack == "silent_provider" else PRESENTERS):
            threading.Thread(target=present, args=(attack, plain, problem), daemon=True).start()
        print("ready", flush=True)
        while not problem:
            time.sleep(0.05)
        sys.exit(f"not refused as it should be: {problem[0]}")
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
