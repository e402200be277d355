#!/usr/bin/env python3
"""Push services that mean ill, for tests: over TLS, HTTP/1.1 and HTTP/2, one port a behavior. The bytes are made by hand;
only hpack, which reads requests' headers, is a library.

Each name among the arguments is `h1:BEHAVIOR` or `h2:BEHAVIOR`. Says on standard output, in one line each:

    listening NAME PORT
    connection NAME
    request NAME METHOD PATH
"""

import argparse
import collections
import functools
import gzip
import itertools
import json
import select
import socket
import ssl
import struct
import sys
import threading
import time
import zlib

import hpack

# What one connection gets at most: somebody who keeps all of it is found out, and nobody sends for ever.
MOST = 100 * 1024 * 1024
PIECE = 16 * 1024


def say(*words):
    """In one piece: print would let threads' lines run into each other."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def number(value):
    """With a prefix of 7 bits (RFC 7541, section 5.1)."""
    if value < 127:
        return bytes([value])
    digits, value = [127], value - 127
    while value >= 128:
        digits.append(value % 128 + 128)
        value //= 128
    return bytes(digits + [value])


def field(name, value):
    """A literal header field that is not indexed."""
    name, value = (text if isinstance(text, bytes) else text.encode() for text in (name, value))
    return b"\0" + number(len(name)) + name + number(len(value)) + value


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


DATA, HEADERS, RST, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1


class Peer:
    """What both protocols share: a connection of one behavior, whose answers are generators of bytes and pauses."""

    def __init__(self, sock, name, options):
        self.sock, self.name, self.options = sock, name, options
        self.behavior = name.partition(":")[2]
        self.out = b""
        self.answers = {}
        self.sent = 0
        self.is_over = False

    def run(self):
        self.sock.setblocking(False)
        self.begin()
        while not self.is_over and self.sent < MOST:
            self.read()
            wait = self.produce()
            if self.out:
                self.write()
                wait = 0
            if not self.is_over:
                readable = self.sock.pending() == 0
                select.select([self.sock], [self.sock] if self.out else [], [], (0.02 if self.out else wait) if readable else 0)

    def read(self):
        try:
            data = self.sock.recv(65536)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
            return
        if not data:
            self.is_over = True
        else:
            self.receive(data)

    def write(self):
        try:
            count = self.sock.send(self.out)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
            return
        self.sent += count
        self.out = self.out[count:]

    def produce(self):
        """Lets each answer go on. Returns how long there is nothing to do, in seconds."""
        wait = 0.5
        for key, (answer, due) in list(self.answers.items()):
            if len(self.out) > 256 * 1024:
                return 0
            if due > time.monotonic():
                wait = min(wait, due - time.monotonic())
                continue
            step = next(answer, None)
            if step is None:
                self.answers.pop(key, None)
                self.ended(key)
            elif isinstance(step, bytes):
                self.out += step
                wait = 0
            else:
                self.answers[key] = (answer, time.monotonic() + step)
                wait = min(wait, step)
        return max(0, wait)

    def ended(self, key):
        pass

    def begin(self):
        self.after_connecting(self)

    def after_connecting(self, peer):
        pass

    def start(self, key, method, path, body, shown):
        say("request", self.name, method, path)
        self.shown = f"{shown} {path}"
        self.answers[key] = (answer(self, key, method, path, body), 0)

    def plain(self, key, status, headers=(), body=b""):
        """An honest answer."""
        return self.head(key, status, [("content-length", str(len(body))), *headers]) + self.data(key, body, end=True)


class H1(Peer):
    is_h2 = False

    def begin(self):
        self.data_in = b""
        self.closes = False
        if self.behavior == "before-asked":
            self.out += self.plain(0, 200, body=b"too soon")

    def receive(self, data):
        self.data_in += data
        if self.behavior == "early":
            # Whatever comes, it is answered before it was read.
            self.data_in = b""
            self.out += self.plain(0, 200)
            self.closes = True
            self.answers[0] = (iter(()), 0)
            return
        while b"\r\n\r\n" in self.data_in:
            head, _, rest = self.data_in.partition(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            length = next((int(l.split(":")[1]) for l in lines if l.lower().startswith("content-length:")), 0)
            if len(rest) < length:
                return
            self.data_in = rest[length:]
            method, path = lines[0].split(" ")[:2]
            shown = next((l.partition(":")[2].strip() for l in lines if l.lower().startswith("authorization:")), "")
            self.start(0, method, path, rest[:length], shown)

    def ended(self, key):
        if self.closes:
            while self.out:
                self.sock.setblocking(True)
                self.write()
            self.is_over = True

    def head(self, key, status, headers=(), end=False):
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        self.is_chunked = not end and status >= 200 and not any(n in ("content-length", "upgrade") for n, _ in headers)
        if self.is_chunked:
            lines += "transfer-encoding: chunked\r\n"
        return f"HTTP/1.1 {status} Whatever\r\n{lines}\r\n".encode("latin-1")

    def data(self, key, body, end=False):
        if not self.is_chunked:
            return body
        chunk = b"%x\r\n%s\r\n" % (len(body), body) if body else b""
        return chunk + (b"0\r\n\r\n" if end else b"")

    def drop(self, key):
        self.closes = True


class H2(Peer):
    is_h2 = True
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    def begin(self):
        self.data_in = b""
        self.has_preface = False
        self.decoder = hpack.Decoder()
        self.requests, self.block = {}, {}
        self.out += frame(SETTINGS, 0, 0, struct.pack(">HI", 3, 100))
        if self.behavior == "before-asked":
            self.out += frame(HEADERS, END_HEADERS | END_STREAM, 1, field(":status", "200"))

    def receive(self, data):
        self.data_in += data
        if not self.has_preface:
            if len(self.data_in) < len(self.preface):
                return
            self.has_preface, self.data_in = True, self.data_in[len(self.preface) :]
        while len(self.data_in) >= 9:
            length = int.from_bytes(self.data_in[:3], "big")
            if len(self.data_in) < 9 + length:
                return
            kind, flags = self.data_in[3], self.data_in[4]
            stream = int.from_bytes(self.data_in[5:9], "big")
            payload, self.data_in = self.data_in[9 : 9 + length], self.data_in[9 + length :]
            self.take(kind, flags, stream, payload)

    def take(self, kind, flags, stream, payload):
        if kind == SETTINGS and not flags & ACK:
            self.out += frame(SETTINGS, ACK, 0)
        elif kind == PING and not flags & ACK:
            self.out += frame(PING, ACK, 0, payload)
        elif kind == HEADERS:
            if flags & 0x20:
                payload = payload[5:]
            self.block[stream] = payload
            self.requests[stream] = [None, b""]
        elif kind == CONTINUATION:
            self.block[stream] += payload
        elif kind == DATA:
            self.requests[stream][1] += payload
            if payload:
                self.out += frame(WINDOW, 0, 0, struct.pack(">I", len(payload)))
        elif kind == RST:
            self.requests.pop(stream, None)
            if not self.behavior.startswith("deaf"):
                self.answers.pop(stream, None)
        if kind in (HEADERS, CONTINUATION) and flags & END_HEADERS:
            self.requests[stream][0] = dict(self.decoder.decode(self.block.pop(stream)))
            if self.behavior == "early":
                self.out += self.plain(stream, 200) + frame(RST, 0, stream, struct.pack(">I", 0))
        if kind in (HEADERS, DATA) and flags & END_STREAM and stream in self.requests:
            head, body = self.requests.pop(stream)
            self.start(stream, head[":method"], head[":path"], body, head.get("authorization", ""))

    def head(self, key, status, headers=(), end=False):
        block = field(":status", str(status)) + b"".join(field(name, value) for name, value in headers)
        pieces = [block[at : at + PIECE] for at in range(0, len(block), PIECE)]
        out = b""
        for index, piece in enumerate(pieces):
            flags = (END_STREAM if end and index == 0 else 0) | (END_HEADERS if index + 1 == len(pieces) else 0)
            out += frame(CONTINUATION if index else HEADERS, flags, key, piece)
        return out

    def data(self, key, body, end=False):
        pieces = [body[at : at + PIECE] for at in range(0, len(body), PIECE)] or [b""]
        return b"".join(
            frame(DATA, END_STREAM if end and index + 1 == len(pieces) else 0, key, piece)
            for index, piece in enumerate(pieces)
        )

    def drop(self, key):
        self.out += frame(RST, 0, key, struct.pack(">I", 2))


@functools.cache
def bomb(coding):
    """Less than 64 kB that would unpack to some 50 MB."""
    zeros = b"\0" * (50 * 1024 * 1024)
    if coding == "gzip":
        return gzip.compress(zeros)
    # Called br, it is no such thing: whoever wants to undo that fails.
    return zlib.compress(zeros)


def error(text):
    return json.dumps({"reason": text, "error": text}).encode()


DEEP = b'{"reason":' * 5500 + b"1" + b"}" * 5500
BODIES = {
    "cut-json": b'{"reason": "BadDevi',
    "deep-json": DEEP,
    "deep-lists": b'{"error":' + b"[" * 60000,
    "no-utf8": b'{"reason":"\xff\xfe\xc0\x80"}',
    "wrong-types": b'{"reason":{"a":[1]},"error":[{"status":7}]}',
    "long-reason": error("x" * 30000),
    "evil-reason": error("\x1b[2J\x1b]0;owned\x07\u202egnp\r\nx-a: b\u2028"),
    "html": b"<!doctype html><title>502</title>" + b"<p>Bad gateway</p>" * 3000,
}
RETRY = {
    "retry-digits": "9" * 60,
    "retry-negative": "-5",
    "retry-huge-float": "1e300",
    "retry-far": "Fri, 31 Dec 9999 23:59:59 GMT",
    "retry-past": "Thu, 01 Jan 1970 00:00:00 GMT",
    "retry-no-date": "Xxx, 99 Foo 0000 99:99:99 GMT",
    "retry-long": "1" * 8000,
}


# One answer after the other, over all connections: the same for HTTP/1.1 and HTTP/2. Headers without end are left out: they
# may cost an HTTP/2 connection, and with it other requests.
SCRIPT = [
    "good", "cut-json-400", "good", "wrong-types-400", "many-cookies-200", "redirect-302", "endless-body-200", "good",
    "long-reason-400", "silence", "good", "evil-reason-400", "good", "redirect-302", "good",
    "long-fields-201",
]
answered = collections.defaultdict(itertools.count)


def answer(peer, key, method, path, body):
    """The pieces of an answer, and pauses between them in seconds."""
    name = peer.behavior
    if name == "script":
        name = SCRIPT[next(answered[peer.name]) % len(SCRIPT)]
    if name.startswith("stream-") or name.startswith("token-"):
        special = stream if name.startswith("stream-") else token
        yield from special(peer, key, name.partition("-")[2], method, path, body)
        return
    status = 200
    base, _, last = name.rpartition("-")
    if last.isdigit():
        name, status = base, int(last)
    if name == "good":
        yield peer.plain(key, 200, body=b"{}")
    elif name in BODIES:
        yield peer.plain(key, status, [("content-type", "application/json")], BODIES[name])
    elif name == "echo":
        # In every service's place for words.
        words = error(peer.shown)
        if "/messages:send" in path:
            words = json.dumps({"error": {"status": peer.shown}}).encode()
        yield peer.plain(key, status, [("content-type", "application/json")], words)
    elif name in RETRY:
        yield peer.plain(key, status, [("retry-after", RETRY[name])], error("TooManyRequests"))
    elif name == "endless-body":
        yield peer.head(key, status)
        while True:
            yield peer.data(key, b"x" * PIECE)
    elif name == "deaf-endless-body":
        # Goes on after it was told to stop.
        yield peer.head(key, status)
        for _ in range(1000):
            yield peer.data(key, b"x" * PIECE)
            yield 0.005
    elif name == "empty-pieces":
        yield peer.head(key, status)
        while True:
            if peer.is_h2:
                yield frame(DATA, 0, key)
            else:
                yield b"1;" + b"e" * 3000 + b"\r\nx\r\n"
            yield 0.01
    elif name == "drip":
        yield peer.head(key, status)
        while True:
            yield peer.data(key, b"x")
            yield 0.1
    elif name == "silence":
        while True:
            yield 1
    elif name == "endless-headers":
        if not peer.is_h2:
            yield f"HTTP/1.1 {status} OK\r\n".encode()
            while True:
                yield (b"x-more: " + b"y" * 500 + b"\r\n") * 10
        yield frame(HEADERS, 0, key, field(":status", str(status)))
        while True:
            yield frame(CONTINUATION, 0, key, field("x-more", "y" * 500) * 20)
    elif name == "endless-line":
        if not peer.is_h2:
            yield f"HTTP/1.1 {status} OK\r\nx-more: ".encode()
            while True:
                yield b"y" * PIECE
        yield frame(HEADERS, 0, key, field(":status", str(status)) + b"\0\x06x-more" + number(1 << 24))
        while True:
            yield frame(CONTINUATION, 0, key, b"y" * PIECE)
    elif name == "endless-trailers":
        yield peer.head(key, status)
        if not peer.is_h2:
            yield peer.data(key, b"ok") + b"0\r\n"
            while True:
                yield (b"x-more: " + b"y" * 500 + b"\r\n") * 10
        yield peer.data(key, b"ok") + frame(HEADERS, END_STREAM, key, field("x-more", "y"))
        while True:
            yield frame(CONTINUATION, 0, key, field("x-more", "y" * 500) * 20)
    elif name == "endless-interim":
        while True:
            yield peer.head(key, 103, [("link", "</a>")]) * 20
    elif name == "many-cookies":
        yield peer.plain(key, status, [("set-cookie", f"c{n}=v; path=/") for n in range(900)], b"ok")
    elif name == "long-fields":
        fields = [("location", "https://127.0.0.1:1/" + "l" * 15000), ("link", "<" + "k" * 15000 + ">; rel=x")]
        yield peer.plain(key, status, [*fields, ("apns-id", "i" * 9000), ("ttl", "9" * 900)], b"{}")
    elif name == "redirect":
        yield peer.plain(key, status, [("location", peer.options.decoy)])
    elif name.startswith("bomb-"):
        coding = name[5:]
        yield peer.plain(key, status, [("content-encoding", coding)], bomb(coding))
    elif name == "short-length":
        yield peer.head(key, status, [("content-length", "100")]) + peer.data(key, b"ten bytes.", end=True)
        if not peer.is_h2:
            peer.drop(key)
    elif name == "long-length":
        yield peer.head(key, status, [("content-length", "2")]) + peer.data(key, b"x" * 200, end=True)
    elif name == "huge-length":
        yield peer.head(key, status, [("content-length", "9" * 30)]) + peer.data(key, b"x" * 200)
        yield 0.2
        peer.drop(key)
    elif name == "two-lengths":
        yield peer.head(key, status, [("content-length", "2"), ("content-length", "40")]) + peer.data(key, b"ok", end=True)
        yield 0.2
        peer.drop(key)
    elif name == "no-status":
        if peer.is_h2:
            yield frame(HEADERS, END_HEADERS | END_STREAM, key, field("x-a", "b"))
        else:
            yield b"HTTP/1.1  \r\n\r\n"
    elif name == "odd-status":
        yield peer.head(key, 99999, end=True)
    elif name == "twice":
        yield peer.plain(key, 200, body=b"a") + peer.plain(key, 500, body=b"b")
    elif name == "switch":
        yield peer.head(key, 101, [("upgrade", "websocket"), ("connection", "upgrade")]) + b"\x81\x05hello"
        yield 0.2
        peer.drop(key)
    elif name == "evil-header":
        yield peer.head(key, status, [("x-a\x01b", "c\x00d")], end=True)
    elif name == "pings":
        while True:
            yield frame(PING, 0, 0, b"12345678") * 50
            yield 0.01
    elif name == "settings":
        while True:
            yield frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 65535) * 100) * 5
            yield 0.01
    elif name == "windows":
        while True:
            yield frame(WINDOW, 0, 0, struct.pack(">I", 2**31 - 1))
            yield 0.01
    elif name == "push":
        yield frame(PUSH, END_HEADERS, key, struct.pack(">I", 2) + field(":method", "GET"))
    elif name == "farewell":
        yield frame(GOAWAY, 0, 0, struct.pack(">II", 0, 0) + b"d" * 16000)
        yield 0.2
        peer.is_over = True
    elif name == "tiny-limit":
        # No stream at all, ever.
        yield frame(SETTINGS, 0, 0, struct.pack(">HI", 3, 0))
        while True:
            yield 1
    elif name == "large-frame":
        yield frame(HEADERS, END_HEADERS, key, field(":status", "200")) + frame(DATA, 0, key, b"x" * 1_000_000)
    elif name == "garbage":
        yield b"\xff\x00 what is this\r\n\r\n" * 100
        yield 0.2
        peer.drop(key)
    elif name in ("early", "before-asked"):
        if name == "before-asked" and not peer.is_h2:
            yield peer.plain(key, 200, body=b"once more")
    else:
        raise SystemExit(f"unknown behavior {name}")


def token(peer, key, name, method, path, body):
    """A token endpoint."""
    values = {
        "good": '{"access_token":"ya29.good","expires_in":3600,"token_type":"Bearer"}',
        "negative": '{"access_token":"ya29.odd","expires_in":-1}',
        "zero": '{"access_token":"ya29.odd","expires_in":0}',
        "1e300": '{"access_token":"ya29.odd","expires_in":1e300}',
        "text": '{"access_token":"ya29.odd","expires_in":"for ever"}',
        "nan": '{"access_token":"ya29.odd","expires_in":NaN}',
        "lines": '{"access_token":"ya29.odd\\r\\nx-injected: yes","expires_in":3600}',
        "blank": '{"access_token":"ya29.odd x","expires_in":3600}',
        "empty": '{"access_token":"","expires_in":3600}',
        "list": '{"access_token":["a"],"expires_in":3600}',
        "none": "{}",
        "cut": '{"access_token":"ya2',
        "deep": '{"access_token":' + "[" * 60000,
        "long": json.dumps({"access_token": "t" * 20_000, "expires_in": 3600}),
        "longer": json.dumps({"access_token": "t" * 10_000_000, "expires_in": 3600}),
    }
    if name in values:
        yield peer.plain(key, 200, [("content-type", "application/json")], values[name].encode())
        return
    if name == "echo":
        words = {"error": "odd", "error_description": body.decode().partition("assertion=")[2]}
        yield peer.plain(key, 503, [("content-type", "application/json")], json.dumps(words).encode())
        return
    status, _, what = name.partition("-")
    peer.behavior = f"{what}-{status}"
    try:
        yield from answer(peer, key, method, path, body)
    finally:
        peer.behavior = f"token-{name}"


def stream(peer, key, name, method, path, body):
    """A server in ntfy's shape that takes every message, and whose subscribers are to be pitied."""
    topics = TOPICS.setdefault(peer.name, [])
    if method != "GET":
        topics.append(body.decode())
        yield peer.plain(key, 200, body=b"{}")
        return

    def line(event, **more):
        return json.dumps({"id": "abc", "time": 1, "event": event, "topic": "t", **more}).encode() + b"\n"

    opening = line("open")
    if name.startswith("status-"):
        peer.behavior = name[7:]
        try:
            yield from answer(peer, key, method, path, body)
        finally:
            peer.behavior = f"stream-{name}"
        return
    yield peer.head(key, 200, [("content-encoding", "gzip")] if name == "bomb" else ())
    if name == "never-open":
        while True:
            yield peer.data(key, line("keepalive"))
            yield 0.1
    if name == "line-first":
        while True:
            yield peer.data(key, b"x" * PIECE)
            yield 0.01
    if name == "bomb":
        while True:
            yield peer.data(key, bomb("gzip"))
            yield 0.1
    yield peer.data(key, opening)
    if name == "good":
        seen = 0
        while True:
            for text in topics[seen:]:
                seen += 1
                yield peer.data(key, line("message", message=text))
            yield 0.01
    if name == "flapping":
        yield peer.data(key, b"", end=True)
        return
    while not topics:
        yield 0.01
    text = topics[0]
    ours = json.loads(text)
    forged = json.dumps({"pushscope": {**ours["pushscope"], "mac": "A" * 43}})
    floods = {
        "line": b"x" * PIECE,
        "keepalives": line("keepalive") * 100,
        "no-json": (b"{" + b"\xff" * 100 + b"\n") * 50,
        "deep": b'{"event":' + b"[" * 30000 + b"\n",
        "many-lines": b"\n{}\n" * 4000,
        "forged": line("message", message=forged) * 50,
        "foreign": line("message", message='{"pushscope":{"id":"' + "f" * 36 + '","mac":"x"}}') * 50,
        "others": line("message", message="hello" * 100) * 20,
        "replayed": line("message", message=text) * 50,
        "odd-ids": line("message", message="x").replace(b"abc", b"../../" + b"i" * 9000),
    }
    while True:
        yield peer.data(key, floods[name])


TOPICS = {}


def serve(listener, name, options, context):
    while True:
        raw, _ = listener.accept()
        say("connection", name)
        threading.Thread(target=attend, args=(raw, name, options, context), daemon=True).start()


def attend(raw, name, options, context):
    try:
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        raw.settimeout(20)
        sock = context.wrap_socket(raw, server_side=True)
        (H2 if name.startswith("h2:") else H1)(sock, name, options).run()
        sock.close()
    except (OSError, ValueError):
        raw.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cert", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--decoy", default="https://127.0.0.1:1/", help="where redirects lead")
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    # Packing takes longer than answering should.
    for coding in ("gzip", "deflate", "br"):
        if any(f"bomb-{coding}" in name or name.endswith("-bomb") for name in options.names):
            bomb(coding)
    for name in options.names:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.cert, options.key)
        context.set_alpn_protocols(["h2" if name.startswith("h2:") else "http/1.1"])
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        say("listening", name, listener.getsockname()[1])
        threading.Thread(target=serve, args=(listener, name, options, context), daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    main()
