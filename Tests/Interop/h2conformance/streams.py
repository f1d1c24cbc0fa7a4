"""What comes at the wrong time: states, numbers and counts of streams (RFC 9113 section 5)."""
from hyperframe import frame as frames

from .client import (
    PROTOCOL_ERROR, REFUSED_STREAM, STREAM_CLOSED, Cases, Failure, field_list, raw_frame)

CASES = Cases()
case = CASES.case


# Idle

@case("5.1", "idle: DATA end the connection")
def idle_data(client):
    client.send(frames.DataFrame(1, b"test", flags=["END_STREAM"]))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("5.1", "idle: RST_STREAM ends the connection")
def idle_reset(client):
    client.send(frames.RstStreamFrame(1, 8))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("5.1", "idle: WINDOW_UPDATE ends the connection")
def idle_window(client):
    client.send(frames.WindowUpdateFrame(1, 100))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("5.1", "idle: PRIORITY is taken")
def idle_priority(client):
    client.send(frames.PriorityFrame(1, depends_on=0, stream_weight=5))
    client.expect_alive()


# Half closed by the client: /open/unread leaves time for more to come.

def half_closed(client):
    client.send(client.headers(fields=field_list(path="/open/slow")))


@case("5.1", "half closed: DATA are an error of a closed stream")
def half_closed_data(client):
    half_closed(client)
    client.send(frames.DataFrame(1, b"test", flags=["END_STREAM"]))
    client.expect_stream_error(1, STREAM_CLOSED)


@case("5.1", "half closed: HEADERS are an error of a closed stream")
def half_closed_headers(client):
    half_closed(client)
    client.send(client.headers(fields=[("x-a", "1")]))
    client.expect_stream_error(1, STREAM_CLOSED)


@case("5.1", "half closed: CONTINUATION ends the connection")
def half_closed_continuation(client):
    half_closed(client)
    client.send(frames.ContinuationFrame(1, client.block([("x-a", "1")]), flags=["END_HEADERS"]))
    client.expect_connection_error(PROTOCOL_ERROR, STREAM_CLOSED)


@case("5.1", "half closed: WINDOW_UPDATE and PRIORITY are taken")
def half_closed_window(client):
    half_closed(client)
    client.send(frames.WindowUpdateFrame(1, 100), frames.PriorityFrame(1, depends_on=0, stream_weight=5))
    client.expect_status()


@case("5.1", "half closed: RST_STREAM is taken")
def half_closed_reset(client):
    half_closed(client)
    client.send(frames.RstStreamFrame(1, 8))
    client.expect_alive()


# Closed

def ended(client):
    client.send(client.headers())
    client.expect_status()


@case("5.1", "closed: DATA are an error of a closed stream")
def closed_data(client):
    ended(client)
    client.send(frames.DataFrame(1, b"test", flags=["END_STREAM"]))
    client.expect_stream_error(1, STREAM_CLOSED)


@case("5.1", "closed: HEADERS are an error of a closed stream")
def closed_headers(client):
    ended(client)
    client.send(client.headers(1))
    client.expect_stream_error(1, STREAM_CLOSED, PROTOCOL_ERROR)


@case("5.1", "closed: CONTINUATION ends the connection")
def closed_continuation(client):
    ended(client)
    client.send(frames.ContinuationFrame(1, client.block([("x-a", "1")]), flags=["END_HEADERS"]))
    client.expect_connection_error(PROTOCOL_ERROR, STREAM_CLOSED)


@case("5.1", "closed: WINDOW_UPDATE, PRIORITY and RST_STREAM are taken")
def closed_window(client):
    ended(client)
    client.send(
        frames.WindowUpdateFrame(1, 100), frames.PriorityFrame(1, depends_on=0, stream_weight=5),
        frames.RstStreamFrame(1, 8))
    client.expect_alive()


@case("5.1", "reset by the client: DATA are an error of a closed stream")
def reset_data(client):
    client.send(client.headers(flags=("END_HEADERS",)), frames.RstStreamFrame(1, 8), frames.DataFrame(1, b"test"))
    client.expect_stream_error(1, STREAM_CLOSED)


@case("5.1", "reset by the client: HEADERS are an error of a closed stream")
def reset_headers(client):
    client.send(client.headers(flags=("END_HEADERS",)), frames.RstStreamFrame(1, 8), client.headers(1))
    client.expect_stream_error(1, STREAM_CLOSED, PROTOCOL_ERROR)


@case("5.1", "reset by the server: what was under way is ignored")
def reset_by_server(client):
    client.send(client.headers(flags=("END_HEADERS",), fields=field_list("POST", extra=[("content-length", "1")])))
    client.send(frames.DataFrame(1, b"two"))
    client.expect_stream_error(1, PROTOCOL_ERROR, answered=True)
    client.send(frames.DataFrame(1, b"more"), frames.WindowUpdateFrame(1, 1), frames.RstStreamFrame(1, 8))
    client.expect_alive()


# Numbers

@case("5.1.1", "an even number ends the connection")
def even(client):
    client.send(client.headers(2))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("5.1.1", "a number lower than an earlier one ends the connection")
def lower(client):
    client.send(client.headers(5))
    client.expect_status(5)
    client.send(client.headers(3))
    client.expect_connection_error(PROTOCOL_ERROR, STREAM_CLOSED)


# Counts

@case("5.1.2", "more streams than the server allows are refused")
def too_many(client):
    allowed = client.settings.get(3)
    if allowed is None:
        raise Failure("the server allows any number of streams")
    for number in range(allowed + 1):
        client.send(client.headers(1 + 2 * number, flags=("END_HEADERS",)))
    client.expect_stream_error(1 + 2 * allowed, PROTOCOL_ERROR, REFUSED_STREAM)


@case("5.1.2", "a stream that was reset makes room for another")
def room(client):
    allowed = client.settings.get(3, 100)
    for number in range(allowed):
        client.send(client.headers(1 + 2 * number, flags=("END_HEADERS",)))
    client.send(frames.RstStreamFrame(1, 8), client.headers(1 + 2 * allowed))
    client.expect_status(1 + 2 * allowed)


# Priorities

@case("5.3.1", "a PRIORITY frame that depends on its own stream is a protocol error")
def own_parent(client):
    client.send(raw_frame(2, 0, 1, b"\0\0\0\1\x10"))
    client.expect_connection_error(PROTOCOL_ERROR)


# Errors

@case("5.4.1", "GOAWAY of an error names the last stream that was looked at")
def last_stream(client):
    client.send(client.headers(flags=("END_HEADERS",)), client.headers(3, flags=("END_HEADERS",)))
    client.expect_alive()
    client.send(raw_frame(6, 0, 0, b"short"))
    frame = client.until_goaway()
    if frame.last_stream_id != 3:
        raise Failure(f"GOAWAY names {frame.last_stream_id}")
    client.expect_end()
