#!/usr/bin/env python3
"""Talks to a loopback service on this host with other people's code: google-auth and firebase-admin for FCM, http-ece and
py-vapid for Web Push. Nothing here knows how ours signs, encrypts or verifies.

usage: dialect_client.py fcm     CREDENTIALS_DIR COUNT
       dialect_client.py webpush CREDENTIALS_DIR COUNT SUBSCRIPTION_FILE

Prints one JSON object for each answer: {"status": …, "headers": {…}, "body": …}, for FCM by firebase-admin
{"name": …} or {"error": …, "code": …}.
"""

import base64
import json
import os
import sys
import time
import urllib.parse

import requests


def say(**fields):
    print(json.dumps(fields), flush=True)


def answer(response):
    say(status=response.status_code, headers={k.lower(): v for k, v in response.headers.items()}, body=response.text)


def data(number):
    return {"v": "1", "id": f"00000000-0000-8000-8000-{number:012x}", "mac": f"mac-{number}", "at": "1"}


def fcm(directory, count):
    import firebase_admin
    import google.auth.transport.requests
    from firebase_admin import credentials, exceptions, messaging
    from google.oauth2 import service_account

    account = json.load(open(f"{directory}/service-account.json"))
    origin = account["token_uri"].removesuffix("/oauth2/token")
    token = open(f"{directory}/fcm.token").read().strip()

    # google-auth asks for an access token; the request is our own.
    login = service_account.Credentials.from_service_account_file(
        f"{directory}/service-account.json", scopes=["https://www.googleapis.com/auth/firebase.messaging"])
    login.refresh(google.auth.transport.requests.Request())
    say(token=login.token[:4], lifetime=round(login.expiry.timestamp() - time.time() + time.timezone))
    url = f"{origin}/v1/projects/{account['project_id']}/messages:send"
    session = requests.Session()
    for number in range(count):
        answer(session.post(url, headers={"authorization": f"Bearer {login.token}"},
                            json={"message": {"token": token, "data": data(number), "android": {"ttl": "0s"}}}))

    # firebase-admin encodes messages itself and reads the answers.
    messaging._MessagingService.FCM_URL = origin + "/v1/projects/{0}/messages:send"
    firebase_admin.initialize_app(credentials.Certificate(f"{directory}/service-account.json"))
    messages = [
        messaging.Message(token=token, data=data(count), notification=messaging.Notification("title", "body"),
                          android=messaging.AndroidConfig(priority="high", ttl=60, collapse_key="k")),
        messaging.Message(token="x" * 120),
        messaging.Message(token="short"),
        messaging.Message(token=token, data={"blob": "x" * 5000}),
    ]
    for message, dry_run in [(message, False) for message in messages] + [(messages[0], True)]:
        try:
            say(name=messaging.send(message, dry_run=dry_run))
        except exceptions.FirebaseError as error:
            say(error=type(error).__name__, code=error.code)


def webpush(directory, count, subscription_file):
    import http_ece
    from cryptography.hazmat.primitives.asymmetric import ec
    from py_vapid import Vapid02

    subscription = json.load(open(subscription_file))
    unpad = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    endpoint = subscription["endpoint"]
    parts = urllib.parse.urlsplit(endpoint)
    vapid = Vapid02.from_file(f"{directory}/vapid.pem")
    headers = vapid.sign({"aud": f"{parts.scheme}://{parts.netloc}", "sub": "mailto:ops@example.com",
                          "exp": int(time.time()) + 12 * 3600})
    session = requests.Session()
    for number in range(count):
        member = {"v": 1, "id": f"00000000-0000-8000-8000-{number:012x}", "mac": f"mac-{number}", "at": 1}
        body = http_ece.encrypt(json.dumps({"pushscope": member}).encode(),
                                private_key=ec.generate_private_key(ec.SECP256R1()),
                                dh=unpad(subscription["keys"]["p256dh"]),
                                auth_secret=unpad(subscription["keys"]["auth"]), version="aes128gcm")
        answer(session.post(endpoint, data=body, headers={
            **headers, "ttl": "60", "urgency": "high", "topic": "probes", "content-encoding": "aes128gcm"}))


def main():
    # Stands above what a session is told.
    os.environ["REQUESTS_CA_BUNDLE"] = f"{sys.argv[2]}/ca.pem"
    if sys.argv[1] == "fcm":
        fcm(sys.argv[2], int(sys.argv[3]))
    else:
        webpush(sys.argv[2], int(sys.argv[3]), sys.argv[4])


main()
