#!/usr/bin/env python3
"""An HTTP/1.1 server for tests that answers --good requests well, the next --bad as BEHAVIOR says, and later ones well
again. No library in between: the bytes are exactly these.

Says on standard output:

    listening PORT
    request N
"""

import argparse
import functools
import gzip
import itertools
import socket
import struct
import sys
import threading

GOOD = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


def say(*words):
    """In one piece: print would let threads' lines run into each other."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


MOST = 200 * 1024 * 1024


def endless(sock, head, piece):
    """Sends until the client has had enough, with an end."""
    sock.sendall(head)
    for _ in range(MOST // len(piece)):
        sock.sendall(piece)


@functools.cache
def bomb():
    """Less than 64 kB that would unpack to 60 MB."""
    body = gzip.compress(b"\0" * (60 * 1024 * 1024))
    assert len(body) < 64 * 1024
    return body


def misbehave(sock, name):
    """Returns whether the connection may be used again."""
    if name == "endless-headers":
        endless(sock, b"HTTP/1.1 200 OK\r\n", b"x-more: " + b"y" * 500 + b"\r\n")
    elif name == "endless-interim":
        endless(sock, b"", b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n")
    elif name == "bomb":
        head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(bomb())
        sock.sendall(head + bomb())
        return True
    elif name == "not-http":
        sock.sendall(b"\xff\xfe what is this\r\n\r\n" * 10)
    elif name == "negative-length":
        sock.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n")
    elif name == "empty":
        sock.sendall(b"\r\n")
    elif name == "half-headers":
        sock.sendall(b"HTTP/1.1 200 OK\r\ncontent-le")
    elif name == "reset":
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    elif name != "close":
        raise SystemExit(f"unknown behavior {name}")
    return False


def serve(sock, options, numbers):
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    data = b""
    try:
        while True:
            while b"\r\n\r\n" not in data:
                more = sock.recv(65536)
                if not more:
                    return
                data += more
            head, _, data = data.partition(b"\r\n\r\n")
            length = 0
            for line in head.split(b"\r\n"):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            while len(data) < length:
                data += sock.recv(65536)
            data = data[length:]
            number = next(numbers)
            say("request", number)
            if number <= options.good or number > options.good + options.bad:
                sock.sendall(GOOD)
            elif not misbehave(sock, options.behavior):
                return
    except OSError:
        pass
    finally:
        sock.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("behavior")
    parser.add_argument("--good", type=int, default=0)
    parser.add_argument("--bad", type=int, default=1)
    options = parser.parse_args()
    if options.behavior == "bomb":
        # Packing takes longer than answering should.
        bomb()
    listener = socket.create_server(("127.0.0.1", 0))
    say("listening", listener.getsockname()[1])
    numbers = itertools.count(1)
    while True:
        sock, _ = listener.accept()
        threading.Thread(target=serve, args=(sock, options, numbers), daemon=True).start()


if __name__ == "__main__":
    main()
