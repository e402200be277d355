#!/usr/bin/env python3
"""A small publish/subscribe service in ntfy's shape on hypercorn (HTTP/2 over TLS, and 1.1), for tests: it shares no code
with ours, and misbehaves on request.

Says what it sees on standard output, one line each:

    listening PORT
    published ID
    subscribed SINCE
    unsubscribed
"""

import argparse
import asyncio
import base64
import itertools
import json
import random
import signal
import socket
import string
import time

import hypercorn.asyncio
import hypercorn.config


def say(*words):
    print(*words, flush=True)


class Service:
    def __init__(self, options):
        self.options = options
        self.subscribers = []
        self.kept = []
        self.published = 0
        self.streams = itertools.count(1)

    def allowed(self, headers):
        given = headers.get("authorization", "")
        if self.options.token:
            return given == "Bearer " + self.options.token
        if self.options.user:
            return given == "Basic " + base64.b64encode(self.options.user.encode()).decode()
        return True

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            while True:
                message = await receive()
                await send({"type": message["type"] + ".complete"})
                if message["type"] == "lifespan.shutdown":
                    return
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        if not self.allowed(headers):
            await self.answer(send, 403, {"code": 40301, "http": 403, "error": "forbidden"})
            return
        parts = scope["path"].strip("/").split("/")
        if scope["method"] == "GET" and len(parts) == 2 and parts[1] == "json":
            await self.subscribe(scope, receive, send, parts[0])
        elif scope["method"] in ("POST", "PUT") and len(parts) == 1:
            await self.publish(receive, send, parts[0], headers)
        else:
            await self.answer(send, 404, {"code": 40401, "http": 404, "error": "page not found"})

    async def answer(self, send, status, body):
        body = json.dumps(body).encode() + b"\n"
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def event(self, kind, topic, **more):
        name = "".join(random.choices(string.ascii_letters + string.digits, k=12))
        return {"id": name, "time": int(time.time()), "event": kind, "topic": topic, **more}

    async def publish(self, receive, send, topic, headers):
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        event = self.event("message", topic, message=body.decode())
        self.published += 1
        # As the real one does: first to the subscribers, and then the answer.
        line = json.dumps(event).encode() + b"\n"
        if self.options.forge:
            forged = json.loads(event["message"])
            forged["pushscope"]["mac"] = "A" * 43
            line = json.dumps({**event, "message": json.dumps(forged)}).encode() + b"\n" + line
        if self.options.flood:
            line = b"{" + b"x" * self.options.flood + b"\n" + line
        for queue in self.subscribers:
            queue.put_nowait(line)
            if self.options.twice:
                queue.put_nowait(line)
        if headers.get("cache") != "no":
            self.kept.append(event)
        if self.options.drop_after and self.published == self.options.drop_after:
            for queue in self.subscribers:
                queue.put_nowait(None)
        for queue in list(self.subscribers):
            try:
                await asyncio.wait_for(queue.join(), 1)
            except asyncio.TimeoutError:
                pass
        say("published", event["id"])
        await self.answer(send, 200, event)

    async def subscribe(self, scope, receive, send, topic):
        query = scope["query_string"].decode()
        since = query.partition("since=")[2]
        say("subscribed", since or "now")
        number = next(self.streams)
        if number > 1:
            await asyncio.sleep(self.options.late)
        queue = asyncio.Queue()
        self.subscribers.append(queue)
        try:
            await send(
                {
                    "type": "http.response.start",
                    "status": 200,
                    "headers": [(b"content-type", b"application/x-ndjson; charset=utf-8")],
                }
            )
            opening = json.dumps(self.event("open", topic)).encode() + b"\n"
            await send({"type": "http.response.body", "body": opening, "more_body": True})
            for event in self.missed(since):
                line = json.dumps(event).encode() + b"\n"
                await send({"type": "http.response.body", "body": line, "more_body": True})
            gone = asyncio.ensure_future(self.gone(receive))
            while not gone.done():
                waiting = asyncio.ensure_future(queue.get())
                done, _ = await asyncio.wait(
                    {waiting, gone}, timeout=self.options.keepalive, return_when=asyncio.FIRST_COMPLETED
                )
                if waiting not in done:
                    waiting.cancel()
                    if gone.done():
                        break
                    if number <= self.options.mute:
                        continue
                    line = json.dumps(self.event("keepalive", topic)).encode() + b"\n"
                    await send({"type": "http.response.body", "body": line, "more_body": True})
                    continue
                line = waiting.result()
                if line is None:
                    queue.task_done()
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
                    break
                await send({"type": "http.response.body", "body": line, "more_body": True})
                queue.task_done()
        finally:
            self.subscribers.remove(queue)
            while not queue.empty():
                queue.get_nowait()
                queue.task_done()
            say("unsubscribed")

    def missed(self, since):
        ids = [event["id"] for event in self.kept]
        if since in ids:
            return self.kept[ids.index(since) + 1 :]
        if since.isdigit():
            return [event for event in self.kept if event["time"] >= int(since)]
        return []

    async def gone(self, receive):
        while (await receive())["type"] != "http.disconnect":
            pass


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cert")
    parser.add_argument("--key")
    parser.add_argument("--token", help="what a bearer has to show")
    parser.add_argument("--user", help="NAME:PASSWORD")
    parser.add_argument("--keepalive", type=float, default=45, help="s between signs of life")
    parser.add_argument("--mute", type=int, default=0, help="so many streams give no sign of life")
    parser.add_argument("--drop-after", type=int, default=0, help="end the streams once, after so many messages")
    parser.add_argument("--late", type=float, default=0, help="s before a stream opens that is not the first")
    parser.add_argument("--flood", type=int, default=0, help="before each message a line of so many bytes")
    parser.add_argument("--forge", action="store_true", help="before each message one with a wrong MAC")
    parser.add_argument("--twice", action="store_true", help="deliver each message twice")
    options = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", 0))
    config = hypercorn.config.Config()
    config.bind = [f"fd://{listener.fileno()}"]
    config.accesslog = config.errorlog = None
    config.graceful_timeout = 0
    if options.cert:
        config.certfile, config.keyfile = options.cert, options.key
        config.alpn_protocols = ["h2", "http/1.1"]
    say("listening", listener.getsockname()[1])
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await hypercorn.asyncio.serve(Service(options), config, shutdown_trigger=stop.wait)


if __name__ == "__main__":
    asyncio.run(main())
