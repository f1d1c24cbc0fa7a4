#!/usr/bin/env python3
"""Calls of grpcio through the gateway to grpc_server.py: grpc_client.py HOST:PORT TOKEN [CA]. TLS where an authority's
file is given, else HTTP/2 by prior knowledge. Prints a line for each kind of call that went as it should, and ends with
the first that did not.
"""
import queue
import sys

import grpc

LONG = 30


def rpc(channel, name, kind="unary_unary"):
    return getattr(channel, kind)(f"/check.Echo/{name}")


def expect(found, wanted, what):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r}, not {wanted!r}")


def failure(call):
    """The error that a call ends with."""
    try:
        call()
    except grpc.RpcError as error:
        return error
    raise SystemExit("the call went well")


def unary(channel, joe):
    metadata = joe + [("x-asked", "yes"), ("x-bytes-bin", b"\x00\xff"), ("x-gateway-user", "root")]
    answer, call = rpc(channel, "Unary").with_call(b"hello", timeout=LONG, metadata=metadata)
    expect(answer, b"HELLO", "answer")
    first, last = dict(call.initial_metadata()), dict(call.trailing_metadata())
    expect(first.get("x-first"), "early", "initial metadata")
    expect(first.get("x-user"), "joe", "the caller")
    expect(last.get("x-last"), "late", "trailing metadata")
    expect(last.get("x-asked"), "yes", "metadata of the client")
    expect(last.get("x-bytes-bin"), b"\x00\xff", "binary metadata")
    expect(last.get("x-credential"), "none", "the client's token")
    expect(call.code(), grpc.StatusCode.OK, "status")


def large(channel, joe):
    message = b"a" * (3 << 20)
    expect(rpc(channel, "Unary")(message, timeout=LONG, metadata=joe), message.upper(), "answer")


def empty(channel, joe):
    expect(rpc(channel, "Unary")(b"", timeout=LONG, metadata=joe), b"", "answer")


def server_stream(channel, joe):
    answers = list(rpc(channel, "Count", "unary_stream")(b"2000", timeout=LONG, metadata=joe))
    expect(answers, [b"%d" % number for number in range(2000)], "answers")


def client_stream(channel, joe):
    pieces = (b"x" * 50_000 for _ in range(200))
    expect(rpc(channel, "Collect", "stream_unary")(pieces, timeout=LONG, metadata=joe), b"10000000", "answer")


def both_streams(channel, joe):
    """Each message waits for the answer to the one before: nothing may be kept back on the way."""
    waiting = queue.Queue()
    answers = rpc(channel, "Talk", "stream_stream")(iter(waiting.get, None), timeout=LONG, metadata=joe)
    for number in range(200):
        text = b"message %d" % number
        waiting.put(text)
        expect(next(answers), text[::-1], "answer")
    waiting.put(None)
    expect(list(answers), [], "answers behind the end")
    expect(answers.code(), grpc.StatusCode.OK, "status")


def status(channel, joe):
    error = failure(lambda: rpc(channel, "Error")(b"", timeout=LONG, metadata=joe))
    expect(error.code(), grpc.StatusCode.NOT_FOUND, "status")
    expect(error.details(), "nothing näher by\n100 %", "details")
    expect(dict(error.trailing_metadata()).get("x-last"), "late", "trailing metadata")
    error = failure(lambda: rpc(channel, "Nothing")(b"", timeout=LONG, metadata=joe))
    expect(error.code(), grpc.StatusCode.UNIMPLEMENTED, "status of a method that is not there")


def deadline(channel, joe):
    """The server hears of it, too."""
    error = failure(lambda: rpc(channel, "Slow")(b"", timeout=2, metadata=joe))
    expect(error.code(), grpc.StatusCode.DEADLINE_EXCEEDED, "status")
    expect(rpc(channel, "Cancelled")(b"1", timeout=LONG, metadata=joe), b"1", "calls that ended at the server")


def cancel(channel, joe):
    call = rpc(channel, "Count", "unary_stream")(b"100000000", timeout=LONG, metadata=joe)
    expect(next(call), b"0", "answer")
    call.cancel()
    expect(failure(lambda: list(call)).code(), grpc.StatusCode.CANCELLED, "status")
    waiting = rpc(channel, "Slow").future(b"", timeout=LONG, metadata=joe)
    expect(rpc(channel, "Unary")(b"a", timeout=LONG, metadata=joe), b"A", "answer of another call")
    expect(rpc(channel, "Begun")(b"2", timeout=LONG, metadata=joe), b"2", "calls that have begun at the server")
    waiting.cancel()
    expect(rpc(channel, "Cancelled")(b"2", timeout=LONG, metadata=joe), b"2", "calls that ended at the server")


def denied(channel, joe):
    """RFC: HTTP status to gRPC status, doc/http-grpc-status-mapping.md of gRPC."""
    for metadata in ([], [("authorization", "Bearer nonsense")]):
        error = failure(lambda: rpc(channel, "Unary")(b"", timeout=LONG, metadata=metadata))
        expect(error.code(), grpc.StatusCode.UNAUTHENTICATED, "status without a token")
    error = failure(lambda: channel.unary_unary("/check.Managers/Unary")(b"", timeout=LONG, metadata=joe))
    expect(error.code(), grpc.StatusCode.PERMISSION_DENIED, "status without the role")


def parallel(channel, joe):
    calls = [rpc(channel, "Unary").future(b"%d" % number, timeout=LONG, metadata=joe) for number in range(300)]
    expect([call.result() for call in calls], [b"%d" % number for number in range(300)], "answers")


CASES = [unary, large, empty, server_stream, client_stream, both_streams, status, deadline, cancel, denied, parallel]


def main(arguments):
    address, token = arguments[:2]
    options = [("grpc.max_receive_message_length", 64 << 20)]
    if len(arguments) > 2:
        with open(arguments[2], "rb") as file:
            credentials = grpc.ssl_channel_credentials(file.read())
        channel = grpc.secure_channel(address, credentials, options)
    else:
        channel = grpc.insecure_channel(address, options)
    with channel:
        for case in CASES:
            case(channel, [("authorization", f"Bearer {token}")])
            print(case.__name__, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
