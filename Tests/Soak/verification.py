"""What must hold at the end of a soak, asked of the store's file, the engine, the scripts of the services and the program itself."""
import glob
import json
import os
import re
import sqlite3
import time

from evaluation import STATES
from findings import check_findings
from processes import ask
from probes import Metrics
from resources import check_resources
from sandbox import wait_until

SETTLED = STATES[2:]


def tally(installation):
    """The store's counters by state; they stay when retention deletes rows."""
    if not os.path.exists(installation.store):
        return dict.fromkeys(STATES, 0)
    row = installation.query(f"SELECT {', '.join(f'ifnull(sum({state}), 0)' for state in STATES)} FROM tally")[0]
    return dict(zip(STATES, row))


def settled(metrics):
    """What the metrics say settled in each state."""
    correction = "pushscope_notifications_corrections_total"
    return {state: int(metrics.sum(f"pushscope_notifications_{state}_total") + metrics.sum(correction, to=state)
                       - metrics.sum(correction, **{"from": state})) for state in SETTLED}


def stop_run(soak):
    """Stops the run as the dashboard does, and waits until it is closed."""
    connection = sqlite3.connect(soak.installation.store, timeout=20)
    connection.execute("INSERT INTO control (command, at) VALUES ('stop', ?)", (int((soak.installation.clock.now() + 1) * 1e6),))
    connection.commit()
    connection.close()
    wait_until(lambda: soak.installation.query("SELECT count(*) FROM run WHERE ended_at IS NULL")[0][0] == 0, "the run is closed", 60,
               soak.collector.child)
    # Receipts for what is closed may still come.
    time.sleep(2)


def metrics_agree(soak):
    metrics = Metrics(ask("/metrics", 20)[1])
    now, before = tally(soak.installation), soak.tallies[-1]
    expected = {state: now[state] - before[state] for state in SETTLED}
    found = settled(metrics)
    if found != expected:
        soak.problem(f"metrics and rows of the last process: {differences(found, expected)}")
    run = "target_id IN (SELECT id FROM target WHERE run_id = (SELECT max(id) FROM run))"
    sent = soak.installation.query(f"SELECT sum(sent) FROM tally WHERE {run}")[0][0]
    if metrics.sum("pushscope_notifications_sent_total") != sent:
        soak.problem(f"metrics say {metrics.sum('pushscope_notifications_sent_total'):.0f} sent, the rows of the last run {sent}")
    # Of a process that was killed, rows may be newer than its last metrics.
    for index, last in soak.killed:
        if last is None or index + 1 >= len(soak.tallies):
            continue
        rows = sum(soak.tallies[index + 1][state] - soak.tallies[index][state] for state in SETTLED)
        counted = sum(settled(last).values())
        if counted > rows:
            soak.problem(f"process {index + 1}: its metrics counted {counted} that settled before it was killed, its rows are {rows}")


def differences(found, expected):
    return ", ".join(f"{key} {found[key]} and {expected[key]}" for key in expected if found[key] != expected[key])


def verify(soak):
    for check in [check_rows, check_numbers, check_fleet, check_secrets, check_resources, check_findings, check_alerts]:
        try:
            check(soak)
        except Exception as error:
            soak.problem(f"{check.__name__}: {type(error).__name__}: {error}")
    for text in soak.evaluation.lag_problems():
        soak.problem(text)


def check_rows(soak):
    """Integrity, one final state for every plan, no gap, and counters that are the rows' where no row was deleted."""
    query = soak.installation.query
    if (answer := query("PRAGMA integrity_check")[0][0]) != "ok":
        soak.problem(f"integrity_check: {answer}")
    soak.installation.pushscope("store", "check", "--store", soak.installation.store)
    if (rows := query("SELECT state, count(*) FROM sample WHERE state IN (0, 1) GROUP BY 1")):
        soak.problem(f"without a final state: {rows}")
    if (rows := query("SELECT sum(planned), sum(in_flight) FROM tally")[0]) != (0, 0):
        soak.problem(f"counters of planned and in flight: {rows}")
    if (count := query("SELECT count(*) FROM run WHERE end_reason IS NULL")[0][0]):
        soak.problem(f"{count} runs have no end")
    total = " + ".join(STATES)
    targets = query(
        f"SELECT t.id, t.name, t.run_id, (SELECT sum({total}) FROM tally WHERE target_id = t.id),"
        " (SELECT count(*) FROM sample WHERE id BETWEEN t.id << 40 AND ((t.id + 1) << 40) - 1),"
        " (SELECT max(id) & 0xFFFFFFFFFF FROM sample WHERE id BETWEEN t.id << 40 AND ((t.id + 1) << 40) - 1) FROM target t")
    deleted = 0
    for _, name, run, counted, rows, last in targets:
        deleted += counted - rows
        if rows and counted != last:
            soak.problem(f"run {run}, {name}: {counted} counted, but the last number is {last}")
        if rows > counted:
            soak.problem(f"run {run}, {name}: {rows} rows, {counted} counted")
    events = query("SELECT count(*) FROM event WHERE kind = 'pruned'")[0][0]
    soak.facts["notifications"] = f"{sum(row[3] for row in targets)}, of which retention deleted {deleted}, {events} events of it"
    soak.facts["states"] = ", ".join(f"{count} {state}" for state, count in tally(soak.installation).items() if count)
    if deleted == 0 and soak.options.minutes >= 6:
        soak.problem("retention deleted nothing")


