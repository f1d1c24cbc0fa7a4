#!/usr/bin/env python3
"""Load over TLS on a gateway whose system calls fail: fault_load.py h1|h2 HOST:PORT CA TOKEN REQUESTS

Eight clients that send so many requests each, on a connection as long as it lasts; over HTTP/2 five at a time in streams.
Prints one line of JSON: how many were answered rightly (`right`), how many cost a connection, a reset or a 502 or 503 that
says why (`lost`), and the answers that are wrong.
"""
import json
import socket
import ssl
import sys
import threading

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions

CLIENTS = 8
AT_ONCE = 5
PATIENCE = 30
lock = threading.Lock()
tally = {"right": 0, "lost": 0, "wrong": []}


def checksum(body):
    total = 0
    for byte in body:
        total = (total * 31 + byte) & 0xFFFFFFFF
    return total


def request(number, token):
    """Method, path, fields and body; status and body of the right answer (None: any)."""
    mark = ("x-number", str(number))
    kind = number % 6
    if kind == 2:
        body = f"{number},".encode() * (1 + number % 97 * 100)
        return "POST", "/open/up", [mark], body, "200", f"{number} {len(body)} {checksum(body)}".encode()
    if kind == 3:
        return "GET", "/open/down", [mark], b"", "200", f"{number} ".encode() * 5000
    if kind == 4:
        return "GET", "/inventory/me", [("authorization", f"Bearer {token}")], b"", "200", b"/inventory/me"
    if kind == 5:
        return "GET", f"/inventory/{number}", [], b"", "401", None
    return "GET", f"/open/{number}", [], b"", "200", f"/open/{number}".encode()


def judge(number, status, body, expected):
    status_wanted, body_wanted = expected
    with lock:
        if status == status_wanted and body_wanted in (None, body):
            tally["right"] += 1
        elif status in ("502", "503") and b'"code"' in body:
            tally["lost"] += 1
        else:
            tally["wrong"].append(f"{number}: {status} {body[:100]!r}")


def lose(count=1):
    with lock:
        tally["lost"] += count


def stuck(number):
    with lock:
        tally["wrong"].append(f"{number}: no answer in time")


class Wire:
    def __init__(self, address, context, protocol):
        host, port = address.rsplit(":", 1)
        plain = socket.create_connection((host, int(port)), PATIENCE)
        self.socket = context.wrap_socket(plain, server_hostname="localhost")
        if protocol == "h2" and self.socket.selected_alpn_protocol() != "h2":
            raise OSError("no HTTP/2")


class One(Wire):
    """HTTP/1.1: a request at a time."""

    def ask(self, numbers, token):
        for number in numbers:
            method, path, fields, body, *expected = request(number, token)
            lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
            length = f"Content-Length: {len(body)}\r\n" if method == "POST" else ""
            self.socket.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{lines}{length}\r\n".encode() + body)
            status, answer, closes = self.answer()
            judge(number, status, answer, expected)
            numbers = numbers[1:]
            self.left = numbers
            if closes:
                raise ConnectionError
        return []

    def answer(self):
        file = self.socket.makefile("rb")
        line = file.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError
        status, fields = line.split()[1].decode(), {}
        while True:
            line = file.readline()
            if not line.endswith(b"\n"):
                raise ConnectionError
            if line == b"\r\n":
                break
            name, value = line.decode("latin-1").split(":", 1)
            fields[name.lower()] = value.strip()
        body = b""
        if fields.get("transfer-encoding") == "chunked":
            while True:
                line = file.readline()
                if not line.endswith(b"\n"):
                    raise ConnectionError
                size = int(line, 16)
                piece = file.read(size + 2)
                if len(piece) < size + 2:
                    raise ConnectionError
                if size == 0:
                    break
                body += piece[:-2]
        else:
            size = int(fields.get("content-length", 0))
            body = file.read(size)
            if len(body) < size:
                raise ConnectionError
        return status, body, fields.get("connection") == "close"


class Two(Wire):
    """HTTP/2: as many streams as there are numbers."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.http = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.http.initiate_connection()
        self.socket.sendall(self.http.data_to_send())

    def ask(self, numbers, token):
        self.open, self.left = {}, list(numbers)
        for number in numbers:
            method, path, fields, body, *expected = request(number, token)
            stream = self.http.get_next_available_stream_id()
            head = [(":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path)]
            self.http.send_headers(stream, head + fields, end_stream=not body)
            self.open[stream] = [number, expected, body, None, b""]
        self.push()
        while self.open:
            data = self.socket.recv(65_536)
            if not data:
                raise ConnectionError
            for event in self.http.receive_data(data):
                self.note(event)
            self.push()

    def push(self):
        """Sends what the windows allow."""
        for stream, state in self.open.items():
            while state[2] and (room := min(self.http.local_flow_control_window(stream), self.http.max_outbound_frame_size)) > 0:
                piece, state[2] = state[2][:room], state[2][room:]
                self.http.send_data(stream, piece, end_stream=not state[2])
        self.socket.sendall(self.http.data_to_send())

    def note(self, event):
        state = self.open.get(getattr(event, "stream_id", 0))
        if isinstance(event, h2.events.ConnectionTerminated):
            if event.error_code:
                with lock:
                    tally["wrong"].append(f"GOAWAY {event.error_code} {event.additional_data}")
            raise ConnectionError
        if state is None:
            return
        if isinstance(event, h2.events.ResponseReceived):
            state[3] = dict(event.headers)[":status"]
        elif isinstance(event, h2.events.DataReceived):
            state[4] += event.data
            self.http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            self.end(event.stream_id)
            judge(state[0], state[3], state[4], state[1])
        elif isinstance(event, h2.events.StreamReset):
            self.end(event.stream_id)
            # Internal error, refused or cancelled: what was under way with the upstream is gone.
            if event.error_code in (0, 2, 7, 8):
                lose() if state[3] is None or event.error_code else judge(state[0], state[3], state[4], state[1])
            else:
                with lock:
                    tally["wrong"].append(f"{state[0]}: RST_STREAM {event.error_code}")

    def end(self, stream):
        self.left.remove(self.open.pop(stream)[0])


def work(client, protocol, address, context, token, count):
    numbers = [client * 100_000 + number for number in range(count)]
    step = AT_ONCE if protocol == "h2" else 10
    wire = None
    for start in range(0, count, step):
        batch = numbers[start:start + step]
        wire_left = batch
        try:
            if wire is None:
                wire = (Two if protocol == "h2" else One)(address, context, protocol)
            wire.left = batch
            wire.ask(batch, token)
            continue
        except TimeoutError:
            stuck(batch[0])
            wire_left = (wire.left if wire else batch)[1:]
        except (OSError, ConnectionError, h2.exceptions.ProtocolError):
            wire_left = wire.left if wire else batch
        lose(len(wire_left))
        if wire:
            wire.socket.close()
        wire = None
    if wire:
        wire.socket.close()


def main():
    protocol, address, authority, token, count = sys.argv[1:]
    context = ssl.create_default_context(cafile=authority)
    context.set_alpn_protocols(["h2" if protocol == "h2" else "http/1.1"])
    threads = [
        threading.Thread(target=work, args=(client, protocol, address, context, token, int(count)))
        for client in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(tally))


if __name__ == "__main__":
    main()
