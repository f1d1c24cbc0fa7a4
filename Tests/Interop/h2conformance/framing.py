"""Frames that are wrong by themselves: sizes, stream numbers, payloads (RFC 9113 sections 4 and 6)."""
from hyperframe import frame as frames

from .client import (
    COMPRESSION_ERROR, FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR, PROTOCOL_ERROR, STREAM_CLOSED, Cases, Failure, field_list,
    raw_frame)

CASES = Cases()
case = CASES.case

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
ACK = END_STREAM = 1
END_HEADERS, PADDED, PRIORITIZED = 4, 8, 0x20


# 4.2 Frame size

@case("4.2", "DATA of the largest allowed size is taken")
def largest_data(client):
    client.send(client.headers(flags=("END_HEADERS",)), frames.DataFrame(1, b"x" * 16_384, flags=["END_STREAM"]))
    client.expect_status()


@case("4.2", "DATA over the largest size is an error of the frame's size")
def data_too_large(client):
    client.send(client.headers(flags=("END_HEADERS",)), raw_frame(DATA, END_STREAM, 1, b"x" * 16_385))
    client.expect_stream_error(1, FRAME_SIZE_ERROR)


@case("4.2", "HEADERS over the largest size end the connection")
def headers_too_large(client):
    block = client.block(field_list(extra=[(f"x-filler-{i}", "y" * 4000) for i in range(5)]))
    client.send(raw_frame(HEADERS, END_HEADERS | END_STREAM, 1, block))
    client.expect_connection_error(FRAME_SIZE_ERROR)


@case("4.2", "SETTINGS over the largest size end the connection")
def settings_too_large(client):
    client.send(raw_frame(SETTINGS, 0, 0, b"\0\x99\0\0\0\1" * 2731))
    client.expect_connection_error(FRAME_SIZE_ERROR)


# 4.3 Field blocks

