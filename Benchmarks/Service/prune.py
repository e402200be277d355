#!/usr/bin/env python3
"""Retention beside a collector at RATE (1 000/s), on a store of ROWS (10 000 000) notifications with their receipts: the longest
commit of the recorder, the rate of the deleting, what a reader waits for, and the file's size before and after.

STORE=FILE takes a store that a former call made and kept there; a copy of it is used."""

import os
import pathlib
import re
import shutil
import statistics
import sys
import threading
import time
import urllib.request

import sqlite3

from service import Installation, quantile, targets, verdict

ROWS = int(os.environ.get("ROWS", "10000000"))
RATE = int(os.environ.get("RATE", "1000"))
SECONDS = int(os.environ.get("SECONDS_EACH", "60"))
KEPT = os.environ.get("STORE")
SCENARIO = "answers: { delay: 1ms }\ndeliveries: { delay: 5ms }\n"

# Two targets at fifty a second, ending three hours ago.
FILL = """
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000;
DELETE FROM rollup; DELETE FROM rollup_mark; DELETE FROM receipt; DELETE FROM sample; DELETE FROM path;
DROP INDEX sample_revision; DROP INDEX sample_planned_at; DROP INDEX receipt_sample;
CREATE TEMP TABLE n (i INTEGER PRIMARY KEY);
INSERT INTO n WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {each}) SELECT i FROM n;
INSERT INTO sample (id, revision, variant_id, planned_at, planned_monotonic_us, state, status, schedule_lag_us, service_us, accept_us,
  delivery_us, delivery_error_us, timestamp_source, connection_id, connection_age_ms, fresh_connection, streams_in_flight, attempt,
  payload_bytes, http_version, peer_ack_us, path_us)
SELECT (t.id << 40) | i, 10000 + i * 2 + t.id, 0, {first} + i * 20000 + t.id * 7000, 5000000 + i * 20000, 3, 200, 60 + i % 40,
  1200 + i % 999, 1260 + i % 40 + i % 999, 40000 + i % 9999, 0, 0, 1, i % 100000, 0, 1 + i % 7, 1, 211, 2, 500 + i % 90, 700 + i % 200
FROM (SELECT id FROM target ORDER BY id LIMIT 2) t CROSS JOIN n;
INSERT INTO receipt (revision, sample_id, device, received_at, arrived_at, same_clock, duplicate, monotonic_ns)
SELECT 30000000 + i * 2 + t.id, (t.id << 40) | i, 'loopback-device', {first} + i * 20000 + 43000, {first} + i * 20000 + 45000, 1, 0,
  5000000000 + i * 20000000 FROM n CROSS JOIN (SELECT id FROM target ORDER BY id LIMIT 2) t;
CREATE INDEX sample_revision ON sample (revision);
CREATE INDEX sample_planned_at ON sample (planned_at);
CREATE INDEX receipt_sample ON receipt (sample_id);
UPDATE meta SET revision = 60000000;
UPDATE tally SET planned = 0, in_flight = 0, accepted = 0, late = 0, lost = 0, rejected = 0, failed = 0, missed = 0, interrupted = 0,
  delivered = {each}, sent = {each}, provider_accepted = {each};
UPDATE run SET started_at = {first}, ended_at = {first} + {each} * 20000;
"""


def fill(path):
    each = ROWS // 2
    first = int(time.time() * 1e6) - 3 * 3_600_000_000 - each * 20_000
    with sqlite3.connect(path, isolation_level=None) as db:
        db.executescript(FILL.format(each=each, first=first))


def metric(text, name):
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if re.match(name + r"[{ ]", line))


