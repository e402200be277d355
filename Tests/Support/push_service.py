#!/usr/bin/env python3
"""A push service on python-h2 with delays and faults of its own and a device that posts receipts: what runs are held
against that must not be judged by our own code. It takes what the loopback service takes (a JSON body with a `pushscope`
member) and writes down what it did, with its own clock readings.

Fates are drawn from --seed by Python's own generator. Delays: `constant:MS`, `lognormal:MEDIAN_MS:SIGMA`,
`bimodal:SHARE:MEDIAN_MS:SIGMA:MEDIAN_MS:SIGMA` (the share is the second one's), `pareto:MINIMUM_MS:SHAPE`.

--script FILE gets JSON Lines; times are CLOCK_MONOTONIC in ns, each read on the safe side of the event: `arrived` when
the request was complete, `answered` before the answer was handed to the socket, `received` when the device had it.

    {"entry": "request", "index": 1, "id": …, "arrived": …, "due": …, "answered": …, "answer": "accepted" | "rejected" | "reset",
     "delay_ns": …, "receipts": 0 | 1 | 2}
    {"entry": "delivery", "id": …, "received": …}
"""

import argparse
import json
import math
import random
import signal
import sys
import time

import h2.events
import h2_server
import receipt_poster


def delay_of(text):
    """A function that draws a delay in ns."""
    kind, *words = text.split(":")
    numbers = [float(word) for word in words]
    if kind == "constant":
        return lambda rng: int(numbers[0] * 1e6)
    if kind == "lognormal":
        return lambda rng: int(numbers[0] * 1e6 * math.exp(numbers[1] * rng.gauss(0, 1)))
    if kind == "pareto":
        return lambda rng: min(int(numbers[0] * 1e6 * (1 - rng.random()) ** (-1 / numbers[1])), 60 * 10**9)
    if kind == "bimodal":
        share, *parts = numbers

        def draw(rng):
            median, sigma = parts[2:] if rng.random() < share else parts[:2]
            return int(median * 1e6 * math.exp(sigma * rng.gauss(0, 1)))

        return draw
    sys.exit(f"no such delay: {text}")


class Request(h2_server.Connection):
    def __init__(self, server, sock):
        super().__init__(server, sock)
        self.received = {}

    def take(self, event):
        if isinstance(event, h2.events.DataReceived):
            self.received[event.stream_id] = self.received.get(event.stream_id, b"") + event.data
        if isinstance(event, h2.events.StreamEnded):
            self.server.answer(self, event.stream_id)
        else:
            super().take(event)


class PushService(h2_server.Server):
    connection_class = Request

    def __init__(self, options):
        super().__init__(options)
        self.rng = random.Random(options.seed)
        self.answer_delay = delay_of(options.answer_delay)
        self.delivery_delay = delay_of(options.delivery_delay)
        self.freeze = [float(part) * 1e6 for part in options.freeze.split(":")] if options.freeze else None
        self.first = None
        # A line at a time: what is answered is written down before.
        self.script = open(options.script, "w", buffering=1) if options.script else None
        self.device = None
        if options.receipts:
            self.device = receipt_poster.ReceiptPoster(options.receipts, options.ca, options.device, options.heard)
            self.device.start()

    def write(self, **entry):
        if self.script:
            self.script.write(json.dumps(entry) + "\n")

    def comes_at(self, due):
        """When something due comes about: a freeze holds it back to its end."""
        if self.freeze:
            start, length = self.first + self.freeze[0], self.freeze[1]
            if start <= due < start + length:
                return int(start + length)
        return due

    def answer(self, connection, stream):
        arrived = time.monotonic_ns()
        if self.first is None:
            self.first = arrived
        self.requests += 1
        options, rng = self.options, self.rng
        # All are drawn whatever they decide, so that one share does not move the others' fates.
        delay, way, second = self.answer_delay(rng), self.delivery_delay(rng), self.delivery_delay(rng)
        reject, reset, lose, double, hold = (rng.random() for _ in range(5))
        answer = "accepted"
        if reject < options.rejected:
            answer = "rejected"
        elif reset < options.reset:
            answer = "reset"
        body = json.loads(connection.received.pop(stream, b"{}") or b"{}")
        member = body.get("pushscope", {})
        due = self.comes_at(arrived + delay)
        entry = dict(entry="request", index=self.requests, id=member.get("id"), arrived=arrived, due=due, answer=answer)
        entry["delay_ns"] = delay
        entry["receipts"] = 0
        if self.device and answer == "accepted" and lose >= options.lost:
            if hold < options.reordered:
                way += int(options.held_back * 1e6)
            times = [self.comes_at(arrived + way)]
            if double < options.duplicated:
                times.append(max(times[0], self.comes_at(arrived + way + second)))
            entry["receipts"] = len(times)
            for at in times:
                self.at(at, lambda: self.deliver(member))
        self.at(due, lambda: self.respond(connection, stream, entry))

    def at(self, nanoseconds, action):
        self.after((nanoseconds - time.monotonic_ns()) / 1e9, action)

    def respond(self, connection, stream, entry):
        entry["answered"] = time.monotonic_ns()
        self.write(**entry)
        if entry["answer"] == "accepted":
            connection.respond(stream, 200, body=b"")
        elif entry["answer"] == "rejected":
            connection.respond(stream, 410, body=json.dumps({"reason": self.options.reason}).encode())
        elif stream in connection.open and not connection.is_done:
            connection.open.discard(stream)
            connection.h2.reset_stream(stream, 2)
            connection.flush()

    def deliver(self, member):
        received = time.monotonic_ns()
        self.write(entry="delivery", id=member.get("id"), received=received)
        self.device.arrived(member, received)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cert", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--max-streams", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--answer-delay", default="constant:1")
    parser.add_argument("--delivery-delay", default="constant:10")
    parser.add_argument("--freeze", help="FROM_MS:LENGTH_MS since the first request")
    for share in ["rejected", "reset", "lost", "duplicated", "reordered"]:
        parser.add_argument(f"--{share}", type=float, default=0)
    parser.add_argument("--held-back", type=float, default=120, help="ms for those that are reordered")
    parser.add_argument("--receipts", help="the collector's receipt listener")
    parser.add_argument("--ca", help="PEM of the listener's authority")
    parser.add_argument("--reason", default="Unregistered", help="what a rejection says")
    parser.add_argument("--device", default="python", help="what the device calls itself")
    parser.add_argument("--script")
    parser.add_argument("--heard", help="a file for what the device heard and posted (receipt_poster.py)")
    options = argparse.Namespace(**{**vars(h2_server.defaults()), **vars(parser.parse_args())})
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    service = PushService(options)
    try:
        service.run()
    except (KeyboardInterrupt, SystemExit):
        pass
    if service.script:
        service.script.close()


if __name__ == "__main__":
    main()
