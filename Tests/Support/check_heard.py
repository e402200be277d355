#!/usr/bin/env python3
"""Holds a run in which everything arrived against what its device wrote down (receipt_poster.py): the store by sqlite3,
`pushscope export samples` and `export receipts` by csv. Nothing of ours in between but these files.

    check_heard.py STORE HEARD SAMPLES.csv RECEIPTS.csv --count N --status N --device NAME [--heard-first]

- N rows, numbered without gaps, each `delivered`, answered with the status over HTTP/2, put onto the wire once;
- what was heard is what was sent, once each; one receipt of that device for each, none twice, all taken by the collector;
- a delivery latency is the device's reading minus the plan, to the microsecond, and exact: the clock is the same one;
- nothing was heard before it was sent; with --heard-first, nothing was accepted before it was heard;
- the CSV files say what the store says.

Exit status 1 and the reasons on stderr when something does not hold.
"""

import argparse
import csv
import json
import sqlite3
import sys

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for name in ["store", "heard", "samples", "receipts"]:
    parser.add_argument(name)
parser.add_argument("--count", type=int, required=True)
parser.add_argument("--status", type=int, required=True)
parser.add_argument("--device", required=True)
parser.add_argument("--heard-first", action="store_true", help="the service answers once the device has it")
options = parser.parse_args()
problems = []


def check(holds, text):
    if not holds and len(problems) < 20:
        problems.append(text)


entries = [json.loads(line) for line in open(options.heard)]
heard = [entry for entry in entries if entry["entry"] == "heard"]
received = {entry["id"]: entry["received"] // 1000 for entry in heard}
check(len(heard) == options.count, f"the device heard {len(heard)}")
check(len(received) == len(heard), "the device heard some twice")
posted = [entry for entry in entries if entry["entry"] == "posted"]
taken = sum(entry["accepted"] for entry in posted)
check(taken == options.count, f"the collector took {taken} receipts")
check(all(entry[word] == 0 for entry in posted for word in ["duplicate", "unknown", "refused"]), f"answers: {posted}")

db = sqlite3.connect(f"file:{options.store}?mode=ro", uri=True)
db.row_factory = sqlite3.Row
check(db.execute("PRAGMA integrity_check").fetchone()[0] == "ok", "integrity_check")
check(db.execute("SELECT count(*) FROM run").fetchone()[0] == 1, "there is one run")
rows = list(
    db.execute(
        "SELECT v.*, s.planned_monotonic_us AS planned FROM sample_view v JOIN target t ON t.name = v.target "
        "JOIN sample s ON s.id = (t.id << 40 | v.sequence) ORDER BY v.sequence"
    )
)
check([row["sequence"] for row in rows] == list(range(1, options.count + 1)), f"{len(rows)} rows, or gaps")
check({row["notification_id"] for row in rows} == set(received), "what was heard is not what was sent")
for row in rows:
    id = row["notification_id"]
    found = {name: row[name] for name in ["state", "status", "http_version", "attempt", "duplicates", "reason"]}
    expected = dict(state="delivered", status=options.status, http_version="2", attempt=1, duplicates=0, reason=None)
    check(found == expected, f"{id}: {found}")
    if found != expected or id not in received:
        continue
    check(row["accept_us"] == row["schedule_lag_us"] + row["service_us"], f"{id}: accept is not lag + service")
    check(row["delivery_error_us"] == 0, f"{id}: the error is {row['delivery_error_us']}")
    check(row["delivery_us"] > row["schedule_lag_us"] >= 0, f"{id}: delivery {row['delivery_us']}")
    late = received[id] - row["planned"] - row["delivery_us"]
    check(late == 0, f"{id}: the device had it {late} µs after what was recorded")
    if options.heard_first:
        check(row["delivery_us"] < row["accept_us"], f"{id}: {row['accept_us']} µs, heard {row['delivery_us']} µs")


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


samples = {row["notification_id"]: row for row in table(options.samples)}
check(len(samples) == options.count, f"{options.samples} has {len(samples)} rows")
for row in rows:
    line = samples.get(row["notification_id"], {})
    for name in ["state", "status", "http_version", "attempt", "duplicates", "accept_us", "delivery_us"]:
        check(line.get(name) == str(row[name]), f"{row['notification_id']}: {name} is {line.get(name)!r} in the CSV")
receipts = table(options.receipts)
check(sorted(row["notification_id"] for row in receipts) == sorted(received), "one receipt each")
for row in receipts:
    found = {name: row[name] for name in ["device", "same_clock", "duplicate"]}
    check(found == dict(device=options.device, same_clock="true", duplicate="false"), f"{row['notification_id']}: {found}")

for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(1 if problems else 0)