def check_numbers(soak):
    """No notification went out twice, but what the peer said it had not processed; what a service saw is a row."""
    seen = {}
    for path in glob.glob(soak.installation.file("script-*-*.jsonl")):
        for line in open(path):
            try:
                entry = json.loads(line)
            except ValueError:
                continue  # of a service that was killed
            if entry.get("entry") == "request" and entry.get("index") is not None and entry.get("id"):
                seen.setdefault(entry["id"].lower(), []).append(entry)
    rows = dict(soak.installation.query(
        "SELECT notification_id, state || ' ' || coalesce(attempt, 0) FROM sample_view WHERE planned_at >= ?",
        time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - 3600 * 24))))
    twice = [entries for entries in seen.values() if sum(entry["answer"] not in UNPROCESSED for entry in entries) > 1]
    if twice:
        soak.problem(f"{len(twice)} notifications were sent twice: {twice[0]}")
    missed = [id for id in seen if rows.get(id, "").startswith("missed")]
    if missed:
        soak.problem(f"{len(missed)} are missed, and a service saw them: {missed[:3]}")
    known = set(rows)
    soak.facts["seen by services"] = f"{len(seen)} notifications, {len(known & set(seen))} of which are still in the store"


UNPROCESSED = {"refuse", "goaway_unprocessed"}


def check_fleet(soak):
    """After all is forwarded, every notification of the store is in the fleet once, with the same figures."""
    if "fleet" in soak.sandbox.skipped:
        return
    installation, fleet = soak.installation, soak.fleet
    said = installation.pushscope(
        "forward", "--once", "--store", installation.store, "--config", installation.configuration, timeout=300)
    soak.facts["forwarded at the end"] = said.strip().splitlines()[-1][-120:]
    total = " + ".join(STATES)
    local = {(run, target): count for run, target, count in installation.query(
        f"SELECT r.uuid, t.name, sum({total}) FROM tally JOIN target t ON t.id = target_id"
        " JOIN run r ON r.id = t.run_id GROUP BY 1, 2")}
    remote = {(run, target): (int(count), int(last)) for run, target, count, last in fleet.ask(
        "SELECT run, target, count(), max(sequence) FROM pushscope.sample_view GROUP BY 1, 2")}
    for key, count in local.items():
        if count and remote.get(key) != (count, count):
            soak.problem(f"fleet, {key}: counted {count}, there {remote.get(key)}")
    for key in set(remote) - set(local):
        soak.problem(f"fleet, {key}: the store knows nothing of it")
    figures = ("count(*), sum(sequence), sum(coalesce(service_us, 0)), sum(coalesce(accept_us, 0)), sum(coalesce(delivery_us, 0)),"
               " sum(coalesce(schedule_lag_us, 0)), sum(duplicates)")
    # Retention deletes whole hours; what is younger than the oldest that is left in a run must be the same.
    for run, first, last in installation.query("SELECT run, min(planned_at), max(planned_at) FROM sample_view GROUP BY run"):
        condition = f"run = '{run}' GROUP BY state, target ORDER BY state, target"
        sql = f"SELECT state, target, {figures} FROM {{}}sample_view WHERE {condition}"
        here = [list(map(str, row)) for row in installation.query(sql.format(""))]
        counted = sum(count for (uuid, _), count in local.items() if uuid == run)
        if counted != sum(int(row[2]) for row in here):
            continue  # some hours of it are gone here
        there = fleet.ask(sql.format("pushscope."))
        if here != there:
            soak.problem(f"fleet, run {run}: {[row for row in there if row not in here][:2]} there,"
                         f" {[row for row in here if row not in there][:2]} here")
    marks = dict(installation.query("SELECT subject, pruned_to FROM retention"))
    for table, kind in [("event", "events"), ("log", "log")]:
        # Retention does not delete from the fleet.
        mark = marks.get(kind, 0)
        here = installation.query(f"SELECT count(*), ifnull(sum(revision), 0) FROM {table} WHERE at >= ?", mark)[0]
        there = tuple(int(value) for value in fleet.ask(
            f"SELECT count(), sum(revision) FROM pushscope.{table} FINAL WHERE toUnixTimestamp64Micro(at) >= {mark}")[0])
        if here != there:
            soak.problem(f"fleet, {table}: {there} there, {here} here")


