#!/usr/bin/env python3
"""A server in APNs' shape on hypercorn, for tests: it checks provider tokens with PyJWT, or asks for a client certificate
instead, and shares no code with ours.

Says on standard output, one line each:

    listening PORT
    push TYPE PRIORITY TOPIC BYTES
    refused REASON
"""

import argparse
import asyncio
import json
import re
import signal
import socket
import ssl
import time

import hypercorn.asyncio
import hypercorn.config
import jwt


def say(*words):
    print(*words, flush=True)


class Service:
    def __init__(self, options):
        self.options = options
        self.key = open(options.public_key, "rb").read() if options.public_key else None

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            while True:
                message = await receive()
                await send({"type": message["type"] + ".complete"})
                if message["type"] == "lifespan.shutdown":
                    return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        status, reason = self.judge(scope, headers, body)
        answer = json.dumps({"reason": reason}).encode() if reason else b""
        if reason:
            say("refused", reason)
        else:
            say("push", headers["apns-push-type"], headers["apns-priority"], headers["apns-topic"], len(body))
        lines = [(b"apns-id", headers.get("apns-id", "").encode())]
        await send({"type": "http.response.start", "status": status, "headers": lines})
        await send({"type": "http.response.body", "body": answer})

    def judge(self, scope, headers, body):
        if scope["http_version"] != "2" or scope["method"] != "POST":
            return 405, "MethodNotAllowed"
        if not re.fullmatch(r"/3/device/[0-9a-f]{64}", scope["path"]):
            return 400, "BadDeviceToken"
        if self.key:
            scheme, _, token = headers.get("authorization", "").partition(" ")
            if scheme != "bearer":
                return 403, "MissingProviderToken"
            try:
                claims = jwt.decode(token, self.key, algorithms=["ES256"])
                known = jwt.get_unverified_header(token)["kid"] == "KEYKEYKEY1"
            except jwt.InvalidTokenError:
                return 403, "InvalidProviderToken"
            if not known or claims["iss"] != "TEAMTEAM12":
                return 403, "InvalidProviderToken"
            if not time.time() - 3600 < claims["iat"] <= time.time() + 5:
                return 403, "ExpiredProviderToken"
        elif "authorization" in headers:
            return 400, "TopicDisallowed"
        if not re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", headers.get("apns-id", "")):
            return 400, "BadMessageId"
        if len(body) > 4096:
            return 413, "PayloadTooLarge"
        payload = json.loads(body)
        background = headers.get("apns-push-type") == "background"
        if background and (headers.get("apns-priority") == "10" or "alert" in payload["aps"]):
            return 400, "BadPriority"
        if background != ("content-available" in payload["aps"]):
            return 400, "InvalidPushType"
        return 200, None


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cert", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--public-key", help="PEM that provider tokens are checked with")
    parser.add_argument("--clients", help="PEM of who may show a certificate; without it none is asked for")
    options = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", 0))
    config = hypercorn.config.Config()
    config.bind = [f"fd://{listener.fileno()}"]
    config.accesslog = config.errorlog = None
    config.graceful_timeout = 0
    config.certfile, config.keyfile = options.cert, options.key
    config.alpn_protocols = ["h2"]
    if options.clients:
        config.ca_certs, config.verify_mode = options.clients, ssl.CERT_REQUIRED
    say("listening", listener.getsockname()[1])
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await hypercorn.asyncio.serve(Service(options), config, shutdown_trigger=stop.wait)


if __name__ == "__main__":
    asyncio.run(main())
