#!/usr/bin/env python3
"""A Web Push device on a real push service, for tests: starts Prosody with mod_unified_push in a directory of its own,
logs in over XMPP, registers, and acknowledges what is pushed to it once http-ece could decrypt it. Prosody answers the
sender 201 only then. None of it shares code with ours.

    prosody_device.py FOLDER --ports XMPP HTTP [--external URL] [--receipts URL --ca FILE --heard FILE [--device NAME]]

--external URL is where the world finds the service, when a proxy stands before it: subscriptions name it. With --receipts
the device posts a receipt for each notification that it could read, to a collector whose authority is in FILE, and --heard
FILE gets what it heard (receipt_poster.py).

Writes FOLDER/subscription.json, and says on standard output, one line each:

    listening PORT
    push ID
    undecipherable TEXT
"""

import argparse
import base64
import ctypes
import json
import os
import re
import signal
import socket
import subprocess
import time
import xml.etree.ElementTree as tree

import http_ece
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

import receipt_poster

PUSH = "http://gultsch.de/xmpp/drafts/unified-push"
CONFIG = """
daemonize = false
run_as_root = true
pidfile = "{folder}/prosody.pid"
data_path = "{folder}/data"
certificates = "{folder}"
log = {{ warn = "{folder}/prosody.log" }}
modules_enabled = {{ "saslauth", "disco", "http", "unified_push" }}
modules_disabled = {{ "s2s", "tls", "offline" }}
plugin_paths = {{ "{modules}" }}
interfaces = {{ "127.0.0.1" }}
c2s_ports = {{ {xmpp} }}
c2s_require_encryption = false
allow_unencrypted_plain_auth = true
authentication = "internal_plain"
http_ports = {{ {http} }}
http_interfaces = {{ "127.0.0.1" }}
https_ports = {{ }}
http_default_host = "localhost"
http_external_url = "{external}"
unified_push_backend = "storage"
VirtualHost "localhost"
"""


def say(*words):
    print(*words, flush=True)


def b64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Stream:
    """As much XMPP (RFC 6120) as one client needs on a quiet connection."""

    def __init__(self, port):
        self.sock = socket.create_connection(("127.0.0.1", port))
        self.open()

    def open(self):
        self.parser = tree.XMLPullParser(["start", "end"])
        self.depth = 0
        self.send(
            "<?xml version='1.0'?><stream:stream to='localhost' version='1.0' xmlns='jabber:client' "
            "xmlns:stream='http://etherx.jabber.org/streams'>"
        )

    def send(self, text):
        self.sock.sendall(text.encode())

    def stanza(self):
        """The next element below the stream's own."""
        while True:
            for event, element in self.parser.read_events():
                if event == "start":
                    self.depth += 1
                else:
                    self.depth -= 1
                    if self.depth == 1:
                        return element
            data = self.sock.recv(65536)
            if not data:
                raise SystemExit("the stream is over")
            self.parser.feed(data)

    def login(self):
        self.stanza()
        plain = base64.b64encode(b"\0probe\0secret").decode()
        self.send(f"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>{plain}</auth>")
        answer = self.stanza()
        assert answer.tag.endswith("success"), tree.tostring(answer)
        self.open()
        self.stanza()
        self.send("<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>")
        answer = self.stanza()
        assert answer.get("type") == "result", tree.tostring(answer)
        self.send("<presence/>")

    def register(self):
        name = base64.b64encode(b"pushscope".ljust(32, b"\0")).decode()
        self.send(
            f"<iq type='set' id='register' to='localhost'>"
            f"<register xmlns='{PUSH}' application='{name}' instance='{name}'/></iq>"
        )
        while True:
            answer = self.stanza()
            if answer.get("id") == "register":
                assert answer.get("type") == "result", tree.tostring(answer)
                return answer.find(f"{{{PUSH}}}registered").get("endpoint")


def die_with_parent():
    """The kernel ends Prosody when this process is killed (PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def connect(port):
    deadline = time.monotonic() + 20
    while True:
        try:
            return Stream(port)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def service(path):
    """Prosody as `scripts/bootstrap` unpacked it, or the system's."""
    unpacked = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.build/services")
    if path.startswith("/bin/"):
        program = os.path.normpath(unpacked + path)
        return program if os.path.exists(program) else os.path.basename(path)
    folder = os.path.normpath(unpacked + "/root" + path)
    return folder if os.path.exists(folder) else path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--ports", nargs=2, type=int, required=True, help="free ones: for XMPP and for HTTP")
    parser.add_argument("--external", help="where the world finds the service; default: where it listens")
    parser.add_argument("--receipts", help="the collector's receipt listener")
    parser.add_argument("--ca", help="PEM of the listener's authority")
    parser.add_argument("--heard", help="where to write down what was heard")
    parser.add_argument("--device", default="prosody", help="what the device calls itself")
    options = parser.parse_args()
    folder = os.path.abspath(options.folder)
    accounts = os.path.join(folder, "data", "localhost", "accounts")
    os.makedirs(accounts, exist_ok=True)
    with open(os.path.join(accounts, "probe.dat"), "w") as file:
        file.write('return { ["password"] = "secret"; };\n')
    ports = dict(zip(["xmpp", "http"], options.ports))
    config = os.path.join(folder, "prosody.cfg.lua")
    with open(config, "w") as file:
        external = options.external or f"http://127.0.0.1:{ports['http']}/"
        file.write(CONFIG.format(folder=folder, external=external, modules=service("/usr/lib/prosody/modules"), **ports))
    poster = None
    if options.receipts:
        poster = receipt_poster.ReceiptPoster(options.receipts, options.ca, options.device, options.heard)
        poster.start()
    prosody = subprocess.Popen(
        [service("/bin/prosody"), "--config", config, "-F"], stdout=subprocess.DEVNULL, preexec_fn=die_with_parent
    )
    try:
        stream = connect(ports["xmpp"])
        stream.login()
        endpoint = stream.register()
        key = ec.generate_private_key(ec.SECP256R1())
        point = key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        secret = os.urandom(16)
        subscription = {"endpoint": endpoint, "keys": {"p256dh": b64url(point), "auth": b64url(secret)}}
        path = os.path.join(folder, "subscription.json")
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            json.dump(subscription, file)
        say("listening", ports["http"])
        while True:
            stanza = stream.stanza()
            push = stanza.find(f"{{{PUSH}}}push")
            if push is None:
                continue
            reply, to = stanza.get("id"), stanza.get("from")
            try:
                text = http_ece.decrypt(base64.b64decode(push.text), private_key=key, auth_secret=secret)
                member = json.loads(text)["pushscope"]
                if poster:
                    poster.arrived(member)
                say("push", member["id"])
                stream.send(f"<iq type='result' id='{reply}' to='{to}'/>")
            except Exception as error:
                say("undecipherable", re.sub(r"\s+", " ", repr(error)))
                stream.send(
                    f"<iq type='error' id='{reply}' to='{to}'><error type='cancel'>"
                    "<item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
                )
    finally:
        prosody.kill()


if __name__ == "__main__":
    main()