def secrets(soak):
    """Every secret that a file of the soak has, by where it is from."""
    installation = soak.installation
    found = {"header": "Soak5ecretHeaderValue", "receipts.secret": installation.read(installation.file("receipts.secret"))}
    for service in soak.services:
        for path in glob.glob(installation.file(service, "*")):
            name, text = os.path.basename(path), installation.read(path) or ""
            if name.endswith((".token", ".password", ".secret")):
                found[f"{service}/{name}"] = text
            elif name.endswith((".p8", ".key")) or name == "vapid.pem":
                for number, line in enumerate(line for line in text.splitlines() if len(line) > 40 and "-" not in line[:5]):
                    found[f"{service}/{name} {number}"] = line
            elif name == "service-account.json":
                key = json.loads(text)["private_key"].splitlines()
                found[f"{service}/{name}"] = key[len(key) // 2]
            elif name.startswith("subscription") and name.endswith(".json"):
                subscription = json.loads(text)
                found[f"{service}/{name} endpoint"] = subscription["endpoint"].rsplit("/", 1)[1]
                found[f"{service}/{name} auth"] = subscription["keys"]["auth"]
    return {name: text for name, text in found.items() if text and len(text) >= 8}


# A JSON Web Token, and what follows "bearer".
TOKEN = re.compile(rb"eyJ[A-Za-z0-9_-]{10,}\.eyJ|[Bb]earer [A-Za-z0-9._~+/-]{12,}")


def check_secrets(soak):
    installation = soak.installation
    store = ["--store", installation.store]
    places = {}
    for name in ["pushscope.sqlite", "pushscope.sqlite-wal"]:
        path = os.path.join(soak.sandbox.store_folder, name)
        if os.path.exists(path):
            places[name] = open(path, "rb").read()
    for name in ["collector.log", "metrics.txt", "alerts.jsonl", "small.out", "large.out", "samples.csv"]:
        if os.path.exists(installation.file(name)):
            places[name] = open(installation.file(name), "rb").read()
    for table in ["event", "log", "run", "target", "finding", "former_target"]:
        if "fleet" in soak.sandbox.skipped:
            break
        try:
            rows = soak.fleet.ask(f"SELECT * FROM pushscope.{table}")
            places[f"fleet {table}"] = "\n".join("\t".join(row) for row in rows).encode()
        except OSError:
            pass  # a table that only the store has
    html = installation.file("report.html")
    for arguments in [["report", "--since", "-30m", "--output", html], ["summary", "--since", "-30m"], ["status"], ["findings"],
                      ["export", "log", "--since", "-30m"], ["export", "events", "--since", "-30m"]]:
        places[" ".join(arguments[:2])] = installation.pushscope(*arguments, *store, check=False).encode()
    if os.path.exists(html):
        places["report.html"] = open(html, "rb").read()
    known = secrets(soak)
    for place, data in places.items():
        for name, text in known.items():
            if text.encode() in data:
                soak.problem(f"secret: {name} is in {place}")
        if found := TOKEN.search(data):
            soak.problem(f"secret: {place} has what looks like a token: {found[0][:12]}…")
    soak.facts["secrets"] = f"{len(known)} looked for in {len(places)} places of {sum(map(len, places.values())) >> 20} MB"


def check_alerts(soak):
    """Each message is JSON in the shape of Alertmanager's webhooks."""
    path = soak.installation.file("alerts.jsonl")
    messages = [json.loads(line) for line in open(path) if line.strip()] if os.path.exists(path) else []
    names = [alert["labels"]["alertname"] for message in messages for alert in message["alerts"]]
    soak.facts["alerts told"] = ", ".join(f"{names.count(name)} {name}" for name in sorted(set(names))) or "none"
