#!/usr/bin/env python3
"""A device behind nginx's nchan, for tests: listens to a channel's EventSource and posts a receipt for each notification.

    nchan_device.py URL --ca FILE --receipts URL --heard FILE [--device NAME]

URL is the channel's EventSource. Says on standard output, one line each:

    subscribed
    heard ID

--heard FILE gets what was heard and what the collector said of it (receipt_poster.py).
"""

import argparse
import http.client
import json
import ssl
import sys
import urllib.parse

import receipt_poster


def say(*words):
    print(*words, flush=True)


def events(stream):
    """The data of each event, as the HTML standard has them put together (9.2.6)."""
    data = []
    while line := stream.readline():
        field, _, value = line.decode().rstrip("\r\n").partition(":")
        if field == "data":
            data.append(value.removeprefix(" "))
        elif not field and not value and data:
            yield "\n".join(data)
            data = []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--ca", required=True, help="PEM of the authority that the service and the listener have")
    parser.add_argument("--receipts", required=True, help="the collector's receipt listener")
    parser.add_argument("--heard", required=True, help="where to write down what was heard")
    parser.add_argument("--device", default="nchan", help="what the device calls itself")
    options = parser.parse_args()
    address = urllib.parse.urlsplit(options.url)
    connection = http.client.HTTPSConnection(
        address.hostname, address.port, context=ssl.create_default_context(cafile=options.ca)
    )
    connection.request("GET", address.path, headers={"accept": "text/event-stream"})
    stream = connection.getresponse()
    kind = stream.headers.get_content_type()
    if stream.status != 200 or kind != "text/event-stream":
        sys.exit(f"{options.url}: {stream.status} {kind}")
    poster = receipt_poster.ReceiptPoster(options.receipts, options.ca, options.device, options.heard)
    poster.start()
    say("subscribed")
    for event in events(stream):
        member = json.loads(event)["pushscope"]
        poster.arrived(member)
        say("heard", member["id"])
    sys.exit("the stream is over")


if __name__ == "__main__":
    main()
