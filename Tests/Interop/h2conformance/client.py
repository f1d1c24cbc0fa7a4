"""One connection of a test: frames out as they are told, frames in, and what must come of it."""
import contextlib
import socket
import ssl
import time

import hpack
from hyperframe import frame as frames

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, SETTINGS_TIMEOUT, STREAM_CLOSED, FRAME_SIZE_ERROR = range(7)
REFUSED_STREAM, CANCEL, COMPRESSION_ERROR = 7, 8, 9

# How long an answer may take, and how long silence is waited for.
PATIENCE = 5


class Failure(Exception):
    """The server has done something else."""


class Closed(Exception):
    """The server has ended the connection."""


def field_list(method="GET", path="/open/x", authority="localhost", scheme="http", extra=()):
    return [(":method", method), (":scheme", scheme), (":path", path), (":authority", authority), *extra]


class Client:
    """Connects, says the preface and empty SETTINGS, and waits for the server's."""

    def __init__(self, address, authority=None, greeting=True):
        self.address, self.authority = address, authority
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if authority:
            context = ssl.create_default_context(cafile=authority)
            context.set_alpn_protocols(["h2"])
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
            if self.socket.selected_alpn_protocol() != "h2":
                raise Failure("no HTTP/2 by ALPN")
        self.encoder = hpack.Encoder()
        self.decoder = hpack.Decoder()
        self.buffer = bytearray()
        self.settings = {}
        self.greeting = greeting

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.socket.close()

    # Sending

    def greet(self, settings=None):
        """Preface and SETTINGS; waits for the server's SETTINGS and acknowledges them."""
        self.raw(PREFACE)
        self.send(frames.SettingsFrame(0, settings=settings or {}))
        frame = self.next_frame()
        if not isinstance(frame, frames.SettingsFrame) or "ACK" in frame.flags:
            raise Failure(f"the server's preface is {frame}")
        self.settings = dict(frame.settings)
        self.send(frames.SettingsFrame(0, flags=["ACK"]))
        self.until(lambda f: isinstance(f, frames.SettingsFrame) and "ACK" in f.flags, "an acknowledgement of SETTINGS")
        return self

    def raw(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            pass  # what the server has said before is still to be read

    def send(self, *list_of_frames):
        self.raw(b"".join(frame if isinstance(frame, bytes) else frame.serialize() for frame in list_of_frames))

    def block(self, fields):
        return self.encoder.encode(fields, huffman=False)

    def headers(self, stream=1, fields=None, flags=("END_HEADERS", "END_STREAM"), block=None, **more):
        if fields is None:
            fields = field_list("GET" if "END_STREAM" in flags else "POST")
        return frames.HeadersFrame(stream, self.block(fields) if block is None else block, flags=list(flags), **more)

    # Receiving

    def next_frame(self, seconds=PATIENCE):
        """The next frame; None when none comes in time."""
        deadline = time.monotonic() + seconds
        while True:
            if len(self.buffer) >= 9:
                frame, length = frames.Frame.parse_frame_header(memoryview(bytes(self.buffer[:9])))
                if len(self.buffer) >= 9 + length:
                    frame.parse_body(memoryview(bytes(self.buffer[9:9 + length])))
                    del self.buffer[:9 + length]
                    if isinstance(frame, frames.HeadersFrame):
                        # Every block changes the table, also one that nobody looks at.
                        frame.fields = dict(self.decoder.decode(frame.data))
                    return frame
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            self.socket.settimeout(left)
            try:
                data = self.socket.recv(65_536)
            except (TimeoutError, ssl.SSLWantReadError):
                return None
            except OSError:
                data = b""
            if not data:
                raise Closed
            self.buffer += data

    def until(self, wanted, what):
        """Passes frames over until one is wanted."""
        while True:
            try:
                frame = self.next_frame()
            except Closed:
                raise Failure(f"the connection was closed where {what} was to come") from None
            if frame is None:
                raise Failure(f"nothing came where {what} was to come")
            if wanted(frame):
                return frame
            if isinstance(frame, frames.GoAwayFrame) and frame.error_code:
                raise Failure(f"GOAWAY {frame.error_code} came where {what} was to come")

    # Verdicts

    def response(self, stream=1):
        """Status and body of a whole response."""
        status, body = None, b""
        while True:
            frame = self.until(lambda f: f.stream_id == stream, f"the response in stream {stream}")
            if isinstance(frame, frames.RstStreamFrame):
                raise Failure(f"RST_STREAM {frame.error_code} came for a response")
            if isinstance(frame, frames.HeadersFrame):
                status = frame.fields.get(":status", status)
            elif isinstance(frame, frames.DataFrame):
                body += frame.data
            if "END_STREAM" in frame.flags:
                return status, body

    def expect_status(self, stream=1, status="200"):
        found, body = self.response(stream)
        if found != status:
            raise Failure(f"the status is {found}, not {status}")
        return body

    def expect_status_end(self, stream):
        """The rest of a response whose head has come."""
        while "END_STREAM" not in self.until(lambda f: f.stream_id == stream, "the end of the response").flags:
            pass

    def expect_alive(self):
        """The connection goes on: a PING is answered."""
        self.send(frames.PingFrame(0, b"stillok?"))
        self.until(
            lambda f: isinstance(f, frames.PingFrame) and "ACK" in f.flags and f.opaque_data == b"stillok?", "a PONG")

    def expect_connection_error(self, *codes):
        """GOAWAY with one of the codes, or the connection just ends (RFC 9113 section 5.4.1)."""
        while True:
            try:
                frame = self.next_frame()
            except Closed:
                return
            if frame is None:
                raise Failure(f"the connection goes on, where error {list(codes)} was to end it")
            if isinstance(frame, frames.GoAwayFrame):
                if frame.error_code not in codes:
                    raise Failure(f"GOAWAY has code {frame.error_code}, not {list(codes)}")
                self.expect_end()
                return

    def until_goaway(self):
        while True:
            try:
                frame = self.next_frame()
            except Closed:
                raise Failure("the connection was closed without GOAWAY") from None
            if frame is None:
                raise Failure("no GOAWAY came")
            if isinstance(frame, frames.GoAwayFrame):
                return frame

    def expect_end(self):
        """The server closes its side."""
        while True:
            try:
                if self.next_frame() is None:
                    raise Failure("GOAWAY was sent, and the connection is still open")
            except Closed:
                return

    def expect_stream_error(self, stream, *codes, answered=False):
        """RST_STREAM with one of the codes; a connection error with it will do (RFC 9113 section 5.4.2), and, of a
        malformed request, an answer of 4xx or 5xx too (section 8.1.1)."""
        while True:
            try:
                frame = self.next_frame()
            except Closed:
                return
            if frame is None:
                raise Failure(f"nothing came where error {list(codes)} was to end stream {stream}")
            if isinstance(frame, (frames.GoAwayFrame, frames.RstStreamFrame)):
                if isinstance(frame, frames.RstStreamFrame) and frame.stream_id != stream:
                    continue
                if frame.error_code not in codes:
                    raise Failure(f"{type(frame).__name__} has code {frame.error_code}, not {list(codes)}")
                return
            if isinstance(frame, frames.HeadersFrame) and frame.stream_id == stream:
                status = frame.fields.get(":status", "")
                if answered and status[:1] in ("4", "5"):
                    return
                raise Failure(f"the answer is {status}, where error {list(codes)} was to come")


class Cases(list):
    """Collects functions that take a client which has exchanged prefaces, or a bare one."""

    def case(self, section, title, greet=True, settings=None):
        def add(function):
            def run(client):
                if greet:
                    client.greet(settings)
                function(client)
            self.append((section, title, run))
            return function
        return add


def raw_frame(kind, flags, stream, payload):
    """A frame as bytes, for what hyperframe does not make."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload
