#!/usr/bin/env python3
"""What RFC 9113 and RFC 7541 say of a server, case by case, against a server of ours.

usage: h2_conformance.py PORT CA_FILE [--path PATH] [--body TEXT] [--cases NAME,…]

The cases are those that h2spec lists (github.com/summerwind/h2spec), written anew with hyperframe for the frames and hpack for
header blocks, so that what goes out can be wrong. Each case has a connection of its own; all run side by side. One JSON
object a line and case:

    {"case": "http2/5.1.1/1", "section": …, "wanted": …, "saw": [frames], "ok": true}

"wanted" is what the RFC asks for: "answer", "ignore" (and the connection serves on), "ack" of PING or SETTINGS, a
"stream" error (RST_STREAM; a connection error is a stricter answer that RFC 9113 section 5.4.2 allows for any), or a
"connection" error (GOAWAY or the end of the connection), with the codes that fit. "saw" ends with "closed" where the
server closed. POST requests go to PATH (default /) with the body TEXT.
"""

import argparse
import concurrent.futures
import json
import select
import socket
import ssl
import time

import hpack
from hyperframe.frame import (ContinuationFrame, DataFrame, Frame, GoAwayFrame, HeadersFrame, PingFrame,
                              PriorityFrame, PushPromiseFrame, RstStreamFrame, SettingsFrame,
                              WindowUpdateFrame)

LIMIT = 15
NO_ERROR, PROTOCOL, FLOW, STREAM_CLOSED, FRAME_SIZE, REFUSED, COMPRESSION = 0, 1, 3, 5, 6, 7, 9
CASES = []
OPTIONS = None


def case(name, section, *wanted):
    """Registers a case. The function breaks a rule, or does not; the outcome is compared with what is wanted."""
    def register(function):
        CASES.append((name, section, wanted, function))
        return function
    return register


class Peer:
    def __init__(self, settings=None, greet=True):
        context = ssl.create_default_context(cafile=OPTIONS.authority)
        context.set_alpn_protocols(["h2"])
        plain = socket.create_connection(("127.0.0.1", OPTIONS.port), timeout=LIMIT)
        self.socket = context.wrap_socket(plain, server_hostname="127.0.0.1")
        self.encoder, self.decoder = hpack.Encoder(), hpack.Decoder()
        self.buffer, self.saw, self.closed = b"", [], False
        self.frames, self.answered, self.bodies = [], {}, {}
        if greet:
            self.raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            self.send(SettingsFrame(0, settings or {}))
            # Until the server has acknowledged ours, so that what follows is no answer to the greeting.
            self.until(lambda: any(isinstance(f, SettingsFrame) and "ACK" in f.flags for f in self.frames))
            self.saw.clear()

    def raw(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            self.closed = True

    def send(self, *frames):
        self.raw(b"".join(frame.serialize() for frame in frames))

    def frame(self, kind, flags, stream, body):
        """Any frame, whatever sense it makes."""
        self.raw(len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + body)

    def fields(self, method="GET", extra=(), drop=(), path=None):
        fields = [(":method", method), (":scheme", "https"), (":authority", f"127.0.0.1:{OPTIONS.port}"),
                  (":path", OPTIONS.path if path is None else path)]
        return [field for field in fields if field[0] not in drop] + list(extra)

    def block(self, *arguments, **options):
        return self.encoder.encode(self.fields(*arguments, **options))

    def headers(self, stream=1, block=None, flags=("END_STREAM", "END_HEADERS"), **options):
        frame = HeadersFrame(stream, block if block is not None else self.block(**options))
        for flag in flags:
            frame.flags.add(flag)
        return frame

    def data(self, stream=1, data=b"x", flags=("END_STREAM",)):
        frame = DataFrame(stream, data)
        for flag in flags:
            frame.flags.add(flag)
        return frame

    def continuation(self, stream, block, flags=("END_HEADERS",)):
        frame = ContinuationFrame(stream, block)
        for flag in flags:
            frame.flags.add(flag)
        return frame

    def take(self):
        """Parses what has come."""
        while len(self.buffer) >= 9:
            frame, length = Frame.parse_frame_header(memoryview(self.buffer[:9]))
            if len(self.buffer) < 9 + length:
                return
            frame.parse_body(memoryview(self.buffer[9:9 + length]))
            self.buffer = self.buffer[9 + length:]
            self.frames.append(frame)
            if isinstance(frame, HeadersFrame):
                fields = dict(self.decoder.decode(frame.data))
                self.saw.append(f"HEADERS {frame.stream_id} {fields.get(':status')}")
            elif isinstance(frame, DataFrame):
                self.bodies[frame.stream_id] = self.bodies.get(frame.stream_id, b"") + frame.data
                self.saw.append(f"DATA {frame.stream_id}")
            elif isinstance(frame, RstStreamFrame):
                self.saw.append(f"RST_STREAM {frame.stream_id} {frame.error_code}")
            elif isinstance(frame, GoAwayFrame):
                self.saw.append(f"GOAWAY {frame.error_code}")
            elif isinstance(frame, PingFrame):
                self.saw.append(f"PING {'ACK' if 'ACK' in frame.flags else ''} {frame.opaque_data.hex()}")
            elif isinstance(frame, SettingsFrame):
                self.saw.append("SETTINGS" + (" ACK" if "ACK" in frame.flags else ""))
                if "ACK" not in frame.flags:
                    acknowledgment = SettingsFrame(0)
                    acknowledgment.flags.add("ACK")
                    self.send(acknowledgment)
            if "END_STREAM" in frame.flags:
                self.answered[frame.stream_id] = True

    def until(self, holds, seconds=LIMIT):
        end = time.monotonic() + seconds
        while not self.closed and not holds():
            if not self.socket.pending() and not select.select(
                    [self.socket], [], [], max(0, end - time.monotonic()))[0]:
                return False
            try:
                data = self.socket.recv(65536)
            except (ssl.SSLError, OSError):
                data = b""
            if not data:
                self.closed = True
                self.saw.append("closed")
            self.buffer += data
            self.take()
        return holds()

    def answer(self, stream=1):
        """Waits for a whole answer."""
        return self.until(lambda: stream in self.answered)

    def serves_on(self, stream=101):
        """Whether the connection still answers PING and a request."""
        if self.closed:
            return False
        ping = PingFrame(0, b"still up")
        self.send(ping, self.headers(stream))
        return self.until(lambda: stream in self.answered and any(
            isinstance(f, PingFrame) and f.opaque_data == b"still up" for f in self.frames))

    def failed_stream(self, stream, codes):
        """Whether a stream error or, which is stricter, a connection error came."""
        # What the server has to say comes before the answer to a PING that was sent later.
        self.send(PingFrame(0, b"and then"))
        self.until(lambda: any(isinstance(f, (RstStreamFrame, GoAwayFrame)) for f in self.frames)
                   or any(isinstance(f, PingFrame) and f.opaque_data == b"and then" for f in self.frames))
        found = [f for f in self.frames if isinstance(f, RstStreamFrame) and f.stream_id == stream
                 or isinstance(f, GoAwayFrame)]
        return any(f.error_code in codes for f in found) or (self.closed and not found)

    def failed_connection(self, codes):
        # A server that minds nothing answers this, so that nobody waits.
        self.send(PingFrame(0, b"and then"))
        self.until(lambda: any(isinstance(f, PingFrame) and f.opaque_data == b"and then" for f in self.frames))
        found = [f for f in self.frames if isinstance(f, GoAwayFrame)]
        if not found:
            return self.closed
        self.until(lambda: False, 2)
        return self.closed and any(f.error_code in codes for f in found)


def judge(peer, wanted, arguments):
    if wanted == "answer":
        return peer.answer(*arguments)
    if wanted == "ignore":
        return peer.serves_on(*arguments)
    if wanted == "stream":
        return peer.failed_stream(arguments[0], arguments[1:])
    if wanted == "connection":
        return peer.failed_connection(arguments)
    return False


def run(entry):
    name, section, wanted, function = entry
    peer = None
    try:
        result = function()
        peer, ok = result if isinstance(result, tuple) else (result, None)
        if ok is None:
            ok = judge(peer, wanted[0], wanted[1:])
    except Exception as error:  # a case that cannot be run is a case that fails
        ok, section = False, f"{section}: {type(error).__name__}: {error}"
    if peer:
        peer.socket.close()
    return {"case": name, "section": section, "wanted": " ".join(map(str, wanted)), "ok": bool(ok),
            "saw": peer.saw[-8:] if peer else []}


def after_answer(stream=1):
    """A stream that both sides have closed."""
    peer = Peer()
    peer.send(peer.headers(stream))
    peer.answer(stream)
    return peer


def after_reset():
    """A stream that was open when the client closed it."""
    peer = Peer()
    peer.send(peer.headers(flags=("END_HEADERS",), method="POST"), RstStreamFrame(1, 8))
    return peer


def with_fields(**options):
    peer = Peer()
    peer.send(peer.headers(**options))
    return peer


def with_block(block):
    peer = Peer()
    peer.send(peer.headers(block=block))
    return peer


# generic/1, 2: connections and streams

@case("generic/1/1", "3.4: a connection preface is answered with SETTINGS", "ack")
def _():
    peer = Peer()
    return peer, isinstance(peer.frames[0], SettingsFrame) and "ACK" not in peer.frames[0].flags


@case("generic/2/1", "5.1: PRIORITY for an idle stream", "ignore")
def _():
    peer = Peer()
    peer.send(PriorityFrame(1, 0, 255, False))
    return peer


@case("generic/2/2", "5.1: WINDOW_UPDATE on a half-closed (remote) stream", "answer")
def _():
    peer = Peer()
    peer.send(peer.headers(), WindowUpdateFrame(1, 100))
    return peer


@case("generic/2/3", "5.1: PRIORITY on a half-closed (remote) stream", "answer")
def _():
    peer = Peer()
    peer.send(peer.headers(), PriorityFrame(1, 0, 255, False))
    return peer


@case("generic/2/4", "5.1: RST_STREAM on a half-closed (remote) stream", "ignore")
def _():
    peer = Peer()
    peer.send(peer.headers(), RstStreamFrame(1, 8))
    return peer


@case("generic/2/5", "5.1: PRIORITY on a closed stream", "ignore", 103)
def _():
    peer = after_answer()
    peer.send(PriorityFrame(1, 0, 255, False))
    return peer


# generic/3: frames

def post(*bodies, padding=None):
    peer = Peer()
    peer.send(peer.headers(flags=("END_HEADERS",), method="POST"))
    for index, body in enumerate(bodies):
        frame = peer.data(1, body, ("END_STREAM",) if index == len(bodies) - 1 else ())
        if padding:
            frame.flags.add("PADDED")
            frame.pad_length = padding
        peer.send(frame)
    return peer


@case("generic/3.1/1", "6.1: a DATA frame", "answer")
def _():
    return post(OPTIONS.body)


@case("generic/3.1/2", "6.1: several DATA frames", "answer")
def _():
    return post(OPTIONS.body[:3], OPTIONS.body[3:], b"")


@case("generic/3.1/3", "6.1: a DATA frame with padding", "answer")
def _():
    return post(OPTIONS.body, padding=20)


@case("generic/3.2/1", "6.2: a HEADERS frame", "answer")
def _():
    return with_fields()


@case("generic/3.2/2", "6.2: a HEADERS frame with padding", "answer")
def _():
    peer = Peer()
    frame = peer.headers(flags=("END_HEADERS", "END_STREAM", "PADDED"))
    frame.pad_length = 7
    peer.send(frame)
    return peer


@case("generic/3.2/3", "6.2: a HEADERS frame with priority", "answer")
def _():
    peer = Peer()
    frame = peer.headers(flags=("END_HEADERS", "END_STREAM", "PRIORITY"))
    frame.depends_on, frame.stream_weight = 0, 255
    peer.send(frame)
    return peer


for number, (stream, depends, weight, exclusive) in enumerate(
        [(1, 0, 0, False), (1, 0, 255, False), (1, 3, 255, False), (1, 3, 255, True), (101, 0, 255, False)]):
    @case(f"generic/3.3/{number + 1}", "6.3: PRIORITY of any weight, dependency and stream", "answer")
    def _(stream=stream, depends=depends, weight=weight, exclusive=exclusive):
        peer = Peer()
        peer.send(PriorityFrame(stream, depends, weight, exclusive), peer.headers())
        return peer


@case("generic/3.4/1", "6.4: RST_STREAM", "ignore")
def _():
    return after_reset()


@case("generic/3.5/1", "6.5: SETTINGS", "ack")
def _():
    peer = Peer()
    peer.send(SettingsFrame(0, {SettingsFrame.HEADER_TABLE_SIZE: 0}))
    return peer, peer.until(lambda: "SETTINGS ACK" in peer.saw) and peer.serves_on()


@case("generic/3.7/1", "6.7: PING", "ack")
def _():
    peer = Peer()
    peer.send(PingFrame(0, b"12345678"))
    return peer, peer.until(lambda: f"PING ACK {b'12345678'.hex()}" in peer.saw)


@case("generic/3.8/1", "6.8: GOAWAY; what was asked for is still answered", "answer")
def _():
    peer = Peer()
    peer.send(peer.headers(), GoAwayFrame(0))
    return peer


@case("generic/3.9/1", "6.9: WINDOW_UPDATE of the connection", "ignore")
def _():
    peer = Peer()
    peer.send(WindowUpdateFrame(0, 1))
    return peer


@case("generic/3.9/2", "6.9: WINDOW_UPDATE of a stream", "answer")
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_HEADERS",), method="POST"), WindowUpdateFrame(1, 1), peer.data())
    return peer


def in_parts(count):
    peer = Peer()
    block = peer.block(extra=[("x-filler", "y" * 300)])
    size = len(block) // (count + 1) + 1
    parts = [block[start:start + size] for start in range(0, len(block), size)]
    peer.send(peer.headers(block=parts[0], flags=("END_STREAM",)))
    for part in parts[1:-1]:
        peer.send(peer.continuation(1, part, ()))
    peer.send(peer.continuation(1, parts[-1]))
    return peer


@case("generic/3.10/1", "6.10: a CONTINUATION frame", "answer")
def _():
    return in_parts(1)


@case("generic/3.10/2", "6.10: several CONTINUATION frames", "answer")
def _():
    return in_parts(3)


# generic/4: requests

for number, method in enumerate(["GET", "HEAD", "POST", "OPTIONS"]):
    @case(f"generic/4/{number + 1}", f"8.1: {method}", "answer")
    def _(method=method):
        peer = Peer()
        if method == "POST":
            peer.send(peer.headers(flags=("END_HEADERS",), method=method), peer.data(1, OPTIONS.body))
        else:
            peer.send(peer.headers(method=method))
        return peer, peer.answer() and (method != "HEAD" or 1 not in peer.bodies) and peer.serves_on()


@case("generic/4/5", "8.1: POST with trailers", "answer")
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_HEADERS",), method="POST"), peer.data(1, OPTIONS.body, ()),
              peer.headers(block=peer.encoder.encode([("x-trailer", "yes")])))
    return peer


# generic/5, HPACK: what is right

def request_block(extra):
    """A request that needs no dynamic table, and more fields."""
    def literal(text):
        return bytes([len(text)]) + text.encode()
    return b"\x82\x87\x04" + literal(OPTIONS.path) + b"\x01" + literal("localhost") + extra


REPRESENTATIONS = {
    "indexed field": b"\x90", "literal with indexing, indexed name": b"\x7a\x01x",
    "literal with indexing, new name": b"\x40\x03x-a\x01b", "literal without indexing, indexed name": b"\x0f\x2b\x01x",
    "literal without indexing, new name": b"\x00\x03x-a\x01b", "literal never indexed, indexed name": b"\x1f\x2b\x01x",
    "literal never indexed, new name": b"\x10\x03x-a\x01b",
    "dynamic entry": b"\x40\x03x-a\x01b\xbe", "Huffman-coded literal": b"\x00\x03x-a\x81\x8f",
}
for number, (what, extra) in enumerate(REPRESENTATIONS.items()):
    @case(f"generic/5/{number + 1}", f"RFC 7541 6: {what}", "answer")
    def _(extra=extra):
        return with_block(request_block(extra))


@case("generic/5/10", "RFC 7541 6.3: a dynamic table size update", "answer")
def _():
    return with_block(b"\x3f\xe1\x01" + request_block(b""))


