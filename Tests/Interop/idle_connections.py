#!/usr/bin/env python3
"""Connections that do nothing: idle_connections.py COUNT PROTOCOL HOST:PORT [CA].

PROTOCOL is `http/1.1` or `h2`; with the certificate of an authority it is spoken over TLS. Each connection asks for one
thing, so that the gateway has all that it keeps for a connection. Prints how many are open, then keeps them until it is
ended by a signal.
"""
import signal
import socket
import ssl
import sys


def request(protocol, secure):
    if protocol == "http/1.1":
        return b"GET /open/idle HTTP/1.1\r\nHost: localhost\r\n\r\n"
    # The preface, SETTINGS, its acknowledgement, and a request whose fields stand in no table.
    scheme = b"\x87" if secure else b"\x86"
    block = b"\x82" + scheme + b"\x01\x09localhost\x04\x0a/open/idle"
    return (
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0" + b"\0\0\0\x04\x01\0\0\0\0"
        + len(block).to_bytes(3, "big") + b"\x01\x05\0\0\0\x01" + block)


def open_one(protocol, address, context):
    host, port = address.rsplit(":", 1)
    connection = socket.create_connection((host, int(port)), 60)
    if context:
        connection = context.wrap_socket(connection, server_hostname="localhost")
        assert connection.selected_alpn_protocol() == protocol, "another protocol"
    connection.sendall(request(protocol, context is not None))
    received = b""
    # The body may come in several DATA frames; the last one says that the stream ends.
    end = b"/open/idle" if protocol == "http/1.1" else b"\0\x01\0\0\0\x01"
    while end not in received:
        more = connection.recv(65_536)
        assert more, f"ended after {received!r}"
        received += more
    return connection


def main(count, protocol, address, authority=None):
    context = None
    if authority:
        context = ssl.create_default_context(cafile=authority)
        context.set_alpn_protocols([protocol])
    connections = [open_one(protocol, address, context) for _ in range(int(count))]
    print(len(connections), flush=True)
    signal.pause()


if __name__ == "__main__":
    main(*sys.argv[1:])
