#!/usr/bin/env python3
"""Requests a second through one TLS connection to nghttpd, and CPU a request: the transport alone (DRIVER), the whole collector
with every sample stored (PUSHSCOPE), a bare curl_multi_poll loop (PEER) and h2load, in turns, at 10, 100 and 1 000 streams.

    throughput.py [REQUESTS [ROUNDS]]"""

import os
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Accuracy"))

from installation import Installation, verdict  # noqa: E402

REQUESTS = int(sys.argv[1]) if len(sys.argv) > 1 else 60000
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
STREAMS = [int(count) for count in os.environ.get("STREAMS", "10 100 1000").split()]
BYTES = 200
# What the collector is asked for: the most that a target may be. A machine that stands still makes it miss some.
ASKED = int(os.environ.get("ASKED", "100000"))
DRIVER, PEER, PUSHSCOPE = os.environ["DRIVER"], os.environ["PEER"], os.environ["PUSHSCOPE"]


def run(words, pattern):
    """The rate that a program prints, and its CPU µs a request."""
    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    found = re.search(pattern, text)
    if process.returncode or not found:
        sys.exit(f"{words[0]} failed: {text}")
    return float(found[1]), (usage.ru_utime + usage.ru_stime) / REQUESTS * 1e6


def stored(installation, streams):
    """The collector: from its first answer to its last, as the others count."""
    for path in installation.folder.glob("store.sqlite*"):
        path.unlink()
    collector = installation.collect("--count", str(REQUESTS))
    text = collector.stderr.read()
    _, status, usage = os.wait4(collector.pid, 0)
    collector.returncode = os.waitstatus_to_exitcode(status)
    if collector.returncode:
        sys.exit(f"the collector failed: {text}")
    count, first, last = installation.rows(
        "SELECT count(*), min(at), max(at) FROM (SELECT planned_monotonic_us + schedule_lag_us + service_us AS at FROM sample"
        " WHERE service_us IS NOT NULL)")[0]
    if count < REQUESTS * 0.99:
        print(f"  {count} of {REQUESTS} were answered, the rest was missed: the machine stood still")
    return (count - 1) / max(1e-6, (last - first) / 1e6), (usage.ru_utime + usage.ru_stime) / max(1, count) * 1e6


def measure(streams):
    # What waits for a stream waits in the collector's queue: its rate is the server's.
    target = ("max_in_flight: 100000", "max_lag: 1h", "timeout: 60s", "body_file: body")
    with Installation(ASKED, target, "http") as installation:
        service = installation.nghttpd(streams)
        if service is None:
            sys.exit("nghttpd is not installed")
        url, authority = f"https://127.0.0.1:{installation.port}/", installation.credentials / "ca.pem"
        body = installation.folder / "body"
        body.write_text("x" * BYTES)
        clients = {
            "h2load": lambda: run(["h2load", "-n", REQUESTS, "-c", 1, "-m", streams, "-d", body, url], r"finished in .*, ([\d.]+) req/s"),
            "bare libcurl": lambda: run([PEER, url, authority, REQUESTS, streams, BYTES], r"([\d.]+)/s"),
            "transport": lambda: run([DRIVER, "throughput", url, authority, REQUESTS, streams, BYTES], r"(\d+)/s"),
            "collector": lambda: stored(installation, streams),
        }
        results = {name: [] for name in clients}
        for _ in range(ROUNDS):
            for name, client in clients.items():
                results[name].append(client())
        installation.stop(service)
    ours = {name: [statistics.median(each[i] for each in all) for i in (0, 1)] for name, all in results.items()}
    reference = ours["h2load"][0]
    print(f"{streams} streams, medians of {ROUNDS} rounds of {REQUESTS} POSTs of {BYTES} bytes:")
    for name, (rate, cost) in ours.items():
        print(f"  {name:<13} {rate:8.0f}/s  {rate / reference:5.2f} of h2load  {cost:6.2f} µs of CPU a request", flush=True)
    for name, aim in (("transport", 0.8), ("collector", 0.5)):
        share = ours[name][0] / reference
        words = f"{share:.2f} of h2load"
        # It cannot send more than it is asked for.
        has_all = name == "collector" and ours[name][0] >= 0.99 * ASKED
        if has_all:
            words += f", all of the {ASKED}/s that it was asked for"
        verdict(f"{name} at {streams} streams", words, f">= {aim}", share >= aim or has_all)


for each in STREAMS:
    measure(each)
