#!/usr/bin/env python3
"""A scripted HTTP/2 client on python-h2, for tests: an implementation that shares no code with ours.

usage: h2_client.py PORT CA_FILE < STEPS

STEPS is a JSON array; each step is an object with one key:

    {"request": {"path": …, "method": "POST", "headers": [[name, value], …], "body": text, "body_bytes": n,
                 "length": false, "end": true, "count": 1}}      opens streams; numbers run 1, 3, 5, …
    {"data": {"stream": n, "bytes": n, "end": true}}
    {"reset": {"stream": n, "code": 8}}
    {"ping": count}
    {"hold": true}, {"hold": false}                              sends nothing in between, then all of it at once
    {"break_limit": true}                                        stop respecting the server's stream limit
    {"raw": hex}                                                 bytes straight into the TLS connection
    {"until": {"done": n} | {"max_streams": n} | {"goaway": true} | {"closed": true} | {"idle_ms": n}}

"done" counts answers and resets. What it saw goes to standard output, one JSON object a line. Ends with exit status 1
when an "until" is not fulfilled within 20 s or the server breaks the protocol.
"""

import json
import select
import socket
import ssl
import sys
import time

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings

LIMIT = 20


def say(event, **fields):
    print(json.dumps({"event": event, **{k: v for k, v in fields.items() if v is not None}}), flush=True)


class Client:
    def __init__(self, port, authority):
        context = ssl.create_default_context(cafile=authority)
        context.set_alpn_protocols(["h2"])
        plain = socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
        self.socket = context.wrap_socket(plain, server_hostname="127.0.0.1")
        if self.socket.selected_alpn_protocol() != "h2":
            sys.exit("no h2 by ALPN")
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        self.h2.initiate_connection()
        self.streams = {}
        self.answered = set()
        self.done = 0
        self.max_streams = None
        self.saw_goaway = False
        self.closed = False
        self.holds = False
        self.pinged = 0
        self.flush()

    def flush(self):
        if self.holds:
            return
        data = self.h2.data_to_send()
        if data and not self.closed:
            try:
                self.socket.sendall(data)
            except OSError:
                # What the server said before it stopped listening can still be read.
                pass

    def close(self):
        if not self.closed:
            self.closed = True
            say("closed")

    def wait(self, seconds):
        """Takes what the server sends within the time; False when nothing came."""
        if self.closed:
            return False
        if not self.socket.pending():
            ready, _, _ = select.select([self.socket], [], [], seconds)
            if not ready:
                return False
        try:
            data = self.socket.recv(65536)
        except (ssl.SSLError, OSError):
            data = b""
        if not data:
            self.close()
            return True
        for event in self.h2.receive_data(data):
            self.take(event)
        self.flush()
        return True

    def take(self, event):
        if isinstance(event, h2.events.RemoteSettingsChanged):
            changed = event.changed_settings.get(h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS)
            if changed:
                self.max_streams = changed.new_value
            say("settings", max_streams=changed.new_value if changed else None)
        elif isinstance(event, h2.events.PingAckReceived):
            say("pong", after=round((time.monotonic() - self.pinged) * 1000))
        elif isinstance(event, h2.events.ResponseReceived):
            headers = {n.decode() if isinstance(n, bytes) else n: v.decode() if isinstance(v, bytes) else v
                       for n, v in event.headers}
            self.streams[event.stream_id] = [headers, b""]
        elif isinstance(event, h2.events.DataReceived):
            self.streams[event.stream_id][1] += event.data
            if not self.holds:
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            headers, body = self.streams.pop(event.stream_id)
            self.done += 1
            self.answered.add(event.stream_id)
            say("answer", stream=event.stream_id, status=int(headers.pop(":status")), headers=headers,
                body=body.decode())
        elif isinstance(event, h2.events.StreamReset):
            # After an answer it only says that the rest of the request is not wanted.
            self.done += event.stream_id not in self.answered
            _, part = self.streams.pop(event.stream_id, (None, b""))
            if part:
                say("data", stream=event.stream_id, body=part.decode())
            say("reset", stream=event.stream_id, code=int(event.error_code))
        elif isinstance(event, h2.events.ConnectionTerminated):
            self.saw_goaway = True
            say("goaway", code=int(event.error_code), last_stream=event.last_stream_id,
                debug=event.additional_data.decode() if event.additional_data else None)
            # Streams up to the last one may still be answered; python-h2 takes the connection for closed.
            self.h2.state_machine.state = h2.connection.ConnectionState.CLIENT_OPEN

    def request(self, path, method="POST", headers=(), body="", body_bytes=0, length=True, end=True, count=1):
        data = body.encode() + b"x" * body_bytes
        for _ in range(count):
            stream = self.h2.get_next_available_stream_id()
            fields = [(":method", method), (":scheme", "https"), (":authority", "127.0.0.1"), (":path", path)]
            fields += [tuple(pair) for pair in headers]
            if length and (data or not end):
                fields.append(("content-length", str(len(data))))
            self.h2.send_headers(stream, fields, end_stream=end and not data)
            if data:
                self.data(stream, len(data), end, data)
            self.flush()

    def data(self, stream, bytes, end=True, content=None):
        content = content or b"x" * bytes
        if not content:
            self.h2.send_data(stream, b"", end_stream=end)
            self.flush()
        while content:
            try:
                room = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
                if room == 0:
                    self.flush()
                    if not self.wait(LIMIT):
                        sys.exit("flow control stalled")
                    continue
                chunk, content = content[:room], content[room:]
                self.h2.send_data(stream, chunk, end_stream=end and not content)
            except (h2.exceptions.StreamClosedError, h2.exceptions.ProtocolError):
                return
            self.flush()
            self.wait(0)

    def until(self, done=None, max_streams=None, goaway=None, closed=None, idle_ms=None):
        if idle_ms is not None:
            end = time.monotonic() + idle_ms / 1000
            while time.monotonic() < end and not self.closed:
                self.wait(max(0, end - time.monotonic()))
            return

        def holds():
            return ((done is None or self.done >= done) and (max_streams is None or self.max_streams == max_streams)
                    and (goaway is None or self.saw_goaway) and (closed is None or self.closed))

        end = time.monotonic() + LIMIT
        while not holds():
            left = end - time.monotonic()
            if left <= 0 or self.closed:
                say("failed", message=f"never: done={done} max_streams={max_streams} goaway={goaway} closed={closed}")
                sys.exit(1)
            self.wait(left)

    def step(self, name, value):
        if name == "request":
            self.request(**value)
        elif name == "data":
            self.data(**value)
        elif name == "reset":
            self.h2.reset_stream(value["stream"], value.get("code", 8))
            self.flush()
        elif name == "ping":
            self.pinged = time.monotonic()
            for number in range(value):
                self.h2.ping(number.to_bytes(8, "big"))
            self.flush()
        elif name == "hold":
            self.holds = value
            self.flush()
        elif name == "break_limit":
            self.h2.__class__ = type("Unlimited", (h2.connection.H2Connection,),
                                     {"open_outbound_streams": property(lambda self: -1_000_000)})
        elif name == "raw":
            try:
                self.socket.sendall(bytes.fromhex(value))
            except OSError:
                pass
        elif name == "until":
            self.until(**value)
        else:
            sys.exit(f"unknown step {name}")


def main():
    client = Client(int(sys.argv[1]), sys.argv[2])
    for step in json.load(sys.stdin):
        for name, value in step.items():
            client.step(name, value)


main()