@case("generic/5/11", "RFC 7541 4.2: several dynamic table size updates", "answer")
def _():
    return with_block(b"\x20\x3f\xe1\x01" + request_block(b""))


# http2/3: starting

@case("http2/3.4/1", "3.4: an invalid connection preface", "connection", PROTOCOL)
def _():
    peer = Peer(greet=False)
    peer.raw(b"INVALID CONNECTION PREFACE\r\n\r\n" + b"\0" * 9)
    return peer


# http2/4: frames

@case("http2/4.1/1", "4.1: a frame of unknown type", "ignore")
def _():
    peer = Peer()
    peer.frame(0x16, 0, 0, b"\0" * 8)
    return peer


@case("http2/4.1/2", "4.1: a frame with undefined flags", "ack")
def _():
    peer = Peer()
    peer.frame(0x6, 0x16, 0, b"flagged!")
    return peer, peer.until(lambda: f"PING ACK {b'flagged!'.hex()}" in peer.saw)


@case("http2/4.1/3", "4.1: a frame with the reserved bit set", "ack")
def _():
    peer = Peer()
    peer.frame(0x6, 0, 1 << 31, b"reserved")
    return peer, peer.until(lambda: f"PING ACK {b'reserved'.hex()}" in peer.saw)


@case("http2/4.2/1", "4.2: a DATA frame of 2^14 octets", "answer")
def _():
    return post(b" " * (1 << 14))


@case("http2/4.2/2", "4.2: a DATA frame above SETTINGS_MAX_FRAME_SIZE", "stream", 1, FRAME_SIZE)
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_HEADERS",), method="POST"))
    peer.frame(0, 1, 1, b"x" * ((1 << 14) + 1))
    return peer


@case("http2/4.2/3", "4.2: a HEADERS frame above SETTINGS_MAX_FRAME_SIZE", "connection", FRAME_SIZE)
def _():
    peer = Peer()
    block = peer.block(extra=[(f"x-{n}", "\x7f" * 3000) for n in range(6)])
    peer.frame(1, 5, 1, block + b"\0" * max(0, (1 << 14) + 1 - len(block)))
    return peer


@case("http2/4.3/1", "4.3: an invalid header block", "connection", COMPRESSION)
def _():
    return with_block(b"\x00\x00\x00\x00\x00\x00\x80")


@case("http2/4.3/2", "4.3: another frame within a header block", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_STREAM",)), PriorityFrame(1, 0, 255, False),
              peer.continuation(1, peer.encoder.encode([("x-a", "b")])))
    return peer


