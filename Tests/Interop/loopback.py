"""HTTP servers on the loopback interface that go away and come back as a test says."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answers = {}

    def log_message(self, *arguments):
        pass

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        url = urlsplit(self.path)
        answer = self.answers.get(f"{self.command} {url.path}")
        status, fields, text = answer(body, url.query, self.headers) if answer else (404, {}, "{}")
        data = text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **fields}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        # A connection that is kept would outlive the end of the listener.
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    do_GET = do_POST = handle_one


class Listener:
    """A server that may go and come back. Answers are found by `METHOD PATH`; each is given body, query and fields, and
    gives status, fields and text."""

    def __init__(self, answers):
        self.handler = type("Answers", (Handler,), {"answers": answers})
        self.port = 0
        self.start()

    def start(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), self.handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def echo(*paths):
    """Answers for `Listener` that tell the fields of the request, as an application behind the gateway sees them."""
    return {f"GET {path}": lambda body, query, fields: (200, {}, json.dumps(dict(fields))) for path in paths}
