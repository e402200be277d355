#!/usr/bin/env python3
"""Holds a store against what a service wrote down, with nothing of ours in between but the file: sqlite3 and JSON.

    check_run.py STORE SCRIPT [--killed]

SCRIPT is push_service.py's or the loopback service's. Checks what must hold on any machine, however busy:

- every request that the service saw is a row, and every row that was answered is in the script;
- sent <= arrived, and answer handed over <= accepted: the service's own readings lie inside what was measured (but for
  50 µs where packets came so close together that the kernel's stamp may be the one before);
- accept = lag + service in every row, no sequence number is missing, no state is left open;
- the counts per state follow from the script (not with --killed: what was under way then is interrupted);
- a delivery latency on the same clock is the device's reading minus the plan, to the microsecond.

Prints figures as one JSON object; exit status 1 and the reasons on stderr when something does not hold.
"""

import json
import sqlite3
import sys

store, script = sys.argv[1:3]
killed = "--killed" in sys.argv
problems = []


def check(holds, text):
    if not holds and len(problems) < 20:
        problems.append(text)


requests, deliveries = {}, {}
for line in open(script):
    entry = json.loads(line)
    if entry["entry"] == "delivery":
        micros = entry["received"] // 1000 if "received" in entry else entry["received_us"]
        deliveries.setdefault(entry["id"], []).append(micros)
    elif entry.get("index") is not None:
        if "arrived" in entry:
            entry["arrived_us"], entry["due_us"] = entry["arrived"] // 1000, entry["answered"] // 1000
        else:
            # The loopback service notes when the answer was due; it is never handed over before.
            entry["due_us"] = entry["arrived_us"] + entry["answer_after_us"]
            entry["receipts"] = len(entry["deliveries_us"])
            entry["answer"] = {"refused": "rejected"}.get(entry["answer"], entry["answer"])
        requests[entry["id"]] = entry

db = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
db.row_factory = sqlite3.Row
check(db.execute("PRAGMA integrity_check").fetchone()[0] == "ok", "integrity_check")
rows = {}
by_target = {}
for row in db.execute("SELECT v.*, s.planned_monotonic_us AS planned, s.id AS row_id FROM sample_view v "
                      "JOIN run r ON r.uuid = v.run JOIN target t ON t.run_id = r.id AND t.name = v.target "
                      "JOIN sample s ON s.id = (t.id << 40 | v.sequence)"):
    check(row["notification_id"] not in rows, f"{row['notification_id']} is there twice")
    rows[row["notification_id"]] = row
    by_target.setdefault((row["run"], row["target"]), []).append(row["sequence"])
for key, sequences in by_target.items():
    check(sorted(sequences) == list(range(1, len(sequences) + 1)), f"{key}: sequence numbers have gaps")

for id, entry in requests.items():
    row = rows.get(id)
    check(row is not None, f"the service saw {id}, and the store does not know it")
    if row is None:
        continue
    check(row["state"] != "missed", f"{id} is missed, and the service saw it")
    if row["schedule_lag_us"] is not None and row["attempt"] == 1:
        sent = row["planned"] + row["schedule_lag_us"]
        check(sent <= entry["arrived_us"] + 1, f"{id}: sent {sent - entry['arrived_us']} µs after it arrived")
        if row["service_us"] is not None:
            accepted = sent + row["service_us"]
            # The kernel's stamp may be that of a packet up to 50 µs before the answer's own (docs/measurement.md), and on
            # a busy machine the offset between its clock and ours is read with some tens of µs of error.
            slack = 250 if row["timestamp_source"] == "kernel" else 1
            check(accepted >= entry["due_us"] - slack, f"{id}: answered {entry['due_us'] - accepted} µs after it was accepted")

counts = {}
for id, row in rows.items():
    counts[row["state"]] = counts.get(row["state"], 0) + 1
    check(row["state"] not in ("planned", "in_flight"), f"{id} is still {row['state']}")
    if row["accept_us"] is not None:
        check(id in requests, f"{id} was accepted, and the service never saw it")
        check(row["accept_us"] == row["schedule_lag_us"] + row["service_us"], f"{id}: accept is not lag + service")
    if row["state"] in ("delivered", "late"):
        check(id in deliveries, f"{id} was received, and the device never had it")
    if row["delivery_us"] is not None and id in deliveries and row["delivery_error_us"] == 0:
        found = row["planned"] + row["delivery_us"]
        # Receipts are committed in the order in which they came: the first one counts.
        check(found == min(deliveries[id]), f"{id}: received at {min(deliveries[id])}, recorded {found}")

if not killed:
    expected = {}
    receipts = any(entry["receipts"] for entry in requests.values())
    for entry in requests.values():
        if entry["answer"] == "rejected":
            state = "delivered" if entry["receipts"] else "rejected"
        elif entry["answer"] != "accepted":
            state = "delivered" if entry["receipts"] else "failed"
        elif not receipts:
            state = "accepted"
        else:
            state = "delivered" if entry["receipts"] else "lost"
        expected[state] = expected.get(state, 0) + 1
    found = {state: count for state, count in counts.items() if state != "missed"}
    found["delivered"] = found.pop("late", 0) + found.get("delivered", 0)
    if not found["delivered"]:
        del found["delivered"]
    check(found == expected, f"states {found}, by the script {expected}")
    again = sum(max(0, entry["receipts"] - 1) for entry in requests.values())
    check(sum(row["duplicates"] for row in rows.values()) == again, "duplicates do not match the script")


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, max(0, -int(-share * len(values) // 1) - 1))] if values else None


figures = {"rows": len(rows), "requests": len(requests), "states": counts}
for column in ["schedule_lag_us", "service_us", "accept_us", "delivery_us"]:
    values = [row[column] for row in rows.values() if row[column] is not None and row["accept_us"] is not None]
    figures[column] = {f"p{share * 100:g}": quantile(values, share) for share in (0.5, 0.9, 0.99, 0.999)}
print(json.dumps(figures))
for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(1 if problems else 0)
