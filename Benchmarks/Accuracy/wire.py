#!/usr/bin/env python3
"""Service time beside the packets of the same exchange, as they pass on the loopback interface: at 200/s and
1 000/s, over TLS, against the loopback service, nghttpd and python-h2 (capture.py says how packets and streams are told
apart). The n-th request that left over a connection is its n-th stream."""

import os
import signal
import sys
import time

from capture import exchanges
from installation import Installation, quantile, verdict

SECONDS = int(os.environ.get("SECONDS_EACH", "15"))


def measure(name, rate, start, provider="loopback", target=("receipt_deadline: 5s",)):
    with Installation(rate, target, provider) as installation:
        service = start(installation)
        if service is None:
            print(f"  [left out] {name} at {rate}/s: not installed")
            return True
        packets = installation.capture()
        if packets is None:
            print("  [left out] wire")
            return False
        keys = installation.folder / "keys"
        os.environ["SSLKEYLOGFILE"] = str(keys)
        installation.run("--duration", f"{SECONDS}s")
        del os.environ["SSLKEYLOGFILE"]
        time.sleep(0.5)
        packets.send_signal(signal.SIGINT)
        packets.wait()
        installation.stop(service)
        rows = installation.rows(
            "SELECT connection_id, service_us, planned_at + schedule_lag_us, fresh_connection, timestamp_source, schedule_lag_us,"
            " accept_us IS NOT NULL FROM sample WHERE connection_id IS NOT NULL"
            " ORDER BY connection_id, planned_monotonic_us + schedule_lag_us, id")
        streams = exchanges(installation.folder / "wire.pcap", keys, installation.port)
        pairs, place = [], {}
        for row in rows:
            number = place[row[0]] = place.get(row[0], -1) + 1
            connection = sorted(place).index(row[0])
            if connection < len(streams) and row[6] and not row[3]:
                wire = streams[connection].get(2 * number + 1)
                if wire:
                    pairs.append((row, wire[1] - wire[0], wire[0] - row[2] * 1000))
        rows = [row for row in rows if row[6] and not row[3]]
        if not pairs:
            print(f"  [FAILED] {name} at {rate}/s: no stream could be read from the capture")
            return True
        errors = [abs(row[1] - wire / 1000) for row, wire, _ in pairs]
        late = [after / 1000 for _, _, after in pairs]
        sources = {}
        for row in rows:
            word = ["kernel", "callback"][row[4]]
            sources[word] = sources.get(word, 0) + 1
        print(f"{name} at {rate}/s: {len(pairs)} of {len(rows)} exchanges matched by their streams; stamps by source {sources}")
        middle, high = quantile(errors, 0.5), quantile(errors, 0.99)
        verdict(f"|service time - wire|, {name} at {rate}/s",
                f"p50 {middle:.1f} µs, p99 {high:.1f} µs, p99.9 {quantile(errors, 0.999):.1f} µs, max {max(errors):.1f} µs",
                "p50 <= 10 µs, p99 <= 20 µs", middle <= 10 and high <= 20)
        print(f"  request's packet after `sent` (wall clock, anchored): p50 {quantile(late, 0.5):.1f} µs,"
              f" p99 {quantile(late, 0.99):.1f} µs")
        services = [row[1] for row in rows]
        lags = [row[5] for row in rows]
        print(f"  service p50 {quantile(services, 0.5)} µs p99 {quantile(services, 0.99)} µs;"
              f" schedule lag p50 {quantile(lags, 0.5)} µs p99 {quantile(lags, 0.99)} µs")
        return True


STEADY = "answers: { delay: 0s }\ndeliveries: { delay: 1ms }\n"
for rate in (200, 1000):
    if not measure("loopback service", rate, lambda installation: installation.loopback(STEADY, script=False)):
        sys.exit(0)
    measure("nghttpd", rate, lambda installation: installation.nghttpd(), provider="http", target=())
measure("python-h2", 200, lambda installation: installation.python_service("--answer-delay", "constant:0"))
