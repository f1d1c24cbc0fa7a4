#!/usr/bin/env python3
"""A gRPC server for tests: prints its port, and serves `check.Echo` until it is ended. Messages are bytes.

Unary answers what it was asked in upper case, with what it saw of the caller as metadata; Error ends with a status of
its own, Slow waits until it is cancelled, Begun and Cancelled say how often that was; Count, Collect and Talk are streams.
"""
import threading
import time
from concurrent import futures

import grpc

begun = 0
cancelled = 0
changed = threading.Condition()


def unary(request, context):
    seen = dict(context.invocation_metadata())
    context.send_initial_metadata((("x-first", "early"), ("x-user", seen.get("x-gateway-user", "nobody"))))
    context.set_trailing_metadata((
        ("x-last", "late"), ("x-asked", seen.get("x-asked", "")), ("x-bytes-bin", seen.get("x-bytes-bin", b"")),
        ("x-credential", seen.get("authorization", "none"))))
    return request.upper()


def error(request, context):
    context.set_trailing_metadata((("x-last", "late"),))
    context.abort(grpc.StatusCode.NOT_FOUND, "nothing näher by\n100 %")


def slow(request, context):
    global begun, cancelled
    ended = threading.Event()
    with changed:
        begun += 1
        changed.notify_all()
    # One that has ended already calls nobody back.
    if context.add_callback(ended.set):
        ended.wait(60)
    with changed:
        cancelled += 1
        changed.notify_all()
    return b""


def beginnings(request, context):
    """Waits until as many calls of Slow have begun as the request says."""
    return wait(request, lambda: begun)


def cancellations(request, context):
    """Waits until as many have ended."""
    return wait(request, lambda: cancelled)


def wait(request, count):
    deadline = time.monotonic() + 20
    with changed:
        while count() < int(request) and time.monotonic() < deadline:
            changed.wait(1)
        return str(count()).encode()


def count(request, context):
    for number in range(int(request)):
        yield b"%d" % number


def collect(requests, context):
    return str(sum(len(request) for request in requests)).encode()


def talk(requests, context):
    for request in requests:
        yield request[::-1]


def main():
    server = grpc.server(
        futures.ThreadPoolExecutor(16),
        options=[("grpc.max_receive_message_length", 64 << 20), ("grpc.so_reuseport", 0)])
    handlers = {
        "Unary": grpc.unary_unary_rpc_method_handler(unary),
        "Error": grpc.unary_unary_rpc_method_handler(error),
        "Slow": grpc.unary_unary_rpc_method_handler(slow),
        "Begun": grpc.unary_unary_rpc_method_handler(beginnings),
        "Cancelled": grpc.unary_unary_rpc_method_handler(cancellations),
        "Count": grpc.unary_stream_rpc_method_handler(count),
        "Collect": grpc.stream_unary_rpc_method_handler(collect),
        "Talk": grpc.stream_stream_rpc_method_handler(talk),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("check.Echo", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    main()
