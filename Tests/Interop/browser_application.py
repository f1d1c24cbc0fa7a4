"""An application on loopback to which browsers are sent, and the run of a script that drives Chromium beside it."""
import http.server
import sys
import threading
import urllib.parse

from browser_login import Chromium


class Application(http.server.BaseHTTPRequestHandler):
    """Keeps what it is sent: method, path, fields of the form or query, and header fields."""

    received = []

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        url = urllib.parse.urlsplit(self.path)
        fields = dict(urllib.parse.parse_qsl(body or url.query))
        # The browser asks for an icon, too.
        if url.path != "/favicon.ico":
            Application.received.append((self.command, url.path, fields, dict(self.headers)))
        page = b"<!DOCTYPE html><title>the application</title><p>signed in"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    do_GET = do_POST = answer

    def log_message(self, *arguments):
        pass


def main(run):
    """Runs `run` with the browser, the arguments of the script, and the port of the application."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Application)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Chromium() as browser:
        run(browser, *sys.argv[1:], server.server_address[1])
