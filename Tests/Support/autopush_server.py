#!/usr/bin/env python3
"""A push service with user agents, after Mozilla's (autopush), for tests: wsproto does the WebSockets; it shares no code with ours, and misbehaves
on request.

Says what it sees on standard output, one line each; the numbers of connections count from 1:

    listening PORT
    hello CONNECTION known|unknown|new     register CONNECTION STATUS     unregister CONNECTION
    sent CONNECTION NUMBER                 ack CONNECTION CODE NUMBER     ping CONNECTION     pong CONNECTION
    closed CONNECTION CODE                 gone CONNECTION
    push STATUS TTL

`--first TEXT` restricts what follows from other options to connections up to that number (1 by default).
"""

import argparse
import base64
import itertools
import json
import signal
import socket
import ssl
import sys
import threading
import uuid

from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection, CloseConnection, Ping, Pong, RejectConnection, Request, TextMessage)
from wsproto.utilities import LocalProtocolError

parser = argparse.ArgumentParser()
parser.add_argument("--cert")
parser.add_argument("--key")
parser.add_argument("--first", type=int, default=1)
parser.add_argument("--refuse", type=int, help="answer the upgrade with this status")
parser.add_argument("--close-after", type=int, help="close after so many notifications")
parser.add_argument("--code", type=int, default=1011)
parser.add_argument("--reason", default="")
parser.add_argument("--abort", action="store_true", help="close without a Close frame")
parser.add_argument("--mute-after", type=int, help="say nothing after so many notifications, no Pong either")
parser.add_argument("--silent", choices=["hello", "register"], help="never answer this")
parser.add_argument("--register-status", type=int, default=200)
parser.add_argument("--forget-after", type=int, help="forget every user agent after so many notifications; connections stay")
parser.add_argument("--other-origin", action="store_true")
parser.add_argument("--twice", action="store_true", help="send each notification twice")
parser.add_argument("--spoil", action="store_true", help="damage the first notification's body")
parser.add_argument("--fragments", action="store_true", help="send each text in two frames with a Ping between them")
parser.add_argument("--ping", action="store_true", help="send a Ping before each notification")
parser.add_argument("--noise", action="store_true", help="send unknown messages, unknown channels and damaged JSON")
options = parser.parse_args()

lock = threading.RLock()
saying = threading.Lock()
numbers = itertools.count(1)
connections = itertools.count(1)
agents = {}  # uaid: {"kept": [notification], "session": Session or None}
endpoints = {}  # token: (uaid, channel, key)


def say(*words):
    with saying:
        print(*words, flush=True)


