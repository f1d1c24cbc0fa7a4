"""Requests that are malformed as messages (RFC 9113 section 8)."""
from hyperframe import frame as frames

from .client import PROTOCOL_ERROR, Cases, Failure, field_list

CASES = Cases()
case = CASES.case


def malformed(section, title, fields, method="GET"):
    def run(client):
        client.send(client.headers(fields=fields))
        client.expect_stream_error(1, PROTOCOL_ERROR, answered=True)
    case(section, title)(run)


@case("8.1", "a second HEADERS without the end of the stream is an error of the stream")
def second_headers(client):
    client.send(client.headers(flags=("END_HEADERS",)), client.headers(fields=[("x-a", "1")], flags=("END_HEADERS",)))
    client.expect_stream_error(1, PROTOCOL_ERROR, answered=True)


@case("8.1", "DATA behind trailers are an error")
def data_after_trailers(client):
    # In one piece: an answer that is on its way before them is none to them.
    client.send(
        client.headers(flags=("END_HEADERS",)), client.headers(fields=[("x-a", "1")]),
        frames.DataFrame(1, b"test", flags=["END_STREAM"]))
    client.expect_stream_error(1, 5, answered=False)


GOOD = field_list()
malformed("8.2.1", "a name in upper case", GOOD + [("X-Test", "1")])
malformed("8.2.1", "a name with a blank", GOOD + [("x test", "1")])
malformed("8.2.1", "a name with a colon in it", GOOD + [("x:test", "1")])
malformed("8.2.1", "an empty name", GOOD + [("", "1")])
malformed("8.2.1", "a name beyond ASCII", GOOD + [(b"x-\xc3\xa4", b"1")])
malformed("8.2.1", "a value with a line feed", GOOD + [("x-test", "a\nb")])
malformed("8.2.1", "a value with a carriage return", GOOD + [("x-test", "a\rb")])
malformed("8.2.1", "a value with a zero", GOOD + [("x-test", "a\0b")])
malformed("8.2.1", "a value that begins with a blank", GOOD + [("x-test", " a")])
malformed("8.2.1", "a value that ends with a tab", GOOD + [("x-test", "a\t")])

for name, value in (
    ("connection", "keep-alive"), ("keep-alive", "1"), ("proxy-connection", "keep-alive"),
    ("transfer-encoding", "chunked"), ("upgrade", "websocket"), ("te", "trailers, deflate;q=0.5"), ("te", "gzip"),
):
    malformed("8.2.2", f"the field {name}: {value}", GOOD + [(name, value)])


def refused_head(title, extra):
    """The answer to HEAD has no body, also where the head is refused (RFC 9110 section 9.3.2)."""
    def run(client):
        client.send(client.headers(fields=field_list("HEAD", extra=extra)))
        status, body = client.response()
        if status[:1] != "4" or body:
            raise Failure(f"the answer is {status} with {len(body)} bytes")
        client.expect_alive()
    case("8.1", f"HEAD that is refused has no body: {title}")(run)


refused_head("an alias of transfer-encoding", [("transfer_encoding", "chunked")])
refused_head("expect", [("expect", "x")])
refused_head("another host", [("host", "other")])
refused_head("120 fields", [(f"x-{i}", "1") for i in range(120)])
refused_head("a value with a line feed", [("x-a", "a\nb")])


@case("8.2.2", "te: trailers is allowed")
def te_trailers(client):
    client.send(client.headers(fields=GOOD + [("te", "trailers")]))
    client.expect_status()


@case("8.2.3", "cookie in several fields is one")
def crumbs(client):
    client.send(client.headers(fields=GOOD + [("cookie", "a=b"), ("cookie", "c=d")]))
    client.expect_status()


malformed("8.3", "an unknown pseudo-header field", GOOD + [(":test", "1")])
malformed("8.3", "a pseudo-header field of responses", GOOD + [(":status", "200")])
malformed("8.3", "a pseudo-header field behind a regular one", [GOOD[0], GOOD[1], ("x-test", "1"), *GOOD[2:]])