@case("4.3", "a field block that is none ends the connection")
def broken_block(client):
    client.send(client.headers(block=b"\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
    client.expect_connection_error(COMPRESSION_ERROR)


@case("4.3", "another frame within a field block ends the connection")
def interrupted_block(client):
    client.send(client.headers(flags=("END_STREAM",)), frames.PriorityFrame(1, depends_on=0, stream_weight=1))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("4.3", "HEADERS of another stream within a field block end the connection")
def interrupted_by_stream(client):
    client.send(client.headers(flags=("END_STREAM",)), client.headers(3))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("5.5", "a frame of an unknown type within a field block ends the connection")
def interrupted_by_unknown(client):
    client.send(client.headers(flags=("END_STREAM",)), raw_frame(0x16, 0, 0, b""))
    client.expect_connection_error(PROTOCOL_ERROR)


# 6.1 DATA

@case("6.1", "DATA in stream 0 end the connection")
def data_on_connection(client):
    client.send(raw_frame(DATA, END_STREAM, 0, b"test"))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("6.1", "DATA with more padding than frame end the connection")
def data_overpadded(client):
    client.send(client.headers(flags=("END_HEADERS",)), raw_frame(DATA, PADDED | END_STREAM, 1, b"\x06test"))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("6.1", "padded DATA without a length of padding end the connection")
def data_without_pad_length(client):
    client.send(client.headers(flags=("END_HEADERS",)), raw_frame(DATA, PADDED | END_STREAM, 1, b""))
    client.expect_connection_error(PROTOCOL_ERROR, FRAME_SIZE_ERROR)


# 6.2 HEADERS

@case("6.2", "HEADERS in stream 0 end the connection")
def headers_on_connection(client):
    client.send(raw_frame(HEADERS, END_HEADERS | END_STREAM, 0, client.block(field_list())))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("6.2", "HEADERS with more padding than frame end the connection")
def headers_overpadded(client):
    block = client.block(field_list())
    client.send(raw_frame(HEADERS, PADDED | END_HEADERS | END_STREAM, 1, bytes([len(block) + 1]) + block))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("6.2", "HEADERS too short for their priority end the connection")
def headers_short_priority(client):
    client.send(raw_frame(HEADERS, PRIORITIZED | END_HEADERS | END_STREAM, 1, b"\0\0"))
    client.expect_connection_error(FRAME_SIZE_ERROR, PROTOCOL_ERROR)


# 6.3 PRIORITY

@case("6.3", "PRIORITY in stream 0 ends the connection")
def priority_on_connection(client):
    client.send(raw_frame(PRIORITY, 0, 0, b"\0\0\0\0\x10"))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("6.3", "PRIORITY of another length than five is an error of the frame's size")
def priority_length(client):
    client.send(client.headers(flags=("END_HEADERS",)), raw_frame(PRIORITY, 0, 1, b"\0\0\0\0"))
    client.expect_stream_error(1, FRAME_SIZE_ERROR)


# 6.4 RST_STREAM

@case("6.4", "RST_STREAM in stream 0 ends the connection")
def reset_on_connection(client):
    client.send(raw_frame(RST_STREAM, 0, 0, b"\0\0\0\x08"))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("6.4", "RST_STREAM of an idle stream ends the connection")
def reset_idle(client):
    client.send(frames.RstStreamFrame(1, 8))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("6.4", "RST_STREAM of another length than four ends the connection")
def reset_length(client):
    client.send(client.headers(flags=("END_HEADERS",)), raw_frame(RST_STREAM, 0, 1, b"\0\0\0"))
    client.expect_connection_error(FRAME_SIZE_ERROR)


# 6.5 SETTINGS

@case("6.5", "an acknowledgement with content ends the connection")
def settings_acknowledgement_length(client):
    client.send(raw_frame(SETTINGS, ACK, 0, b"\0\1\0\0\x10\0"))
    client.expect_connection_error(FRAME_SIZE_ERROR)


@case("6.5", "SETTINGS in a stream end the connection")
def settings_in_stream(client):
    client.send(raw_frame(SETTINGS, 0, 1, b"\0\3\0\0\0\x64"))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("6.5", "SETTINGS whose length is no multiple of six end the connection")
def settings_length(client):
    client.send(raw_frame(SETTINGS, 0, 0, b"\0\3\0\0\0"))
    client.expect_connection_error(FRAME_SIZE_ERROR)


for title, number, value, codes in (
    ("SETTINGS_ENABLE_PUSH of 2", 2, 2, [PROTOCOL_ERROR]),
    ("SETTINGS_INITIAL_WINDOW_SIZE of 2^31", 4, 1 << 31, [FLOW_CONTROL_ERROR]),
    ("SETTINGS_MAX_FRAME_SIZE of 16383", 5, 16_383, [PROTOCOL_ERROR]),
    ("SETTINGS_MAX_FRAME_SIZE of 2^24", 5, 1 << 24, [PROTOCOL_ERROR]),
):
    def set_badly(client, number=number, value=value, codes=codes):
        client.send(raw_frame(SETTINGS, 0, 0, number.to_bytes(2, "big") + value.to_bytes(4, "big")))
        client.expect_connection_error(*codes)
    case("6.5.2", f"{title} ends the connection")(set_badly)


@case("6.5.2", "an unknown setting is ignored")
def unknown_setting(client):
    client.send(raw_frame(SETTINGS, 0, 0, b"\x00\xff\0\0\0\1"))
    client.expect_alive()


@case("6.5.3", "of a setting that stands twice in a frame the last holds")
def repeated_setting(client):
    client.send(raw_frame(SETTINGS, 0, 0, b"\0\4\0\0\0\x64" + b"\0\4\0\0\0\1"))
    client.until(lambda f: isinstance(f, frames.SettingsFrame) and "ACK" in f.flags, "an acknowledgement")
    client.send(client.headers())
    frame = client.until(lambda f: isinstance(f, frames.DataFrame), "DATA")
    if len(frame.data) != 1:
        raise Failure(f"{len(frame.data)} bytes came into a window of one")


# 6.6 PUSH_PROMISE

@case("6.6", "PUSH_PROMISE of a client ends the connection")
def push(client):
    client.send(client.headers(flags=("END_HEADERS",)))
    client.send(raw_frame(PUSH_PROMISE, END_HEADERS, 1, b"\0\0\0\2" + client.block(field_list())))
    client.expect_connection_error(PROTOCOL_ERROR)


# 6.7 PING

@case("6.7", "a PONG is not answered")
def pong(client):
    client.send(frames.PingFrame(0, b"ignored!", flags=["ACK"]), frames.PingFrame(0, b"answered"))
    frame = client.until(lambda f: isinstance(f, frames.PingFrame), "a PONG")
    if frame.opaque_data != b"answered":
        raise Failure("the PONG was answered")


@case("6.7", "PING in a stream ends the connection")
def ping_in_stream(client):
    client.send(raw_frame(PING, 0, 1, b"12345678"))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("6.7", "PING of another length than eight ends the connection")
def ping_length(client):
    client.send(raw_frame(PING, 0, 0, b"123456"))
    client.expect_connection_error(FRAME_SIZE_ERROR)


# 6.8 GOAWAY

@case("6.8", "GOAWAY in a stream ends the connection")
def goaway_in_stream(client):
    client.send(raw_frame(GOAWAY, 0, 1, bytes(8)))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("6.8", "GOAWAY of less than eight bytes ends the connection")
def goaway_length(client):
    client.send(raw_frame(GOAWAY, 0, 0, bytes(7)))
    client.expect_connection_error(FRAME_SIZE_ERROR)


@case("7", "GOAWAY with an unknown code is one like any other")
def goaway_code(client):
    client.send(client.headers(), raw_frame(GOAWAY, 0, 0, bytes(4) + b"\0\0\0\xff"))
    client.expect_status()


@case("7", "RST_STREAM with an unknown code is one like any other")
def reset_code(client):
    client.send(client.headers(flags=("END_HEADERS",)), frames.RstStreamFrame(1, 0xff))
    client.expect_alive()


# 6.9 WINDOW_UPDATE

@case("6.9", "WINDOW_UPDATE of the connection by nothing ends it")
def window_zero(client):
    client.send(raw_frame(WINDOW_UPDATE, 0, 0, bytes(4)))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("6.9", "WINDOW_UPDATE of a stream by nothing ends the stream")
def window_zero_stream(client):
    client.send(client.headers(flags=("END_HEADERS",)), raw_frame(WINDOW_UPDATE, 0, 1, bytes(4)))
    client.expect_stream_error(1, PROTOCOL_ERROR)


@case("6.9", "WINDOW_UPDATE of another length than four ends the connection")
def window_length(client):
    client.send(raw_frame(WINDOW_UPDATE, 0, 0, b"\0\0\1"))
    client.expect_connection_error(FRAME_SIZE_ERROR)


@case("6.9.1", "no more is sent than the window of the stream allows", settings={4: 1})
def small_window(client):
    client.send(client.headers())
    frame = client.until(lambda f: isinstance(f, frames.DataFrame), "DATA")
    if len(frame.data) != 1 or "END_STREAM" in frame.flags:
        raise Failure(f"{len(frame.data)} bytes came into a window of one")
    client.send(frames.PingFrame(0, b"anything"))
    frame = client.next_frame()
    if isinstance(frame, frames.DataFrame):
        raise Failure("more than the window came")
    client.send(frames.WindowUpdateFrame(1, 65_535))
    client.expect_status_end(1)


@case("6.9.1", "a connection window over 2^31-1 ends the connection")
def window_overflow(client):
    client.send(frames.WindowUpdateFrame(0, (1 << 31) - 1), frames.WindowUpdateFrame(0, (1 << 31) - 1))
    client.expect_connection_error(FLOW_CONTROL_ERROR)


@case("6.9.1", "a stream's window over 2^31-1 ends the stream")
def stream_window_overflow(client):
    client.send(client.headers(flags=("END_HEADERS",)))
    client.send(frames.WindowUpdateFrame(1, (1 << 31) - 1), frames.WindowUpdateFrame(1, (1 << 31) - 1))
    client.expect_stream_error(1, FLOW_CONTROL_ERROR)


@case("6.9.1", "a body over the server's window of the stream is an error")
def body_over_window(client):
    window = client.settings.get(4, 65_535)
    client.send(client.headers(flags=("END_HEADERS",), fields=field_list("POST", "/open/unread")))
    sent = 0
    while sent <= window + 16_384:
        client.send(frames.DataFrame(1, b"x" * 16_384))
        sent += 16_384
    # A server that reads as fast as this client writes gives credit in time.
    client.send(frames.DataFrame(1, b"", flags=["END_STREAM"]))
    while True:
        frame = client.until(lambda f: True, "a verdict or an answer")
        if isinstance(frame, frames.RstStreamFrame) and frame.error_code == FLOW_CONTROL_ERROR:
            return
        if isinstance(frame, frames.HeadersFrame):
            return


@case("6.9.2", "a change of the initial window changes that of open streams", settings={4: 0})
def window_change(client):
    client.send(client.headers())
    client.until(lambda f: isinstance(f, frames.HeadersFrame), "a head")
    client.send(frames.SettingsFrame(0, settings={4: 1}))
    frame = client.until(lambda f: isinstance(f, frames.DataFrame), "DATA")
    if len(frame.data) != 1:
        raise Failure(f"{len(frame.data)} bytes came into a window of one")


@case("6.9.2", "a window may become negative", settings={4: 3})
def negative_window(client):
    client.send(client.headers())
    frame = client.until(lambda f: isinstance(f, frames.DataFrame), "DATA")
    if len(frame.data) != 3:
        raise Failure(f"{len(frame.data)} bytes came into a window of three")
    client.send(frames.SettingsFrame(0, settings={4: 2}), frames.WindowUpdateFrame(1, 2))
    frame = client.until(lambda f: isinstance(f, frames.DataFrame), "DATA")
    if len(frame.data) != 1:
        raise Failure(f"{len(frame.data)} bytes came into a window of one")


# 6.10 CONTINUATION

@case("6.10", "another frame between HEADERS and CONTINUATION ends the connection")
def continuation_interrupted(client):
    client.send(client.headers(flags=("END_STREAM",)), frames.ContinuationFrame(1, client.block([("x-a", "1")])))
    client.send(frames.DataFrame(1, b"test"))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("6.10", "CONTINUATION in stream 0 ends the connection")
def continuation_on_connection(client):
    client.send(client.headers(flags=("END_STREAM",)))
    client.send(raw_frame(CONTINUATION, END_HEADERS, 0, client.block([("x-a", "1")])))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("6.10", "CONTINUATION of another stream ends the connection")
def continuation_of_another(client):
    client.send(client.headers(flags=("END_STREAM",)))
    client.send(raw_frame(CONTINUATION, END_HEADERS, 3, client.block([("x-a", "1")])))
    client.expect_connection_error(PROTOCOL_ERROR)


@case("6.10", "CONTINUATION behind a whole head ends the connection")
def continuation_too_many(client):
    client.send(client.headers(flags=("END_HEADERS",)))
    client.send(frames.ContinuationFrame(1, client.block([("x-a", "1")]), flags=["END_HEADERS"]))
    client.expect_connection_error(PROTOCOL_ERROR, STREAM_CLOSED)


@case("6.10", "CONTINUATION behind another that ended the head ends the connection")
def continuation_after_end(client):
    client.send(client.headers(flags=()), frames.ContinuationFrame(1, client.block([("x-a", "1")]), flags=["END_HEADERS"]))
    client.send(frames.ContinuationFrame(1, client.block([("x-b", "1")]), flags=["END_HEADERS"]))
    client.expect_connection_error(PROTOCOL_ERROR, STREAM_CLOSED)


@case("6.10", "CONTINUATION behind DATA ends the connection")
def continuation_after_data(client):
    client.send(client.headers(flags=("END_HEADERS",)), frames.DataFrame(1, b"test"))
    client.send(frames.ContinuationFrame(1, client.block([("x-a", "1")]), flags=["END_HEADERS"]))
    client.expect_connection_error(PROTOCOL_ERROR, STREAM_CLOSED)


@case("6.10", "CONTINUATION without a head ends the connection")
def continuation_first(client):
    client.send(frames.ContinuationFrame(1, client.block(field_list()), flags=["END_HEADERS"]))
    client.expect_connection_error(PROTOCOL_ERROR)
