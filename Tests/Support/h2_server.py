#!/usr/bin/env python3
"""A small, strict HTTP/2 server on python-h2, for tests: an implementation that shares no code with ours, and that
misbehaves on request.

Answers the first --good requests with 200, the next --bad as --behavior says, and all later ones with 200 again. Says
what it sees on standard output, one line each, flushed:

    listening PORT
    connection N
    request N STREAM OPEN PATH     OPEN: streams open at that moment on connection N, this one included
    closed N
    ping N                         a PING came, the first of each connection included
    violation N TEXT               the client broke the protocol
    paused NS / resumed NS         with --pause; NS is CLOCK_MONOTONIC
    times PATH ARRIVED ANSWERED BYTES ADLER
                                   with --times: CLOCK_MONOTONIC in ns, read after the request was complete and before the
                                   answer was handed to the socket; length and Adler-32 of the request's body
"""

import argparse
import heapq
import itertools
import selectors
import socket
import ssl
import sys
import time
import zlib

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings
import hyperframe.frame

CODES = h2.errors.ErrorCodes


def say(*words):
    print(*words, flush=True)


def without_pings(data):
    """Whole frames without those of type PING."""
    kept = b""
    while data:
        size = 9 + int.from_bytes(data[:3], "big")
        if data[3] != 6:
            kept += data[:size]
        data = data[size:]
    return kept


