#!/usr/bin/env python3
"""Sends notifications with aioapns, a client written against the real service, to a loopback service on this host.

usage: apns_client.py PORT CREDENTIALS_DIR COUNT

Prints how many of COUNT alerts were answered 200, then status and reason of one signed with another key, of one to a
bad device token and of one with a bad topic.
"""

import asyncio
import ssl
import sys
import uuid

import aioapns.connection
from aioapns import APNs, NotificationRequest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

TOKEN = "70757368" * 8


async def main():
    port, directory, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    protocol = aioapns.connection.APNsProductionClientProtocol
    protocol.APNS_SERVER, protocol.APNS_PORT = "127.0.0.1", port
    context = ssl.create_default_context(cafile=f"{directory}/ca.pem")
    context.set_alpn_protocols(["h2"])
    key = open(f"{directory}/AuthKey_LOOPBACK01.p8").read()
    client = APNs(key=key, key_id="LOOPBACK01", team_id="PUSHSCOPE1", topic="com.example.app", ssl_context=context,
                  max_connections=1)

    async def send(token=TOKEN, **more):
        request = NotificationRequest(device_token=token, message={"aps": {"alert": "hello"}},
                                      notification_id=str(uuid.uuid4()), time_to_live=0, priority=10, **more)
        return await client.send_notification(request)

    results = [await send()] + await asyncio.gather(*(send() for _ in range(count - 1)))
    print(sum(result.status == "200" for result in results), count)
    # A key that the service has never seen.
    other = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    stranger = APNs(key=other, key_id="LOOPBACK01", team_id="PUSHSCOPE1", topic="com.example.app",
                    ssl_context=context, max_connections=1)
    result = await stranger.send_notification(
        NotificationRequest(device_token=TOKEN, message={"aps": {}}, notification_id=str(uuid.uuid4())))
    print(result.status, result.description)
    stranger.pool.close()
    for bad in (await send(token="xyz"), await send(apns_topic="no such topic")):
        print(bad.status, bad.description)
    client.pool.close()


asyncio.run(main())
