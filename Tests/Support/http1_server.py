#!/usr/bin/env python3
"""An HTTP/1.1 server for tests, with TLS when it is given a certificate: answers every POST with 200.

Says on standard output, one line each:

    listening PORT
    connection N
    request N PATH
"""

import argparse
import http.server
import itertools
import socket
import ssl
import sys
import time

numbers = itertools.count(1)


def say(*words):
    """In one piece: print would let threads' lines run into each other."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def setup(self):
        super().setup()
        self.number = next(numbers)
        say("connection", self.number)

    def finish(self):
        super().finish()
        if self.server.idle:
            # Its close_notify, for which the peer's is not awaited.
            self.connection.settimeout(0)
            try:
                self.connection.unwrap()
            except (AttributeError, OSError):
                pass

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        say("request", self.number, self.path)
        time.sleep(self.server.delay)
        body = b"ok"
        self.send_response(301 if self.server.redirect else 200)
        if self.server.redirect:
            self.send_header("location", self.server.redirect)
        self.send_header("content-length", str(len(body)))
        if self.server.closes:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def be_silent(address, port):
    """Listens with a queue that is full: Linux drops further attempts to connect, as a packet filter does."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family)
    listener.bind((address, port))
    listener.listen(0)
    callers = []
    for _ in range(4):
        caller = socket.socket(family)
        caller.setblocking(False)
        caller.connect_ex((address, port))
        callers.append(caller)
    return listener, callers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cert")
    parser.add_argument("--key")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--silent", help="an address whose same port answers no attempt to connect")
    parser.add_argument("--delay", type=float, default=0, help="ms before each answer")
    parser.add_argument("--no-alpn", action="store_true", help="take no part in ALPN")
    parser.add_argument("--redirect", help="answer 301 with this Location")
    parser.add_argument("--closes", action="store_true", help="end the connection after each answer")
    parser.add_argument("--idle", type=float, default=0, help="ms after which an idle connection is ended")
    options = parser.parse_args()
    if options.idle:
        Handler.timeout = options.idle / 1000
    http.server.ThreadingHTTPServer.request_queue_size = 128
    if ":" in options.host:
        http.server.ThreadingHTTPServer.address_family = socket.AF_INET6
    server = http.server.ThreadingHTTPServer((options.host, options.port), Handler)
    kept = be_silent(options.silent, server.server_address[1]) if options.silent else None
    server.delay, server.closes, server.redirect = options.delay / 1000, options.closes, options.redirect
    server.idle = options.idle
    if options.cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.cert, options.key)
        if not options.no_alpn:
            context.set_alpn_protocols(["http/1.1"])
        # The handshake is the handler's, after the connection has its number: a peer that leaves during it counts, too.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    say("listening", server.server_address[1])
    server.serve_forever()
    del kept


if __name__ == "__main__":
    main()
