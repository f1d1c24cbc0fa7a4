"""What every server must be able to do: good frames of each kind."""
from hyperframe import frame as frames

from .client import PREFACE, Cases, Failure, field_list, raw_frame

CASES = Cases()
case = CASES.case


@case("3.4", "the server begins with SETTINGS, whatever the client's preface says besides", greet=False)
def server_preface(client):
    client.greet({3: 100, 4: 65_535})


@case("3.4", "a wrong preface ends the connection", greet=False)
def wrong_preface(client):
    client.raw(PREFACE.replace(b"SM", b"XX") + b"\0" * 64)
    client.expect_connection_error(1)


@case("3.4", "a preface that is no protocol's is answered by GOAWAY", greet=False)
def no_preface(client):
    client.raw(b"INVALID CONNECTION PREFACE\r\n\r\n")
    frame = client.until_goaway()
    if frame.error_code != 1:
        raise Failure(f"GOAWAY has code {frame.error_code}, not 1")
    client.expect_end()


@case("3.4", "a preface in pieces is one", greet=False)
def preface_in_pieces(client):
    for byte in PREFACE[:-1]:
        client.raw(bytes([byte]))
    client.raw(PREFACE[-1:])
    client.send(frames.SettingsFrame(0), client.headers())
    client.expect_status()


@case("3.4", "a preface without SETTINGS behind it is wrong", greet=False)
def no_settings(client):
    client.raw(PREFACE)
    client.send(frames.PingFrame(0, b"12345678"))
    client.expect_connection_error(1)


for name, stream_flags in (("GET", ("END_HEADERS", "END_STREAM")), ("HEAD", ("END_HEADERS", "END_STREAM"))):
    def ask(client, name=name, stream_flags=stream_flags):
        client.send(client.headers(fields=field_list(name), flags=stream_flags))
        body = client.expect_status()
        if (name == "HEAD") != (body == b""):
            raise Failure(f"{len(body)} bytes of body for {name}")
    case("8.1", f"{name} is answered")(ask)


@case("8.1", "POST with a body in one frame is answered")
def post(client):
    client.send(client.headers(flags=("END_HEADERS",)), frames.DataFrame(1, b"test", flags=["END_STREAM"]))
    client.expect_status()


@case("8.1", "POST with a body in several frames is answered")
def post_pieces(client):
    client.send(client.headers(flags=("END_HEADERS",)))
    for piece in (b"one", b"", b"two"):
        client.send(frames.DataFrame(1, piece))
    client.send(frames.DataFrame(1, b"", flags=["END_STREAM"]))
    client.expect_status()


@case("8.1", "POST with trailers is answered")
def post_trailers(client):
    client.send(
        client.headers(flags=("END_HEADERS",)), frames.DataFrame(1, b"test"),
        client.headers(fields=[("x-check", "1")], flags=("END_HEADERS", "END_STREAM")))
    client.expect_status()


@case("6.1", "padded DATA is a body without its padding")
def padded_data(client):
    client.send(client.headers(flags=("END_HEADERS",), fields=field_list("POST", extra=[("content-length", "4")])))
    client.send(frames.DataFrame(1, b"test", flags=["PADDED", "END_STREAM"], pad_length=200))
    client.expect_status()


@case("6.2", "padded HEADERS are a head")
def padded_headers(client):
    client.send(client.headers(flags=("END_HEADERS", "END_STREAM", "PADDED"), pad_length=100))
    client.expect_status()


@case("6.2", "HEADERS with a priority are a head")
def headers_with_priority(client):
    client.send(client.headers(
        flags=("END_HEADERS", "END_STREAM", "PRIORITY"), depends_on=0, stream_weight=255, exclusive=True))
    client.expect_status()


@case("6.3", "PRIORITY of any stream is taken")
def priority(client):
    for stream, weight, exclusive in ((1, 0, False), (3, 255, True), (5, 16, False)):
        client.send(frames.PriorityFrame(stream, depends_on=0, stream_weight=weight, exclusive=exclusive))
    client.send(client.headers(7))
    client.expect_status(7)


@case("6.4", "RST_STREAM ends a stream and nothing else")
def reset(client):
    client.send(client.headers(flags=("END_HEADERS",)), frames.RstStreamFrame(1, 8), client.headers(3))
    client.expect_status(3)


@case("6.5", "SETTINGS are acknowledged")
def settings(client):
    client.send(frames.SettingsFrame(0, settings={1: 4096, 4: 100_000, 5: 16_384}))
    client.until(lambda f: isinstance(f, frames.SettingsFrame) and "ACK" in f.flags, "an acknowledgement")


@case("6.7", "PING is answered with its own data")
def ping(client):
    client.expect_alive()


@case("6.8", "GOAWAY of a client with open streams lets them end")
def going_away(client):
    client.send(client.headers(flags=("END_HEADERS",)), frames.GoAwayFrame(0, 0, 0))
    client.send(frames.DataFrame(1, b"test", flags=["END_STREAM"]))
    client.expect_status()


@case("6.9", "WINDOW_UPDATE of connection and stream are taken")
def window_update(client):
    client.send(frames.WindowUpdateFrame(0, 1), client.headers(flags=("END_HEADERS",)), frames.WindowUpdateFrame(1, 1))
    client.send(frames.DataFrame(1, b"", flags=["END_STREAM"]))
    client.expect_status()


@case("6.10", "one CONTINUATION, and several, end a head")
def continuation(client):
    for stream, pieces in ((1, 2), (3, 5)):
        block = client.block(field_list(extra=[("x-filler", "y" * 40)]))
        size = len(block) // pieces + 1
        parts = [block[i:i + size] for i in range(0, len(block), size)]
        client.send(frames.HeadersFrame(stream, parts[0], flags=["END_STREAM"]))
        for part in parts[1:-1]:
            client.send(frames.ContinuationFrame(stream, part))
        client.send(frames.ContinuationFrame(stream, parts[-1], flags=["END_HEADERS"]))
        client.expect_status(stream)


@case("5.5", "frames of an unknown type are ignored")
def unknown_type(client):
    client.send(raw_frame(0x16, 0xff, 0, b"whatever"), raw_frame(0xee, 0, 1, b""))
    client.expect_alive()


@case("4.1", "unknown flags are ignored")
def unknown_flags(client):
    client.send(raw_frame(6, 0x16, 0, b"12345678"))
    client.until(lambda f: isinstance(f, frames.PingFrame) and "ACK" in f.flags, "a PONG")


@case("4.1", "the reserved bit of a stream's number is ignored")
def reserved_bit(client):
    client.send(raw_frame(6, 0, 0x80000000, b"12345678"))
    client.until(lambda f: isinstance(f, frames.PingFrame) and "ACK" in f.flags, "a PONG")


@case("5.1.2", "as many streams as the server allows are answered")
def many_streams(client):
    count = min(client.settings.get(3, 100), 50)
    for number in range(count):
        client.send(client.headers(1 + 2 * number))
    done = set()
    while len(done) < count:
        frame = client.until(lambda f: "END_STREAM" in f.flags, "the end of a response")
        done.add(frame.stream_id)