@case("http2/4.3/3", "4.3: HEADERS of another stream within a header block", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.send(peer.headers(1, flags=("END_STREAM",)), peer.headers(3))
    return peer


# http2/5: streams

IDLE = {"DATA": lambda p: p.data(), "RST_STREAM": lambda p: RstStreamFrame(1, 8),
        "WINDOW_UPDATE": lambda p: WindowUpdateFrame(1, 100), "CONTINUATION": lambda p: p.continuation(1, p.block())}
for number, (what, make) in enumerate(IDLE.items()):
    @case(f"http2/5.1/{number + 1}", f"5.1: {what} on an idle stream", "connection", PROTOCOL)
    def _(make=make):
        peer = Peer()
        peer.send(make(peer))
        return peer

AFTER = {"DATA": lambda p: p.data(), "HEADERS": lambda p: p.headers(),
         "CONTINUATION": lambda p: p.continuation(1, p.encoder.encode([("x-a", "b")]))}
for number, (what, make) in enumerate(AFTER.items()):
    wanted = ("connection", PROTOCOL, STREAM_CLOSED) if what == "CONTINUATION" else ("stream", 1, STREAM_CLOSED)

    @case(f"http2/5.1/{number + 5}", f"5.1: {what} on a half-closed (remote) stream", *wanted)
    def _(make=make):
        peer = Peer()
        peer.send(peer.headers(), make(peer))
        return peer

    @case(f"http2/5.1/{number + 8}", f"5.1: {what} on a stream that the client has reset", *wanted)
    def _(make=make):
        peer = after_reset()
        peer.send(make(peer))
        return peer

    closed = ("connection", PROTOCOL, STREAM_CLOSED) if what != "DATA" else wanted

    @case(f"http2/5.1/{number + 11}", f"5.1: {what} on a closed stream", *closed)
    def _(make=make):
        peer = after_answer()
        peer.send(make(peer))
        return peer


@case("http2/5.1.1/1", "5.1.1: a stream with an even number", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.send(peer.headers(2))
    return peer


@case("http2/5.1.1/2", "5.1.1: a stream with a lower number than one before", "connection", PROTOCOL)
def _():
    peer = after_answer(5)
    peer.send(peer.headers(3))
    return peer


@case("http2/5.1.2/1", "5.1.2: more streams than allowed", "stream", 0, PROTOCOL, REFUSED)
def _():
    peer = Peer()
    announced = next(f for f in peer.frames if isinstance(f, SettingsFrame)).settings[3]
    peer.send(*(peer.headers(2 * n + 1, flags=("END_HEADERS",), method="POST") for n in range(announced + 1)))
    last = 2 * announced + 1
    return peer, peer.failed_stream(last, (PROTOCOL, REFUSED))


@case("http2/5.3.1/1", "RFC 7540 5.3.1: HEADERS that depend on their own stream", "stream", 1, PROTOCOL)
def _():
    peer = Peer()
    frame = peer.headers(flags=("END_HEADERS", "END_STREAM", "PRIORITY"))
    frame.depends_on, frame.stream_weight = 1, 255
    peer.send(frame)
    return peer


@case("http2/5.3.1/2", "RFC 7540 5.3.1: PRIORITY that depends on its own stream", "stream", 1, PROTOCOL)
def _():
    peer = Peer()
    peer.frame(2, 0, 1, (1).to_bytes(4, "big") + b"\xff")
    return peer


@case("http2/5.4.1/1", "5.4.1: a connection error closes the connection", "connection", FRAME_SIZE)
def _():
    peer = Peer()
    peer.frame(6, 0, 0, b"short")
    return peer


@case("http2/5.4.1/2", "5.4.1: a connection error is said with GOAWAY", "connection", FRAME_SIZE)
def _():
    peer = Peer()
    peer.frame(6, 0, 0, b"short")
    return peer, peer.until(lambda: any(isinstance(f, GoAwayFrame) for f in peer.frames))


@case("http2/5.5/1", "5.5: an unknown extension frame", "ignore")
def _():
    peer = Peer()
    peer.frame(0x16, 0, 1, b"\0" * 8)
    return peer


@case("http2/5.5/2", "5.5: an unknown extension frame within a header block", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_STREAM",)))
    peer.frame(0x16, 0, 1, b"\0" * 8)
    return peer


# http2/6: frame definitions

@case("http2/6.1/1", "6.1: DATA on stream 0", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.frame(0, 1, 0, b"x")
    return peer


@case("http2/6.1/2", "6.1: DATA on a stream that is not open", "stream", 1, STREAM_CLOSED)
def _():
    peer = Peer()
    peer.send(peer.headers(), peer.data())
    return peer


@case("http2/6.1/3", "6.1: DATA with more padding than payload", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_HEADERS",), method="POST"))
    peer.frame(0, 0x9, 1, b"\x06test")
    return peer


@case("http2/6.2/1", "6.2: HEADERS without END_HEADERS, then PRIORITY", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_STREAM",)), PriorityFrame(1, 0, 255, False))
    return peer


@case("http2/6.2/2", "6.2: HEADERS without END_HEADERS, then another stream's", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.send(peer.headers(1, flags=("END_STREAM",)), peer.headers(3))
    return peer


@case("http2/6.2/3", "6.2: HEADERS on stream 0", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.frame(1, 5, 0, peer.block())
    return peer


@case("http2/6.2/4", "6.2: HEADERS with more padding than payload", "connection", PROTOCOL)
def _():
    peer = Peer()
    block = peer.block()
    peer.frame(1, 0xD, 1, bytes([len(block) + 1]) + block)
    return peer


@case("http2/6.3/1", "6.3: PRIORITY on stream 0", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.frame(2, 0, 0, b"\0\0\0\0\xff")
    return peer


@case("http2/6.3/2", "6.3: PRIORITY of another length than 5", "stream", 1, FRAME_SIZE)
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_HEADERS",), method="POST"))
    peer.frame(2, 0, 1, b"\0\0\0\0")
    return peer


@case("http2/6.4/1", "6.4: RST_STREAM on stream 0", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.frame(3, 0, 0, b"\0\0\0\x08")
    return peer


@case("http2/6.4/2", "6.4: RST_STREAM on an idle stream", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.send(RstStreamFrame(1, 8))
    return peer


@case("http2/6.4/3", "6.4: RST_STREAM of another length than 4", "connection", FRAME_SIZE)
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_HEADERS",), method="POST"))
    peer.frame(3, 0, 1, b"\0\0\0")
    return peer


BAD_SETTINGS = [
    ("6.5/1", "acknowledged with a payload", 1, 0, b"\0" * 6, FRAME_SIZE),
    ("6.5/2", "on a stream", 0, 1, b"\0\3\0\0\0\x64", PROTOCOL),
    ("6.5/3", "of a length that is no multiple of 6", 0, 0, b"\0\3\0", FRAME_SIZE),
    ("6.5.2/1", "ENABLE_PUSH neither 0 nor 1", 0, 0, b"\0\2\0\0\0\2", PROTOCOL),
    ("6.5.2/2", "INITIAL_WINDOW_SIZE above the maximum", 0, 0, b"\0\4\x80\0\0\0", FLOW),
    ("6.5.2/3", "MAX_FRAME_SIZE below the initial one", 0, 0, b"\0\5\0\0\x3f\xff", PROTOCOL),
    ("6.5.2/4", "MAX_FRAME_SIZE above the maximum", 0, 0, b"\0\5\x01\0\0\0", PROTOCOL),
    ("6.9.2/3", "INITIAL_WINDOW_SIZE above the maximum, again", 0, 0, b"\0\4\xff\xff\xff\xff", FLOW),
]
for name, what, flags, stream, body, code in BAD_SETTINGS:
    @case(f"http2/{name}", f"{name.split('/')[0]}: SETTINGS {what}", "connection", code)
    def _(flags=flags, stream=stream, body=body):
        peer = Peer()
        peer.frame(4, flags, stream, body)
        return peer


@case("http2/6.5.2/5", "6.5.2: SETTINGS with an unknown identifier", "ignore")
def _():
    peer = Peer()
    peer.frame(4, 0, 0, b"\0\xff\0\0\0\1")
    return peer


@case("http2/6.5.3/1", "6.5.3: several values of one setting hold in their order", "answer")
def _():
    peer = Peer()
    peer.frame(4, 0, 0, b"\0\4\0\0\0\x64" + b"\0\4\0\0\0\1")
    peer.send(peer.headers())
    ok = peer.until(lambda: 1 in peer.bodies)
    first = next(f for f in peer.frames if isinstance(f, DataFrame)) if ok else None
    return peer, ok and len(first.data) == 1


@case("http2/6.5.3/2", "6.5.3: SETTINGS are acknowledged", "ack")
def _():
    peer = Peer()
    peer.send(SettingsFrame(0, {SettingsFrame.MAX_CONCURRENT_STREAMS: 7}))
    return peer, peer.until(lambda: "SETTINGS ACK" in peer.saw)


@case("http2/6.7/1", "6.7: PING is answered with the same payload", "ack")
def _():
    peer = Peer()
    peer.send(PingFrame(0, b"h2spec!!"))
    return peer, peer.until(lambda: f"PING ACK {b'h2spec!!'.hex()}" in peer.saw)


@case("http2/6.7/2", "6.7: PING with ACK is not answered", "ignore")
def _():
    peer = Peer()
    answer = PingFrame(0, b"no reply")
    answer.flags.add("ACK")
    peer.send(answer)
    return peer, peer.serves_on() and not any("6e6f" in line for line in peer.saw)


@case("http2/6.7/3", "6.7: PING on a stream", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.frame(6, 0, 1, b"12345678")
    return peer


@case("http2/6.7/4", "6.7: PING of another length than 8", "connection", FRAME_SIZE)
def _():
    peer = Peer()
    peer.frame(6, 0, 0, b"123456")
    return peer


@case("http2/6.8/1", "6.8: GOAWAY on a stream", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.frame(7, 0, 1, b"\0" * 8)
    return peer


@case("http2/6.9/1", "6.9: WINDOW_UPDATE of 0 for the connection", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.frame(8, 0, 0, b"\0" * 4)
    return peer


@case("http2/6.9/2", "6.9: WINDOW_UPDATE of 0 for a stream", "stream", 1, PROTOCOL)
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_HEADERS",), method="POST"))
    peer.frame(8, 0, 1, b"\0" * 4)
    return peer


@case("http2/6.9/3", "6.9: WINDOW_UPDATE of another length than 4", "connection", FRAME_SIZE)
def _():
    peer = Peer()
    peer.frame(8, 0, 0, b"\0" * 3)
    return peer


@case("http2/6.9.1/1", "6.9.1: no more is sent than the window allows", "answer")
def _():
    peer = Peer({SettingsFrame.INITIAL_WINDOW_SIZE: 1})
    peer.send(peer.headers())
    ok = peer.until(lambda: 1 in peer.bodies)
    peer.send(PingFrame(0, b"and then"))
    peer.until(lambda: any(isinstance(f, PingFrame) for f in peer.frames))
    return peer, ok and len(peer.bodies[1]) == 1


@case("http2/6.9.1/2", "6.9.1: the connection's window above 2^31-1", "connection", FLOW)
def _():
    peer = Peer()
    peer.send(WindowUpdateFrame(0, (1 << 31) - 1), WindowUpdateFrame(0, (1 << 31) - 1))
    return peer


@case("http2/6.9.1/3", "6.9.1: a stream's window above 2^31-1", "stream", 1, FLOW)
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_HEADERS",), method="POST"), WindowUpdateFrame(1, (1 << 31) - 1),
              WindowUpdateFrame(1, (1 << 31) - 1))
    return peer


@case("http2/6.9.2/1", "6.9.2: INITIAL_WINDOW_SIZE grows while an answer waits", "answer")
def _():
    peer = Peer({SettingsFrame.INITIAL_WINDOW_SIZE: 0})
    peer.send(peer.headers())
    peer.until(lambda: "HEADERS" in " ".join(peer.saw))
    waited = 1 not in peer.bodies
    peer.send(SettingsFrame(0, {SettingsFrame.INITIAL_WINDOW_SIZE: 1}))
    return peer, waited and peer.until(lambda: len(peer.bodies.get(1, b"")) == 1)


@case("http2/6.9.2/2", "6.9.2: a window may become negative", "answer")
def _():
    peer = Peer({SettingsFrame.INITIAL_WINDOW_SIZE: 3})
    peer.send(peer.headers())
    first = peer.until(lambda: len(peer.bodies.get(1, b"")) == 3)
    peer.send(SettingsFrame(0, {SettingsFrame.INITIAL_WINDOW_SIZE: 2}), WindowUpdateFrame(1, 2))
    return peer, first and peer.until(lambda: len(peer.bodies[1]) == 4)


def continuation_after(*make):
    peer = Peer()
    more = peer.encoder.encode([("x-a", "b")])
    for frame in make:
        peer.send(*frame(peer, more))
    return peer


@case("http2/6.10/1", "6.10: several CONTINUATION frames", "answer")
def _():
    return in_parts(3)


@case("http2/6.10/2", "6.10: CONTINUATION, then another frame", "connection", PROTOCOL)
def _():
    return continuation_after(lambda p, more: (p.headers(flags=("END_STREAM",)), p.continuation(1, more, ()), p.data()))


@case("http2/6.10/3", "6.10: CONTINUATION on stream 0", "connection", PROTOCOL)
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_STREAM",)))
    peer.frame(9, 4, 0, peer.encoder.encode([("x-a", "b")]))
    return peer


@case("http2/6.10/4", "6.10: CONTINUATION after END_HEADERS", "connection", PROTOCOL)
def _():
    return continuation_after(lambda p, more: (p.headers(flags=("END_HEADERS",), method="POST"), p.continuation(1, more)))


@case("http2/6.10/5", "6.10: CONTINUATION after one with END_HEADERS", "connection", PROTOCOL)
def _():
    return continuation_after(lambda p, more: (p.headers(flags=(), method="POST"), p.continuation(1, more),
                                               p.continuation(1, more)))


@case("http2/6.10/6", "6.10: CONTINUATION after DATA", "connection", PROTOCOL)
def _():
    return continuation_after(lambda p, more: (p.headers(flags=("END_HEADERS",), method="POST"), p.data(flags=()),
                                               p.continuation(1, more)))


@case("http2/7/1", "7: GOAWAY with an unknown error code", "answer")
def _():
    peer = Peer()
    frame = GoAwayFrame(0)
    frame.error_code = 0xFF
    peer.send(peer.headers(), frame)
    return peer


@case("http2/7/2", "7: RST_STREAM with an unknown error code", "ignore")
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_HEADERS",), method="POST"), RstStreamFrame(1, 0xFF))
    return peer


# http2/8: messages

@case("http2/8.1/1", "8.1: a second HEADERS frame without END_STREAM", "stream", 1, PROTOCOL)
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_HEADERS",), method="POST"), peer.data(flags=()),
              peer.headers(block=peer.encoder.encode([("x-a", "b")]), flags=("END_HEADERS",)))
    return peer


MALFORMED = [
    ("8.2/1", "a field name in upper case", {"extra": [("X-TEST", "ok")]}),
    ("8.2.2/1", "a connection-specific field", {"extra": [("connection", "keep-alive")]}),
    ("8.2.2/2", "TE other than trailers", {"extra": [("te", "trailers, deflate")]}),
    ("8.3/1", "an unknown pseudo-header field", {"extra": [(":test", "ok")]}),
    ("8.3/2", "a pseudo-header field of answers", {"extra": [(":status", "200")]}),
    ("8.3/4", "a pseudo-header field behind others", {"extra": [("x-a", "b"), (":path", "/")], "drop": (":path",)}),
    ("8.3.1/1", "an empty :path", {"path": ""}),
    ("8.3.1/2", "no :method", {"drop": (":method",)}),
    ("8.3.1/3", "no :scheme", {"drop": (":scheme",)}),
    ("8.3.1/4", "no :path", {"drop": (":path",)}),
    ("8.3.1/5", "two :method", {"extra": [(":method", "GET")]}),
    ("8.3.1/6", "two :scheme", {"extra": [(":scheme", "https")]}),
    ("8.3.1/7", "two :path", {"extra": [(":path", "/")]}),
]
for name, what, options in MALFORMED:
    @case(f"http2/{name}", f"{name.split('/')[0]}: {what}", "stream", 1, PROTOCOL)
    def _(options=options):
        return with_fields(**options)


@case("http2/8.3/3", "8.3: a pseudo-header field in trailers", "stream", 1, PROTOCOL)
def _():
    peer = Peer()
    peer.send(peer.headers(flags=("END_HEADERS",), method="POST"), peer.data(flags=()),
              peer.headers(block=peer.encoder.encode([(":method", "POST")])))
    return peer


for number, parts in enumerate([[b"test"], [b"te", b"st"]]):
    @case(f"http2/8.1.1/{number + 1}", "8.1.1: content-length that is not the body's", "stream", 1, PROTOCOL)
    def _(parts=parts):
        peer = Peer()
        peer.send(peer.headers(flags=("END_HEADERS",), method="POST", extra=[("content-length", "1")]))
        for index, part in enumerate(parts):
            peer.send(peer.data(1, part, ("END_STREAM",) if index == len(parts) - 1 else ()))
        return peer


@case("http2/8.4/1", "8.4: PUSH_PROMISE from a client", "connection", PROTOCOL)
def _():
    peer = Peer()
    request = peer.headers(flags=("END_HEADERS",), method="POST")
    frame = PushPromiseFrame(1, 3, peer.block())
    frame.flags.add("END_HEADERS")
    peer.send(request, frame)
    return peer


# hpack: what is wrong

HPACK = [
    ("2.3.3/1", "an indexed field beyond both tables", b"\xc6"),
    ("2.3.3/2", "a literal whose name lies beyond both tables", b"\x7f\x80\x01\x01x"),
    ("4.2/1", "a table size update behind a field", b"\x20"),
    ("5.2/1", "Huffman padding longer than 7 bits", b"\x00\x85\xf2\xb2\x4a\x84\xff\x84\x49\x50\x9f\xff"),
    ("5.2/2", "Huffman padding with zeros", b"\x00\x85\xf2\xb2\x4a\x84\xff\x83\x49\x50\x90"),
    ("5.2/3", "a Huffman string with EOS in it", b"\x00\x85\xf2\xb2\x4a\x84\xff\x87\x49\x51\xff\xff\xff\xfa\x7f"),
    ("6.1/1", "an indexed field with index 0", b"\x80"),
    ("6.3/1", "a table size above SETTINGS_HEADER_TABLE_SIZE", None),
]
for name, what, extra in HPACK:
    @case(f"hpack/{name}", f"RFC 7541 {name.split('/')[0]}: {what}", "connection", COMPRESSION)
    def _(extra=extra):
        return with_block(request_block(extra) if extra else b"\x3f\xe2\x1f" + request_block(b""))


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("authority")
    parser.add_argument("--path", default="/")
    parser.add_argument("--body", default="test body", type=str)
    parser.add_argument("--cases", default="")
    OPTIONS = parser.parse_args()
    OPTIONS.body = OPTIONS.body.encode()
    chosen = [entry for entry in CASES if not OPTIONS.cases or entry[0] in OPTIONS.cases.split(",")]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for outcome in pool.map(run, chosen):
            print(json.dumps(outcome), flush=True)


main()
