#!/usr/bin/env python3
"""A gRPC stream through the gateway that is used for some seconds: grpc_stream.py HOST:PORT TOKEN. Sends a message again and
again; prints `ended CODE` when the stream ends, or `open` if it has not after the lifetime of the token, which is 3 seconds.
"""
import queue
import sys
import time

import grpc

AFTER_THE_TOKEN = 6


def main(address, token):
    waiting = queue.Queue()
    with grpc.insecure_channel(address) as channel:
        call = channel.stream_stream("/check.Echo/Talk")
        answers = call(iter(waiting.get, None), timeout=30, metadata=[("authorization", f"Bearer {token}")])
        end = time.monotonic() + AFTER_THE_TOKEN
        try:
            while time.monotonic() < end:
                waiting.put(b"abc")
                if next(answers) != b"cba":
                    raise SystemExit("another answer")
                time.sleep(0.05)
            print("open")
        except grpc.RpcError as error:
            print("ended", error.code().name)
        finally:
            waiting.put(None)


main(*sys.argv[1:])
