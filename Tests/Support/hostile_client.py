#!/usr/bin/env python3
"""Many connections to a server over TLS, some of which mean ill, for tests of what a peer may cost.

usage: hostile_client.py PORT CA_FILE < STEPS

STEPS is a JSON array; each step is an object with one key, and makes one line of JSON:

    {"open": {"name": x, "count": 1, "from": "127.0.0.1", "tls": true, "alpn": "http/1.1"}}
                                          connections that say nothing; {"opened": n} of those that were let in
    {"ask": {"name": x, "path": "/"}}     one request each on the connections of that name (HTTP/1.1);
                                          {"statuses": [200, null, …]}, null where there was no answer
    {"flood": {"name": x, "path": "/", "count": n}}
                                          pipelines requests of 1 kB without reading, at most so many on each
                                          connection, until the server takes no more for half a second; {"sent": [n, …]}
    {"read": {"name": x}}                 reads answers until each request of the flood has one or the server closes;
                                          {"answers": [n, …]}
    {"idle": {"name": x, "seconds": s}}   says nothing for so long
    {"closed": {"name": x, "count": n}}   waits until so many of them are closed; {"closed": n}

With "alpn": "h2" a flood is of HEADERS frames on ever new streams. Nothing waits for longer than 20 s.
"""

import json
import select
import socket
import ssl
import sys
import time

LIMIT = 20
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"


class Connection:
    def __init__(self, port, authority, source, tls, alpn):
        self.answers = self.sent = 0
        self.pending = b""
        self.h2 = alpn == "h2"
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT, source_address=(source, 0))
        if tls:
            context = ssl.create_default_context(cafile=authority)
            context.set_alpn_protocols([alpn])
            self.socket = context.wrap_socket(self.socket, server_hostname="127.0.0.1")
        self.socket.setblocking(False)
        self.closed = False
        if self.h2:
            self.write(PREFACE)

    def write(self, data, patience=LIMIT):
        """The number of bytes that the server took."""
        view, done = memoryview(data), 0
        while done < len(data) and not self.closed:
            try:
                done += self.socket.send(view[done:done + 16384])
            except (ssl.SSLWantWriteError, BlockingIOError):
                if not select.select([], [self.socket], [], patience)[1]:
                    break
            except ssl.SSLWantReadError:
                select.select([self.socket], [], [], patience)
            except OSError:
                self.closed = True
        return done

    def read(self, seconds):
        """What there is within the time; marks the connection as closed at its end."""
        end = time.monotonic() + seconds
        while not self.closed:
            try:
                data = self.socket.recv(65536)
                self.closed = not data
                return data
            except (ssl.SSLWantReadError, BlockingIOError):
                if not select.select([self.socket], [], [], max(0, end - time.monotonic()))[0]:
                    return b""
            except OSError:
                self.closed = True
        return b""

    def is_closed(self):
        """Whether the server has closed, without reading what it sent before."""
        poll = select.poll()
        poll.register(self.socket, select.POLLRDHUP)
        if not self.closed and poll.poll(0):
            self.closed = True
        return self.closed

    def next_answer(self, seconds=LIMIT):
        """The status of the next HTTP/1.1 answer, or None."""
        while b"\r\n\r\n" not in self.pending:
            data = self.read(seconds)
            if not data:
                return None
            self.pending += data
        head, self.pending = self.pending.split(b"\r\n\r\n", 1)
        length = 0
        for line in head.split(b"\r\n")[1:]:
            name, value = line.split(b":", 1)
            if name.lower() == b"content-length":
                length = int(value)
        while len(self.pending) < length:
            data = self.read(seconds)
            if not data:
                return None
            self.pending += data
        self.pending = self.pending[length:]
        return int(head.split()[1])

    def request(self, path):
        if not self.h2:
            return f"GET {path} HTTP/1.1\r\nhost: {'x' * 1000}\r\n\r\n".encode()
        stream = 2 * self.sent + 1
        block = b"\x82\x87\x04" + bytes([len(path)]) + path.encode() + b"\x01\x01x"
        return len(block).to_bytes(3, "big") + b"\1\5" + stream.to_bytes(4, "big") + block

    def flood(self, path, count):
        while self.sent < count and not self.closed:
            batch = b""
            while len(batch) < 16000 and self.sent < count:
                batch += self.request(path)
                self.sent += 1
            done = self.write(batch, 0.5)
            if done < len(batch):
                self.rest = batch[done:]
                self.sent -= len(self.rest) // len(self.request(path))
                return
        self.rest = b""

    def read_all(self):
        while self.answers < self.sent:
            if self.rest:
                self.rest = self.rest[self.write(self.rest, 0):]
            if self.next_answer() is None:
                return
            self.answers += 1


def main():
    port, authority = int(sys.argv[1]), sys.argv[2]
    named = {}

    def step(kind, name, **options):
        connections = named.setdefault(name, [])
        if kind == "open":
            for _ in range(options.get("count", 1)):
                try:
                    connections.append(Connection(port, authority, options.get("from", "127.0.0.1"),
                                                  options.get("tls", True), options.get("alpn", "http/1.1")))
                except OSError:
                    pass
            return {"opened": len(connections)}
        if kind == "ask":
            statuses = []
            for connection in connections:
                connection.write(connection.request(options["path"]))
                statuses.append(connection.next_answer())
            return {"statuses": statuses}
        if kind == "flood":
            for connection in connections:
                connection.flood(options["path"], options["count"])
            return {"sent": [connection.sent for connection in connections]}
        if kind == "read":
            for connection in connections:
                connection.read_all()
            return {"answers": [connection.answers for connection in connections]}
        if kind == "idle":
            for connection in connections:
                connection.read(options["seconds"])
            return {}
        end = time.monotonic() + LIMIT
        while sum(c.is_closed() for c in connections) < options["count"] and time.monotonic() < end:
            time.sleep(0.01)
        return {"closed": sum(c.is_closed() for c in connections)}

    for line in json.load(sys.stdin):
        for kind, options in line.items():
            print(json.dumps(step(kind, **options)), flush=True)


main()
