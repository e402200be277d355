#!/usr/bin/env python3
"""How long after its commit a row can be read from the engine, with a collector that forwards."""

import os
import sqlite3
import threading
import time

from engine import Installation, ask, front, quantile, section

SECONDS = int(os.environ.get("SECONDS_EACH", "20"))
RATE = int(os.environ.get("RATE", "100"))


def watch(look, seen, stopped):
    """Notes when a growing number was first seen."""
    last = 0
    while not stopped.is_set():
        value = look()
        if value > last:
            seen.append((time.monotonic(), value))
            last = value
        time.sleep(0.01)


with front() as (port, _), Installation(RATE, ["receipt_deadline: 2s"]) as installation:
    installation.add(section(port))
    service = installation.loopback("answers: { delay: 1ms }\ndeliveries: { delay: 5ms }\n", script=False)
    installation.fleet("setup", "--no-users")
    collector = installation.collect(log=True)
    installation.wait_for_log("sending to", within=30)
    database = sqlite3.connect(f"file:{installation.store}?mode=ro", uri=True, check_same_thread=False)
    # The newest that is settled: plans are not forwarded.
    local = "SELECT ifnull(max(revision), 0) FROM sample WHERE state <> 0"
    committed, readable, stopped = [], [], threading.Event()
    threads = [
        threading.Thread(target=watch, args=(lambda: database.execute(local).fetchone()[0], committed, stopped)),
        threading.Thread(target=watch, args=(
            lambda: int(ask(port, "SELECT max(revision) FROM pushscope.sample")[0][0]), readable, stopped)),
    ]
    for thread in threads:
        thread.start()
    time.sleep(SECONDS)
    stopped.set()
    for thread in threads:
        thread.join()
    installation.stop(collector)
    delays = []
    place = 0
    for at, revision in committed:
        while place < len(readable) and readable[place][1] < revision:
            place += 1
        if place < len(readable):
            delays.append(1000 * (readable[place][0] - at))
    print(f"  from commit to readable at {RATE}/s: p50 {quantile(delays, 0.5):.0f}, p99 {quantile(delays, 0.99):.0f}, longest"
          f" {max(delays):.0f} ms, of {len(delays)} commits (looked for every 10 ms; rows are collected for a second)")
