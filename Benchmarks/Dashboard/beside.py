"""What an open dashboard costs the collector: the same run with and without one, in turn.

    python3 Benchmarks/Dashboard/beside.py PATH/TO/pushscope [ROUNDS [SECONDS]]

Each round asks for more than can be sent, so that what comes out is the collector's throughput, and once for 1 000/s,
where the schedule lag counts. Loopback service, collector and dashboard share this host.
"""

import os
import pty
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

binary = os.path.abspath(sys.argv[1])
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 8
place = tempfile.mkdtemp(prefix="pushscope-beside-")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def swallow(fd):
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass


def open_dashboard(store):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", LINES="60", COLUMNS="200")
        os.execv(binary, [binary, "dashboard", "--store", store])
    threading.Thread(target=swallow, args=(fd,), daemon=True).start()
    return pid, fd


def collect(name, rate, with_dashboard):
    store = os.path.join(place, f"{name}.sqlite")
    collector = subprocess.Popen(
        [binary, "collect", "--config", config, "--store", store, "--rate", f"{rate}/s", "--duration", f"{seconds}s"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    dashboard = None
    if with_dashboard:
        while not os.path.exists(store):
            time.sleep(0.02)
        dashboard = open_dashboard(store)
    collector.wait(timeout=seconds + 60)
    if dashboard:
        os.write(dashboard[1], b"q")
        os.waitpid(dashboard[0], 0)
    with sqlite3.connect(store) as db:
        accepted, = db.execute("SELECT count(*) FROM sample WHERE accept_us IS NOT NULL").fetchone()
        lags = [lag for lag, in db.execute(
            "SELECT schedule_lag_us FROM sample WHERE schedule_lag_us IS NOT NULL ORDER BY schedule_lag_us")]
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(store + suffix):
            os.remove(store + suffix)
    return accepted / seconds, lags[int(len(lags) * 0.99)] if lags else 0


port = free_port()
credentials = os.path.join(place, "loopback")
scenario = os.path.join(place, "still.yaml")
with open(scenario, "w") as file:
    file.write("answers: { delay: 0s }\ndeliveries: { delay: 1ms }\n")
service = subprocess.Popen(
    [binary, "loopback", "--port", str(port), "--credentials", credentials, "--scenario", scenario],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
config = os.path.join(place, "pushscope.yaml")
with open(config, "w") as file:
    file.write(f"""
targets:
  - name: loopback
    provider: loopback
    endpoint: https://127.0.0.1:{port}
    ca_file: loopback/ca.pem
    max_in_flight: 100
    schedule: {{ rate: 100/s }}
""")
try:
    while not os.path.exists(os.path.join(credentials, "ca.pem")):
        time.sleep(0.05)
    time.sleep(0.5)
    print("load", open("/proc/loadavg").read().split()[0])
    for round in range(rounds):
        line = []
        for with_dashboard in (False, True):
            throughput, _ = collect(f"full-{round}-{with_dashboard}", 60000, with_dashboard)
            _, lag = collect(f"steady-{round}-{with_dashboard}", 1000, with_dashboard)
            line.append((throughput, lag))
        (alone, lag_alone), (beside, lag_beside) = line
        print(
            f"accepted/s alone {alone:.0f}, with the dashboard {beside:.0f}, ratio {beside / alone:.2f}; "
            f"schedule lag p99 at 1 000/s alone {lag_alone} µs, with the dashboard {lag_beside} µs")
finally:
    service.terminate()
    service.wait(timeout=20)