@case("8.3", "a pseudo-header field in trailers is an error of the stream")
def pseudo_trailer(client):
    client.send(client.headers(flags=("END_HEADERS",)))
    client.send(client.headers(fields=[(":method", "200")]))
    client.expect_stream_error(1, PROTOCOL_ERROR, answered=True)


for missing in (":method", ":scheme", ":path"):
    malformed("8.3.1", f"no {missing}", [field for field in GOOD if field[0] != missing])
    malformed("8.3.1", f"{missing} twice", [f for field in GOOD for f in ([field, field] if field[0] == missing else [field])])
malformed("8.3.1", ":authority twice", GOOD + [(":authority", "localhost")])
malformed("8.3.1", "an empty :path", field_list(path=""))
malformed("8.3.1", "a :path that does not begin with a slash", field_list(path="open/x"))
malformed("8.3.1", "a :path with a blank", field_list(path="/open/x HTTP/1.1"))
malformed("8.3.1", "a :path with a fragment", field_list(path="/open/x#y"))
malformed("8.3.1", "user information in :authority", field_list(authority="joe@localhost"))
malformed("8.3.1", "Host and :authority that differ", GOOD + [("host", "evil.test")])
malformed("8.3.1", "a :method with a blank", field_list("GET /x"))


@case("8.3.1", "Host that agrees with :authority is allowed")
def same_host(client):
    client.send(client.headers(fields=GOOD + [("host", "localhost")]))
    client.expect_status()


@case("8.3.1", "Host does for :authority")
def host_alone(client):
    client.send(client.headers(fields=[f for f in GOOD if f[0] != ":authority"] + [("host", "localhost")]))
    client.expect_status()


# 8.1.1: length of the body

def wrong_length(title, length, *pieces, fields=()):
    def run(client):
        client.send(client.headers(
            fields=field_list("POST", extra=[("content-length", length), *fields]), flags=("END_HEADERS",)))
        for number, piece in enumerate(pieces):
            client.send(frames.DataFrame(1, piece, flags=["END_STREAM"] if number == len(pieces) - 1 else []))
        client.expect_stream_error(1, PROTOCOL_ERROR, answered=True)
    case("8.1.1", title)(run)


wrong_length("a body longer than its length", "1", b"test")
wrong_length("a body shorter than its length", "5", b"test")
wrong_length("a body in pieces longer than its length", "3", b"te", b"st")
wrong_length("two lengths that differ", "4", b"test", fields=[("content-length", "5")])
wrong_length("a length that is no number", "4x", b"test")
wrong_length("a length with a sign", "+4", b"test")


@case("8.1.1", "a length without any body is an error")
def length_without_body(client):
    client.send(client.headers(fields=field_list("POST", extra=[("content-length", "4")])))
    client.expect_stream_error(1, PROTOCOL_ERROR, answered=True)


# 8.5 CONNECT

@case("8.5", "CONNECT with :path and :scheme is malformed")
def connect_with_path(client):
    client.send(client.headers(fields=field_list("CONNECT")))
    client.expect_stream_error(1, PROTOCOL_ERROR, answered=True)


@case("8.5", "CONNECT is refused without harm to the connection")
def connect(client):
    client.send(client.headers(fields=[(":method", "CONNECT"), (":authority", "example.com:443")], flags=("END_HEADERS",)))
    client.expect_stream_error(1, PROTOCOL_ERROR, 7, 10, answered=True)
    client.expect_alive()


# 8.1: an answer before the end of the request

@case("8.1", "a refusal before the end of a body leaves the connection whole")
def early_answer(client):
    client.send(client.headers(fields=field_list("POST", "/no/such/path"), flags=("END_HEADERS",)))
    client.expect_status(1, "404")
    client.send(client.headers(3))
    client.expect_status(3)