class Connection:
    numbers = itertools.count(1)

    def __init__(self, server, sock):
        self.server, self.sock = server, sock
        self.number = next(self.numbers)
        self.open = set()
        self.is_done = False
        self.is_leaving = False
        self.out = b""
        self.h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        )
        self.paths = {}
        self.bodies = {}
        self.is_paused = False
        self.received = {}
        self.pings = 0

    def start(self):
        say("connection", self.number)
        options = self.server.options
        limit = 1 if options.prime else options.max_streams
        # Set as initial values they are announced; assigned, they would only be enforced.
        self.h2.local_settings = h2.settings.Settings(
            client=False, initial_values={h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: limit}
        )
        self.h2.initiate_connection()
        if options.window:
            self.h2.increment_flow_control_window(options.window)
        self.flush()

    def pause(self, seconds):
        """Reads nothing for a while."""
        self.is_paused = True
        say("paused", time.monotonic_ns())
        self.server.interest(self)
        self.server.after(seconds, self.resume)

    def resume(self):
        if not self.is_done:
            self.is_paused = False
            say("resumed", time.monotonic_ns())
            self.server.interest(self)
            self.readable()

    def flush(self):
        data = self.h2.data_to_send()
        self.out += without_pings(data) if self.server.options.mute_pings else data
        while self.out and not self.is_done:
            try:
                sent = self.sock.send(self.out)
            except (ssl.SSLWantWriteError, ssl.SSLWantReadError, BlockingIOError):
                break
            except OSError:
                self.close()
                return
            self.out = self.out[sent:]
        self.server.interest(self)

    def readable(self):
        while not self.is_done and not self.is_paused:
            try:
                data = self.sock.recv(65536)
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
                break
            except OSError:
                data = b""
            if not data:
                self.close()
                return
            try:
                events = self.h2.receive_data(data)
            except h2.exceptions.ProtocolError as error:
                say("violation", self.number, repr(error))
                if self.is_leaving:
                    # Its second GOAWAY would name a higher stream than the first, which RFC 9113 section 6.8 forbids.
                    self.h2.clear_outbound_data_buffer()
                self.flush()
                self.close()
                return
            for event in events:
                self.take(event)
        if not self.is_done:
            self.flush()

    def take(self, event):
        if isinstance(event, h2.events.RequestReceived):
            self.open.add(event.stream_id)
            self.paths[event.stream_id] = dict(event.headers).get(":path", "")
        elif isinstance(event, h2.events.DataReceived):
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if self.server.options.times:
                length, adler = self.received.get(event.stream_id, (0, 1))
                self.received[event.stream_id] = length + len(event.data), zlib.adler32(event.data, adler)
        elif isinstance(event, h2.events.StreamEnded):
            if self.server.options.times:
                self.received[event.stream_id] = (time.monotonic_ns(), *self.received.get(event.stream_id, (0, 1)))
            say("request", self.number, event.stream_id, len(self.open), self.paths.get(event.stream_id))
            self.server.answer(self, event.stream_id)
        elif isinstance(event, h2.events.StreamReset):
            self.open.discard(event.stream_id)
            self.bodies.pop(event.stream_id, None)
        elif isinstance(event, h2.events.PingReceived):
            self.pings += 1
            say("ping", self.number)
            if self.pings == self.server.options.calm_after:
                self.h2.close_connection(CODES.ENHANCE_YOUR_CALM, b"too_many_pings")
                self.flush()
                self.server.after(0.05, self.close)
        elif isinstance(event, (h2.events.WindowUpdated, h2.events.RemoteSettingsChanged)):
            self.send_bodies()

    def respond(self, stream, status, headers=(), body=b"ok"):
        if self.is_done or stream not in self.open:
            return
        self.open.discard(stream)
        if self.server.options.times:
            arrived, length, adler = self.received.pop(stream)
            say("times", self.paths.get(stream), arrived, time.monotonic_ns(), length, adler)
        lines = [(":status", str(status)), ("content-length", str(len(body))), *headers]
        try:
            self.h2.send_headers(stream, lines)
        except h2.exceptions.ProtocolError:
            # The connection or the stream is over for python-h2.
            return
        self.bodies[stream] = body
        self.send_bodies()
        if self.server.options.prime and self.h2.local_settings.max_concurrent_streams == 1:
            self.h2.update_settings(
                {h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: self.server.options.max_streams}
            )
        self.flush()

    def farewell(self):
        self.out += hyperframe.frame.GoAwayFrame(last_stream_id=2**31 - 1).serialize()
        self.flush()
        self.finish()

    def finish(self):
        """Ends our side, and closes a little later: bytes that come for a closed socket would make a FIN an RST."""
        self.is_done = True
        say("closed", self.number)
        self.server.forget(self)
        self.sock.shutdown(socket.SHUT_WR)
        self.server.after(0.3, self.sock.close)

    def send_bodies(self):
        """Sends of each body what the client's flow control allows."""
        for stream, body in list(self.bodies.items()):
            try:
                while body or stream in self.bodies:
                    size = min(len(body), self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
                    if body and size == 0:
                        self.bodies[stream] = body
                        break
                    self.h2.send_data(stream, body[:size], end_stream=size == len(body))
                    body = body[size:]
                    if not body:
                        del self.bodies[stream]
            except h2.exceptions.ProtocolError:
                # The client reset the stream.
                self.bodies.pop(stream, None)

    def close(self, abruptly=False):
        if self.is_done:
            return
        self.is_done = True
        say("closed", self.number)
        self.server.forget(self)
        if abruptly:
            # With a linger of nothing the kernel sends RST.
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        self.sock.close()


class Server:
    connection_class = Connection

    def __init__(self, options):
        self.options = options
        self.requests = 0
        self.later = []
        self.order = itertools.count()
        self.selector = selectors.DefaultSelector()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(options.cert, options.key)
        self.context.set_alpn_protocols(["h2"])
        if options.client_ca:
            self.context.load_verify_locations(options.client_ca)
            self.context.verify_mode = ssl.CERT_REQUIRED
        self.listener = socket.create_server(("127.0.0.1", options.port))
        if options.receive_buffer:
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, options.receive_buffer)
        self.selector.register(self.listener, selectors.EVENT_READ)
        say("listening", self.listener.getsockname()[1])

    def run(self):
        while True:
            wait = max(0, self.later[0][0] - time.monotonic()) if self.later else None
            for key, events in self.selector.select(wait):
                if key.fileobj is self.listener:
                    self.accept()
                elif events & selectors.EVENT_READ:
                    key.data.readable()
                else:
                    key.data.flush()
            while self.later and self.later[0][0] <= time.monotonic():
                heapq.heappop(self.later)[2]()

    def accept(self):
        raw, _ = self.listener.accept()
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        raw.settimeout(5)
        try:
            sock = self.context.wrap_socket(raw, server_side=True)
        except OSError:
            raw.close()
            return
        sock.setblocking(False)
        connection = self.connection_class(self, sock)
        self.selector.register(sock, selectors.EVENT_READ, connection)
        connection.start()
        connection.readable()

    def interest(self, connection):
        if not connection.is_done:
            events = 0 if connection.is_paused else selectors.EVENT_READ
            events |= selectors.EVENT_WRITE if connection.out else 0
            self.forget(connection)
            if events:
                self.selector.register(connection.sock, events, connection)

    def forget(self, connection):
        if connection.sock in self.selector.get_map():
            self.selector.unregister(connection.sock)

    def after(self, seconds, action):
        heapq.heappush(self.later, (time.monotonic() + seconds, next(self.order), action))

    def answer(self, connection, stream):
        self.requests += 1
        number = self.requests
        if self.options.pause and number == int(self.options.pause.partition(":")[0]):
            connection.pause(float(self.options.pause.partition(":")[2]) / 1000)
        good, bad = self.options.good, self.options.bad
        if self.options.refuse_each and number % self.options.refuse_each == 0:
            connection.open.discard(stream)
            connection.h2.reset_stream(stream, CODES.REFUSED_STREAM)
            connection.flush()
            return
        if number <= good or number > good + bad:
            self.after(self.options.delay / 1000, lambda: connection.respond(stream, 200))
            return
        name, _, argument = self.options.behavior.partition(":")
        if name == "status":
            status, _, retry = argument.partition(",")
            headers = [("retry-after", retry)] if retry else []
            body = b'{"reason":"%s"}' % self.options.reason.encode()
            answer = lambda: connection.respond(stream, int(status), headers, body)
            self.after(self.options.bad_delay / 1000, answer) if self.options.bad_delay else answer()
        elif name == "rst":
            connection.open.discard(stream)
            connection.h2.reset_stream(stream, int(argument))
        elif name == "headers-then-rst":
            connection.open.discard(stream)
            connection.h2.send_headers(stream, [(":status", "200")])
            connection.h2.reset_stream(stream, int(argument))
        elif name == "goaway":
            # This stream and later ones count as not processed.
            connection.h2.close_connection(CODES.NO_ERROR, last_stream_id=max(0, stream - 2))
            connection.is_leaving = True
            connection.flush()
            self.after(0.05, connection.close)
        elif name == "goaway-error":
            # An error that names a last stream, before any answer.
            connection.h2.close_connection(CODES.ENHANCE_YOUR_CALM, last_stream_id=int(argument))
            connection.is_leaving = True
            connection.flush()
            self.after(0.05, connection.close)
        elif name == "goaway-after":
            # This stream counts as perhaps processed.
            connection.h2.close_connection(CODES.NO_ERROR, b"shutting down\x07", last_stream_id=stream)
            connection.is_leaving = True
            connection.flush()
            self.after(0.05, connection.close)
        elif name == "refuse-late":
            def refuse():
                if stream in connection.open and not connection.is_done:
                    connection.open.discard(stream)
                    connection.h2.reset_stream(stream, CODES.REFUSED_STREAM)
                    connection.flush()
            self.after(int(argument) / 1000, refuse)
        elif name == "goaway-and-finish":
            # The connection is going away, but what is under way is answered. python-h2 would end its part at once, so
            # the frame goes round it.
            connection.out += connection.h2.data_to_send()
            connection.out += hyperframe.frame.GoAwayFrame(last_stream_id=stream).serialize()
            self.after(self.options.delay / 1000, lambda: connection.respond(stream, 200))
        elif name == "farewell":
            # Answered, and a little later, with nothing under way, the connection is ended in good order.
            connection.respond(stream, 200)
            self.after(0.03, connection.farewell)
        elif name == "close":
            connection.finish()
        elif name == "abort":
            connection.close(abruptly=True)
        elif name == "big":
            connection.respond(stream, 200, body=b"x" * int(argument))
        elif name == "headers":
            # So many bytes of headers, in lines of 500.
            lines = [(f"x-more-{n}", "y" * 480) for n in range(int(argument) // 500)]
            connection.respond(stream, 200, lines)
        elif name == "interim":
            for _ in range(int(argument)):
                connection.h2.send_headers(stream, [(":status", "103"), ("link", "</a>")])
            connection.respond(stream, 200)
        elif name == "garbage":
            connection.out += b"\0\0\1\4\0\0\0\0\0\0" * 3
        elif name != "silence":
            raise SystemExit(f"unknown behavior {name}")
        if not connection.is_done:
            connection.flush()


def make_parser():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cert", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--client-ca", help="wants a client certificate of this authority")
    parser.add_argument("--max-streams", type=int, default=100)
    parser.add_argument("--prime", action="store_true", help="one stream until the first answer, as APNs has it")
    parser.add_argument("--delay", type=float, default=0, help="ms before each good answer")
    parser.add_argument("--good", type=int, default=0)
    parser.add_argument("--bad", type=int, default=0)
    parser.add_argument("--behavior", default="status:500")
    parser.add_argument("--bad-delay", type=float, default=0, help="ms before each answer of --behavior status:…")
    parser.add_argument("--refuse-each", type=int, default=0, help="RST_STREAM (REFUSED_STREAM) for each such request")
    parser.add_argument("--mute-pings", action="store_true", help="never answer a PING")
    parser.add_argument("--calm-after", type=int, default=0, help="GOAWAY (ENHANCE_YOUR_CALM) after so many PINGs")
    parser.add_argument("--reason", default="InternalServerError")
    parser.add_argument("--window", type=int, default=0, help="bytes more than 64 kB that the connection takes at once")
    parser.add_argument("--receive-buffer", type=int, default=0, help="SO_RCVBUF")
    parser.add_argument("--pause", help="REQUEST:MS: nothing is read for so long after this request")
    parser.add_argument("--times", action="store_true", help="say when each request came and was answered")
    return parser


def defaults():
    """The values of all options but the required ones, for servers with a command line of their own."""
    return argparse.Namespace(
        **{
            action.dest: action.default
            for action in make_parser()._actions
            if action.option_strings and action.dest != "help" and not action.required
        }
    )


def main():
    try:
        Server(make_parser().parse_args()).run()
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