def look(path, spans, ends):
    """A reader that looks at another minute of the store again and again, as a screen does."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        newest = db.execute("SELECT max(planned_at) FROM sample").fetchone()[0]
        turn = 0
        while not ends.is_set():
            turn += 1
            begin = time.monotonic()
            start = newest - (turn % 60) * 60_000_000
            db.execute("SELECT count(*), max(delivery_us) FROM sample WHERE planned_at BETWEEN ? AND ?",
                       (start, start + 1_000_000)).fetchone()
            spans.append(time.monotonic() - begin)
            time.sleep(0.03)


with Installation(50, ["receipt_deadline: 5s"]) as installation:
    endpoint = installation.monitor()
    if KEPT and pathlib.Path(KEPT).exists():
        shutil.copy(KEPT, installation.store)
    else:
        installation.rewrite(targets(2, installation.port, "{ arrivals: constant, rate: 1/s }", "5s"))
        service = installation.loopback(SCENARIO, script=False)
        installation.run("--duration", "2s")
        installation.stop(service)
        begin = time.monotonic()
        fill(installation.store)
        print(f"  {ROWS} notifications made in {time.monotonic() - begin:.0f} s", flush=True)
        # Rolled up while nothing else goes on.
        begin = time.monotonic()
        service = installation.loopback(SCENARIO, script=False)
        collector = installation.collect()
        installation.wait_for_rows("SELECT count(*) > 0 AND max(start) >= (SELECT max(planned_at) / 1000000 / 3600 * 3600 - 7200"
                              " FROM sample WHERE id >> 40 <= 2) FROM rollup WHERE span = 3600", within=3600)
        installation.stop(collector)
        installation.stop(service)
        print(f"  rolled up in {time.monotonic() - begin:.0f} s", flush=True)
        if KEPT:
            shutil.copy(installation.store, KEPT)
    # What was just written must not be on its way to the disk while commits are timed.
    os.sync()
    installation.rewrite(targets(20, installation.port, f"{{ arrivals: constant, rate: {RATE / 20:g}/s }}", "5s"))
    service = installation.loopback(SCENARIO, script=False)

    def measure(name):
        collector = installation.collect(log=True)
        installation.wait(f"{endpoint}/-/ready", within=600)
        spans, ends = [], threading.Event()
        reader = threading.Thread(target=look, args=(installation.store, spans, ends))
        reader.start()
        # Old notifications only: what is recorded meanwhile has greater ids.
        old = ("SELECT (SELECT count(*) FROM sample WHERE id < 3 << 40)"
               " + (SELECT count(*) FROM receipt INDEXED BY receipt_sample WHERE sample_id < 3 << 40)")
        begin, before = time.monotonic(), installation.rows(old)[0][0]
        time.sleep(SECONDS)
        left, took = installation.rows(old)[0][0], time.monotonic() - begin
        with urllib.request.urlopen(f"{endpoint}/metrics") as answer:
            text = answer.read().decode()
        ends.set()
        reader.join()
        installation.stop(collector)
        commits, longest, stalls = installation.rows("SELECT commits, longest_commit_us, commit_stalls FROM instrument ORDER BY run_id DESC")[0]
        over = {bound: int(metric(text, "pushscope_commit_seconds_count")
                           - metric(text, rf'pushscope_commit_seconds_bucket{{le="{bound}"}}')) for bound in ("0.02", "0.05", "0.1")}
        lag = installation.rows("SELECT schedule_lag_p99_us FROM instrument ORDER BY run_id DESC")[0][0]
        print(f"  {name}: {commits} commits, longest {longest / 1000:.1f} ms, over 20/50/100 ms:"
              f" {'/'.join(str(count) for count in over.values())}; schedule lag p99 {lag} µs; a reader waits"
              f" {statistics.median(spans) * 1e3:.2f} ms, at p99 {quantile(spans, .99) * 1e3:.2f} ms", flush=True)
        return longest / 1000, (before - left) / took, quantile(spans, 0.99)

    size = installation.store.stat().st_size
    _, _, alone = measure("keeping everything")
    installation.add("retention: { samples: 1h }")
    longest, rate, beside = measure("pruning")
    print(f"  {rate:.0f} rows a second are deleted: notifications, and before them their receipts")
    verdict("the longest commit beside pruning", f"{longest:.1f} ms", "below 100 ms", longest < 100)
    verdict("readers beside pruning", f"p99 {beside * 1e3:.2f} ms", f"as without: {alone * 1e3:.2f} ms, three times at most",
            beside <= 3 * alone + 0.005)
    # To the end, where that is asked for: how small the file becomes.
    if os.environ.get("TO_THE_END"):
        collector = installation.collect(log=True)
        installation.wait_for_log("retention deleted", within=7200)
        installation.stop(collector)
        print(f"  file: {size / 2**20:.0f} MiB before, {installation.store.stat().st_size / 2**20:.0f} MiB after")
    installation.stop(service)
