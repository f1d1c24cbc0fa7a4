#!/usr/bin/env python3
"""Does a server keep to RFC 9113 and RFC 7541? http2_conformance.py [--only PREFIX] HOST:PORT [CA]

Every case has a connection of its own: HTTP/2 with prior knowledge, or over TLS where an authority's file is given. It
prints a line, `ok`, `FAIL` or `except`, with the number of the section, a counter and what is asked for, and at the end
how many there were of each. Cases that are excepted, in `EXCEPTIONS` with the reason, must fail: one that passes by now
is reported as a failure, so that the list stays true.

The server answers GET /open/x with a body of at least five bytes, and takes POST there. Frames are made with hyperframe,
field blocks with hpack or by hand.
"""
import sys
import traceback

from h2conformance import framing, generic, hpack_cases, messages, streams
from h2conformance.client import Client, Failure

# Cases that the gateway fails, by section and title, with the reason. The README's list is to say the same.
EXCEPTIONS = {}


def main(arguments):
    only = ""
    if arguments[:1] == ["--only"]:
        only, arguments = arguments[1], arguments[2:]
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    address, authority = arguments[0], arguments[1] if len(arguments) == 2 else None
    counts = {"ok": 0, "FAIL": 0, "except": 0}
    places = {}
    for module in (generic, framing, streams, messages, hpack_cases):
        for section, title, run in module.CASES:
            places[section] = places.get(section, 0) + 1
            number = f"{section}/{places[section]}"
            if not number.startswith(only):
                continue
            outcome, why = attempt(run, address, authority)
            reason = EXCEPTIONS.get(f"{section} {title}")
            if reason:
                outcome, why = ("except", reason) if outcome == "FAIL" else ("FAIL", "no exception any more")
            counts[outcome] += 1
            print(f"{outcome:6} {number:10} {title}" + (f": {why}" if why else ""), flush=True)
    print(f"{counts['ok']} passed, {counts['FAIL']} failed, {counts['except']} excepted")
    return 1 if counts["FAIL"] else 0


def attempt(run, address, authority):
    try:
        with Client(address, authority) as client:
            run(client)
        return "ok", ""
    except Failure as failure:
        return "FAIL", str(failure)
    except Exception:  # a fault of the case is no verdict on the server, but must be seen
        return "FAIL", traceback.format_exc(limit=-2).replace("\n", " ")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
