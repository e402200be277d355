#!/usr/bin/env python3
"""A token endpoint and FCM's send method for tests, checking what they are sent with PyJWT: an implementation that
shares no code with ours.

POST /token                           exchanges an assertion that is right for an access token
POST /v1/projects/ID/messages:send    wants the newest token

Says on standard output, one line each:

    listening PORT
    token N ISSUER
    refused TEXT
    sent TOKEN
"""

import argparse
import http.server
import itertools
import json
import ssl
import sys
import time
import urllib.parse

import jwt

SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
AUDIENCE = "https://oauth2.googleapis.com/token"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"


def say(*words):
    """In one piece: print would let threads' lines run into each other."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    numbers = itertools.count(1)
    failures = 0
    token = None

    def answer(self, status, body, headers=()):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json; charset=UTF-8")
        self.send_header("content-length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/token":
            self.exchange(body)
        elif self.path.endswith("/messages:send"):
            self.send(body)
        else:
            self.answer(404, {"error": "not_found"})

    def exchange(self, body):
        options = self.server.options
        if Handler.failures < options.unavailable:
            Handler.failures += 1
            say("refused unavailable")
            self.answer(503, {"error": "temporarily_unavailable"}, [("retry-after", options.retry_after)])
            return
        form = urllib.parse.parse_qs(body.decode())
        try:
            assert self.headers["content-type"] == "application/x-www-form-urlencoded", "content type"
            assert form["grant_type"] == [GRANT], "grant type"
            with open(options.public_key, "rb") as file:
                key = file.read()
            claims = jwt.decode(form["assertion"][0], key, algorithms=["RS256"], audience=AUDIENCE)
            assert claims["scope"] == SCOPE, "scope"
            assert claims["exp"] - claims["iat"] <= 3600, "lifetime"
            assert abs(claims["iat"] - time.time()) < 300, "issued at"
        except Exception as error:
            say("refused", type(error).__name__, error)
            self.answer(400, {"error": "invalid_grant", "error_description": "Invalid JWT Signature."})
            return
        number = next(Handler.numbers)
        Handler.token = f"ya29.token-{number}"
        say("token", number, claims["iss"])
        self.answer(200, {"access_token": Handler.token, "expires_in": options.lifetime, "token_type": "Bearer"})

    def send(self, body):
        given = self.headers.get("authorization", "")
        message = json.loads(body)["message"]
        if given != f"Bearer {Handler.token}" or not message["data"]["id"]:
            self.answer(401, {"error": {"code": 401, "message": "no", "status": "UNAUTHENTICATED"}})
            return
        say("sent", given.partition(" ")[2])
        self.answer(200, {"name": self.path.split(":")[0].lstrip("/v1") + "/1"})

    def log_message(self, *arguments):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cert", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--public-key", required=True, help="PEM of the key that assertions are signed with")
    parser.add_argument("--lifetime", type=int, default=3599, help="s that a token is said to live")
    parser.add_argument("--unavailable", type=int, default=0, help="refuse so many exchanges with 503 first")
    parser.add_argument("--retry-after", default="1")
    options = parser.parse_args()
    http.server.ThreadingHTTPServer.request_queue_size = 128
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.options = options
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.cert, options.key)
    context.set_alpn_protocols(["http/1.1"])
    server.socket = context.wrap_socket(server.socket, server_side=True)
    say("listening", server.server_address[1])
    server.serve_forever()


if __name__ == "__main__":
    main()
