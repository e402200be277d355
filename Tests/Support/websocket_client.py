#!/usr/bin/env python3
"""A WebSocket client that sends what it is told, valid or not; wsproto writes the valid frames' parts and reads the server's.

usage: websocket_client.py PORT CA_FILE PATH < CASES        CASES: a JSON array; each case is a connection and makes a line of JSON

    {"headers": {"connection": "keep-alive", "upgrade": null}, "method": "GET", "version": "1.1", "frames": [FRAME, …]}

`headers` changes fields of a valid request, null omits one. A FRAME is {"opcode": 1, "text": "…" or "hex": "…", "fin": true, "mask": true,
"rsv": 0}; `rsv` is the three reserved bits as a number, {"raw": "…"} is bytes in hexadecimal. Reads until the server closes, for 10 s at most.

A line: {"status": 101, "version": "13" or null, "texts": […], "pongs": […], "closed": code or null, "reason": "…"}
"""

import base64
import json
import os
import socket
import ssl
import struct
import sys

from wsproto.frame_protocol import FrameProtocol, Opcode


def frame(fields):
    if "raw" in fields:
        return bytes.fromhex(fields["raw"])
    payload = bytes.fromhex(fields["hex"]) if "hex" in fields else fields.get("text", "").encode()
    first = (0x80 if fields.get("fin", True) else 0) | fields.get("rsv", 0) << 4 | fields["opcode"]
    mask = 0x80 if fields.get("mask", True) else 0
    if len(payload) < 126:
        head = struct.pack("!BB", first, mask | len(payload))
    elif len(payload) < 65536:
        head = struct.pack("!BBH", first, mask | 126, len(payload))
    else:
        head = struct.pack("!BBQ", first, mask | 127, len(payload))
    if not mask:
        return head + payload
    key = os.urandom(4)
    return head + key + bytes(byte ^ key[index % 4] for index, byte in enumerate(payload))


def run(case, port, authority, path):
    context = ssl.create_default_context(cafile=authority)
    context.set_alpn_protocols(["http/1.1"])
    stream = context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=10), server_hostname="127.0.0.1")
    headers = {
        "host": "127.0.0.1", "connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13",
        "sec-websocket-key": base64.b64encode(os.urandom(16)).decode()}
    headers.update(case.get("headers", {}))
    lines = [f"{case.get('method', 'GET')} {path} HTTP/{case.get('version', '1.1')}"]
    lines += [f"{name}: {value}" for name, value in headers.items() if value is not None]
    stream.sendall("\r\n".join(lines + ["", ""]).encode())
    data = b""
    while b"\r\n\r\n" not in data:
        received = stream.recv(65536)
        if not received:
            return {"status": None}
        data += received
    head, data = data.split(b"\r\n\r\n", 1)
    fields = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:])
    outcome = {
        "status": int(head.split()[1]), "version": fields.get("sec-websocket-version"), "texts": [], "pongs": [],
        "closed": None, "reason": ""}
    if outcome["status"] != 101:
        return outcome
    for fields in case.get("frames", []):
        try:
            stream.sendall(frame(fields))
        except OSError:
            break
    protocol, text = FrameProtocol(client=True, extensions=[]), ""
    while True:
        protocol.receive_bytes(data)
        for received in protocol.received_frames():
            if received.opcode == Opcode.CLOSE:
                outcome["closed"], outcome["reason"] = received.payload
            elif received.opcode == Opcode.PONG:
                outcome["pongs"].append(bytes(received.payload).hex())
            elif received.opcode == Opcode.TEXT:
                text += received.payload
                if received.message_finished:
                    outcome["texts"].append(text)
                    text = ""
        try:
            data = stream.recv(65536)
        except TimeoutError:
            outcome["reason"] = "the server did not close"
            break
        except OSError:
            break
        if not data:
            break
    return outcome


port, authority, path = sys.argv[1:4]
for case in json.load(sys.stdin):
    print(json.dumps(run(case, int(port), authority, path)), flush=True)
