"""Records the stores whose pictures `scripts/pictures` makes.

    python3 scripts/recordings.py PATH/TO/pushscope DIRECTORY

Each store has one run against the loopback service: `outage` (nothing arrives for 15 s, 2 % are lost otherwise), `targets` (220/s
of five targets), `dense` (5 000/s), and `days`, a run of some minutes whose times are stretched to ten days.
"""

import os
import socket
import sqlite3
import subprocess
import sys

BINARY = os.path.abspath(sys.argv[1])
DIRECTORY = os.path.abspath(sys.argv[2])

DELAYS = """answers: { delay: { distribution: lognormal, median: 5ms, sigma: 0.4 } }
deliveries: { delay: { distribution: lognormal, median: 180ms, sigma: 0.45 }, lost: %s }
"""
OUTAGE = DELAYS % "2%" + """episodes:
  - { name: outage, from: 60s, for: 15s, deliveries: { lost: 100% } }
"""
# Each dialect is slow in its own way.
DIALECTS = DELAYS % "0.2%" + "".join(
    f"{name}:\n  deliveries: {{ delay: {{ distribution: lognormal, median: {median}, sigma: {sigma} }} }}\n"
    for name, median, sigma in [
        ("apns", "140ms", 0.3), ("fcm", "420ms", 0.4), ("webpush", "800ms", 0.5), ("ntfy", "60ms", 0.35)])
DAYS = DELAYS % "0.5%" + """episodes:
  - { name: slow, from: 8s, for: 4s, every: 18s, deliveries: { delay: { distribution: lognormal, median: 700ms, sigma: 0.5 } } }
  - { name: outage, from: 101s, for: 2s, deliveries: { lost: 100% } }
"""
TEN_DAYS = 10 * 86_400


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Recording:
    """A loopback service and a collector with a store of their own."""

    def __init__(self, name, scenario, rate, seconds, dialects=False):
        self.store = os.path.join(DIRECTORY, f"{name}.sqlite")
        self.directory = os.path.join(DIRECTORY, name)
        os.makedirs(self.directory)
        self.write("scenario.yaml", scenario)
        self.write("receipts.secret", "0123456789abcdef0123456789abcdef\n", 0o600)
        port, receipts = free_port(), free_port()
        self.service = subprocess.Popen(
            [BINARY, "loopback", "--port", str(port), "--credentials", self.path("loopback"), "--receipts",
             f"https://127.0.0.1:{receipts}", "--scenario", self.path("scenario.yaml")],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while "https://" not in self.service.stdout.readline():
            if self.service.poll() is not None:
                sys.exit(f"recordings: the loopback service of {name} has ended")
        target = (
            f"  - name: loopback\n    provider: loopback\n    endpoint: https://127.0.0.1:{port}\n"
            "    ca_file: loopback/ca.pem\n    receipt_deadline: 6s\n")
        configuration = (
            f"collector:\n  receipts: {{ listen: 127.0.0.1:{receipts}, certificate_file: loopback/server.pem,"
            " key_file: loopback/server.key, secret_file: receipts.secret }\ntargets:\n") + target
        if dialects:
            with open(self.path("loopback", "loopback.yaml")) as file:
                text = file.read()
            # The same targets, with the listener of this recording.
            targets = text[text.index("targets:") + len("targets:\n"):]
            configuration += targets.replace("_file: ", "_file: loopback/").replace("loopback//", "/")
        self.write("pushscope.yaml", configuration)
        self.collector = subprocess.Popen(
            [BINARY, "collect", "--config", self.path("pushscope.yaml"), "--store", self.store, "--run-name", name,
             "--rate", f"{rate}/s", "--duration", f"{seconds}s", "--allow-above-provider-limit"],
            stdout=subprocess.DEVNULL, stderr=open(self.path("collector.log"), "w"))

    def path(self, *names):
        return os.path.join(self.directory, *names)

    def write(self, name, text, mode=0o644):
        with open(os.open(self.path(name), os.O_CREAT | os.O_WRONLY, mode), "w") as file:
            file.write(text)

    def wait(self):
        status = self.collector.wait()
        self.service.terminate()
        self.service.wait()
        if status != 0:
            sys.exit(f"recordings: {self.store}: see {self.path('collector.log')}")


def stretch(store, length):
    """Makes a run as long as this (s): later by the same factor, latencies as they are."""
    with sqlite3.connect(store) as db:
        (run, start), = db.execute("SELECT id, started_at FROM run")
        end, = db.execute("SELECT max(planned_at) FROM sample").fetchone()
        factor = length * 1_000_000 / (end - start)
        moved = f"CAST({start} + ({{0}} - {start}) * {factor} AS INTEGER) - {length} * 1000000"
        for table, column in [
            ("sample", "planned_at"), ("event", "at"), ("log", "at"), ("run", "started_at"), ("run", "ended_at"),
        ]:
            db.execute(f"UPDATE {table} SET {column} = {moved.format(column)}")
        db.execute("UPDATE target SET asked_rate = asked_rate / ?", (factor,))
        db.execute("DELETE FROM rollup")
        db.execute("UPDATE rollup_mark SET covered_to = 0")


def main():
    os.makedirs(DIRECTORY, exist_ok=True)
    slow = [Recording("days", DAYS, 60, 180), Recording("outage", OUTAGE, 20, 115)]
    Recording("targets", DIALECTS, 44, 60, dialects=True).wait()
    # Beside the slow ones only: nothing is to hold it up.
    Recording("dense", DELAYS % "0.5%", 5_000, 20).wait()
    for recording in slow:
        recording.wait()
    days = slow[0]
    stretch(days.store, TEN_DAYS)


main()