class Session:
    def __init__(self, stream, number):
        self.stream = stream
        self.number = number
        self.uaid = None
        self.mute = False
        self.count = 0
        self.socket = WSConnection(ConnectionType.SERVER)

    @property
    def chosen(self):
        return self.number <= options.first

    def put(self, event):
        if not self.mute:
            try:
                self.stream.sendall(self.socket.send(event))
            except (OSError, LocalProtocolError):
                # It is closed or closing; what is kept comes after the next hello.
                pass

    def tell(self, **message):
        text = json.dumps(message)
        if options.fragments:
            half = len(text) // 2
            self.put(TextMessage(text[:half], message_finished=False))
            self.put(Ping(b"between"))
            self.put(TextMessage(text[half:]))
        else:
            self.put(TextMessage(text))

    def notify(self, notification):
        if options.ping:
            self.put(Ping(b"?"))
        if options.noise:
            self.put(TextMessage('{"messageType":"novelty","x":[1]}'))
            self.put(TextMessage('{"messageType":"notification"'))
            self.tell(messageType="broadcast", broadcasts={})
            self.tell(messageType="notification", channelID=str(uuid.uuid4()), version="stray", data="AAAA",
                      headers={"encoding": "aes128gcm"})
        data = notification["data"]
        if options.spoil and notification["number"] == 1:
            data = data[:-4] + ("AAAA" if data[-4:] != "AAAA" else "BBBB")
        say("sent", self.number, notification["number"])
        for _ in range(2 if options.twice else 1):
            self.tell(messageType="notification", channelID=notification["channel"], version=notification["version"],
                      data=data, headers={"encoding": "aes128gcm"})
        self.count += 1
        if not self.chosen:
            return
        if options.close_after == self.count:
            if options.abort:
                self.stream.shutdown(socket.SHUT_RDWR)
            else:
                self.put(CloseConnection(options.code, options.reason or None))
        if options.mute_after == self.count:
            self.mute = True
        if options.forget_after == self.count:
            agents.clear()
            endpoints.clear()

    def hello(self, message):
        known = message.get("uaid")
        say("hello", self.number, "new" if not known else "known" if known in agents else "unknown")
        if options.silent == "hello" and self.chosen:
            return
        self.uaid = known if known in agents else uuid.uuid4().hex
        self.tell(messageType="hello", uaid=self.uaid, status=200, use_webpush=True, broadcasts={})
        agent = agents.get(self.uaid)
        if agent:
            agent["session"] = self
            for notification in list(agent["kept"]):
                self.notify(notification)

    def take(self, text):
        message = json.loads(text)
        kind = message["messageType"]
        if kind == "hello":
            return self.hello(message)
        if kind == "register":
            status = options.register_status if self.chosen else 200
            say("register", self.number, status)
            if options.silent == "register" and self.chosen:
                return
            if status != 200:
                return self.tell(messageType="register", channelID=message["channelID"], status=status, pushEndpoint="no")
            channel = message["channelID"]
            assert str(uuid.UUID(channel)) == channel
            agents.setdefault(self.uaid, {"kept": []})["session"] = self
            token = base64.urlsafe_b64encode(uuid.uuid4().bytes * 4).decode().rstrip("=")
            endpoints[token] = (self.uaid, channel, message.get("key"))
            host = "elsewhere.example.net" if options.other_origin else f"127.0.0.1:{port}"
            return self.tell(messageType="register", channelID=channel, status=200,
                             pushEndpoint=f"https://{host}/wpush/v2/{token}")
        if kind == "unregister":
            say("unregister", self.number)
            return self.tell(messageType="unregister", channelID=message["channelID"], status=200)
        if kind == "ack":
            for update in message["updates"]:
                version = update["version"]
                number = version.rsplit("-", 1)[-1] if "-" in version else 0
                say("ack", self.number, update["code"], number)
                agent = agents.get(self.uaid)
                if agent:
                    agent["kept"] = [kept for kept in agent["kept"] if kept["version"] != version]

    def run(self, head):
        self.socket.receive_data(head)
        text = ""
        data = b" "
        while data:
            with lock:
                for event in self.socket.events():
                    if isinstance(event, Request):
                        if options.refuse and self.chosen:
                            self.put(RejectConnection(status_code=options.refuse))
                            return
                        chosen = "push-notification" if "push-notification" in event.subprotocols else None
                        self.put(AcceptConnection(subprotocol=chosen))
                    elif isinstance(event, TextMessage):
                        text += event.data
                        if event.message_finished:
                            if not self.mute:
                                self.take(text)
                            text = ""
                    elif isinstance(event, Ping):
                        say("ping", self.number)
                        self.put(event.response())
                    elif isinstance(event, Pong):
                        say("pong", self.number)
                    elif isinstance(event, CloseConnection):
                        say("closed", self.number, event.code)
                        if self.socket.state.name == "REMOTE_CLOSING":
                            self.put(event.response())
                        return
            try:
                data = self.stream.recv(65536)
            except OSError:
                return
            with lock:
                self.socket.receive_data(data or None)


def push(path, headers, body):
    token = path.rsplit("/", 1)[-1]
    with lock:
        if token not in endpoints:
            return 410, {"code": 410, "errno": 106, "error": "Gone"}
        uaid, channel, key = endpoints[token]
        if key and f"k={key}" not in headers.get("authorization", ""):
            return 401, {"code": 401, "errno": 109, "error": "Unauthorized"}
        number = next(numbers)
        notification = {"number": number, "channel": channel, "version": f"v{uuid.uuid4().hex}-{number}",
                        "data": base64.urlsafe_b64encode(body).decode().rstrip("=")}
        agent = agents[uaid]
        if int(headers.get("ttl", "0")) > 0:
            agent["kept"].append(notification)
        if agent.get("session"):
            agent["session"].notify(notification)
        return 201, {}


def post(stream, data):
    while True:
        while b"\r\n\r\n" not in data:
            more = stream.recv(65536)
            if not more:
                return
            data += more
        head, data = data.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
        length = int(headers.get("content-length", "0"))
        while len(data) < length:
            data += stream.recv(65536)
        body, data = data[:length], data[length:]
        status, answer = push(lines[0].split()[1], headers, body)
        say("push", status, headers.get("ttl", "-"))
        text = json.dumps(answer).encode() if answer else b""
        stream.sendall(
            f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(text)}\r\n\r\n".encode() + text)


def serve(raw):
    try:
        stream = context.wrap_socket(raw, server_side=True)
        data = b""
        while b"\r\n\r\n" not in data:
            more = stream.recv(65536)
            if not more:
                return
            data += more
        if b"upgrade: websocket" not in data.lower():
            return post(stream, data)
        session = Session(stream, next(connections))
        session.run(data)
        say("gone", session.number)
        with lock:
            for agent in agents.values():
                if agent.get("session") is session:
                    agent["session"] = None
        stream.close()
    except OSError:
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(options.cert, options.key)
context.set_alpn_protocols(["http/1.1"])
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
say("listening", port)
while True:
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
