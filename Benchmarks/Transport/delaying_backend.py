#!/usr/bin/env python3
"""An HTTP/1.1 server that answers each request after DELAY ms, for servers of HTTP/2 to stand before:

    delaying_backend.py PORT DELAY"""

import asyncio
import sys

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok\n"


class Exchange(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.unread = transport, b""

    def data_received(self, data):
        self.unread += data
        while True:
            head, mark, rest = self.unread.partition(b"\r\n\r\n")
            if not mark:
                return
            length = 0
            for line in head.split(b"\r\n")[1:]:
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if len(rest) < length:
                return
            self.unread = rest[length:]
            asyncio.get_running_loop().call_later(DELAY, self.answer)

    def answer(self):
        if not self.transport.is_closing():
            self.transport.write(ANSWER)


async def main():
    server = await asyncio.get_running_loop().create_server(Exchange, "127.0.0.1", int(sys.argv[1]), backlog=2048)
    print("listening", flush=True)
    await server.serve_forever()


DELAY = float(sys.argv[2]) / 1000
asyncio.run(main())
