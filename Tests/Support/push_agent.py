#!/usr/bin/env python3
"""A user agent of the push service's WebSocket protocol in other people's code: wsproto for frames, http-ece for bodies.

usage: push_agent.py wss://HOST:PORT CA_FILE IDENTITY_FILE SECONDS [--key PUBLIC_KEY] [--no-ack] [--say JSON]… [--wait SECONDS]

Says hello, with the uaid of IDENTITY_FILE where that exists, and registers one channel, with the application server's key if one is
given. Then it decrypts and acknowledges what comes for so many seconds. `--say` sends a text as it is after the hello; in place
of the hello where the text begins with `!`, so many seconds after the upgrade. Prints one JSON object a line with this host's monotonic time
`at`: hello, subscription, notification, ping, text, closed.
"""

import argparse
import base64
import json
import os
import socket
import ssl
import time
import urllib.parse
import uuid

import http_ece
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Ping, RejectConnection, Request, TextMessage


def say(**fields):
    print(json.dumps({"at": time.monotonic(), **fields}), flush=True)


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("ca_file")
parser.add_argument("identity_file")
parser.add_argument("seconds", type=float)
parser.add_argument("--key")
parser.add_argument("--no-ack", action="store_true")
parser.add_argument("--say", action="append", default=[])
parser.add_argument("--wait", type=float, default=0)
options = parser.parse_args()

try:
    identity = json.load(open(options.identity_file))
except FileNotFoundError:
    identity = {}
place = urllib.parse.urlsplit(options.url)
context = ssl.create_default_context(cafile=options.ca_file)
context.set_alpn_protocols(["http/1.1"])
stream = context.wrap_socket(socket.create_connection((place.hostname, place.port)), server_hostname=place.hostname)
connection = WSConnection(ConnectionType.CLIENT)


def put(event):
    stream.sendall(connection.send(event))


def tell(**message):
    put(TextMessage(json.dumps(message)))


def take(text):
    message = json.loads(text)
    kind = message.get("messageType")
    if kind == "hello":
        say(hello=message["uaid"], status=message["status"], use_webpush=message["use_webpush"])
        if message["uaid"] != identity.get("uaid"):
            private = ec.generate_private_key(ec.SECP256R1())
            identity.clear()
            identity.update(
                uaid=message["uaid"], channel=str(uuid.uuid4()), auth=encoded(os.urandom(16)),
                private=private.private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                    serialization.NoEncryption()).decode())
            fields = {"key": options.key} if options.key else {}
            tell(messageType="register", channelID=identity["channel"], **fields)
        for text in options.say:
            if not text.startswith("!"):
                put(TextMessage(text))
    elif kind == "register":
        key = serialization.load_pem_private_key(identity["private"].encode(), None)
        point = key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        identity["endpoint"] = message["pushEndpoint"]
        if message["channelID"] == identity["channel"] and message["status"] == 200:
            json.dump(identity, open(options.identity_file, "w"))
        say(subscription={
            "endpoint": message["pushEndpoint"], "keys": {"p256dh": encoded(point), "auth": identity["auth"]}},
            status=message["status"])
    elif kind == "notification":
        text = None
        if "data" in message:
            text = http_ece.decrypt(
                decoded(message["data"]),
                private_key=serialization.load_pem_private_key(identity["private"].encode(), None),
                auth_secret=decoded(identity["auth"]), version=message["headers"]["encoding"]).decode()
        say(notification=text, version=message["version"], channel=message["channelID"])
        if not options.no_ack:
            tell(messageType="ack", updates=[
                {"channelID": message["channelID"], "version": message["version"], "code": 100}])
    else:
        say(text=text)


def begin():
    time.sleep(options.wait)
    first = [text[1:] for text in options.say if text.startswith("!")]
    for text in first:
        put(TextMessage(text))
    if not first:
        tell(messageType="hello", uaid=identity.get("uaid", ""), channelIDs=[], use_webpush=True, broadcasts={})


put(Request(host=place.netloc, target=place.path or "/", subprotocols=["push-notification"]))
deadline = time.monotonic() + options.seconds
text = ""
while True:
    stream.settimeout(max(0.001, deadline - time.monotonic()))
    try:
        data = stream.recv(65536)
    except TimeoutError:
        # As a crash would end it, without a Close frame.
        break
    connection.receive_data(data or None)
    closed = False
    for event in connection.events():
        if isinstance(event, AcceptConnection):
            begin()
        elif isinstance(event, RejectConnection):
            say(closed=event.status_code, reason="rejected")
            closed = True
        elif isinstance(event, TextMessage):
            text += event.data
            if event.message_finished:
                take(text)
                text = ""
        elif isinstance(event, Ping):
            say(ping=True)
            put(event.response())
        elif isinstance(event, CloseConnection):
            say(closed=event.code, reason=event.reason)
            closed = True
    if closed or not data:
        if not closed:
            say(closed=1006, reason="")
        break
