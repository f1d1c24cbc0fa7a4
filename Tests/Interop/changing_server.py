#!/usr/bin/env python3
"""A TLS server that has had enough of HTTP/2: changing_server.py CERT KEY. Prints its port.

By ALPN it chooses h2 on its first connection, where it refuses the first stream (RFC 9113 section 8.7) and prints
`refused`; on every later one it prints `again`, chooses http/1.1, and answers each request with its method and body.
"""
import http.server
import socket
import ssl
import sys

import h2.config
import h2.connection
import h2.events


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def answer(self):
        body = self.command.encode() + b" " + self.body()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


def refuse(connection):
    """Speaks HTTP/2 up to the first request."""
    session = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    session.initiate_connection()
    connection.sendall(session.data_to_send())
    refused = False
    while data := connection.recv(65_536):
        for event in session.receive_data(data):
            if isinstance(event, h2.events.RequestReceived) and not refused:
                refused = True
                session.reset_stream(event.stream_id, error_code=7)
                connection.sendall(session.data_to_send())
                print("refused", flush=True)
        connection.sendall(session.data_to_send())


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    is_first = True
    while True:
        plain, address = listener.accept()
        if not is_first:
            print("again", flush=True)
        context.set_alpn_protocols(["h2"] if is_first else ["http/1.1"])
        connection = context.wrap_socket(plain, server_side=True)
        if is_first:
            is_first = False
            try:
                refuse(connection)
            except OSError:
                pass
        else:
            Handler(connection, address, None)
        connection.close()


if __name__ == "__main__":
    main()
