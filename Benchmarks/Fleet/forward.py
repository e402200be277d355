#!/usr/bin/env python3
"""Rows forwarded a second, beside clickhouse-client that inserts the same rows into the same server; in turns, whole processes."""

import os
import pathlib
import re
import subprocess
import tempfile
import time

from engine import PUSHSCOPE, ROOT, ask, client, section, server, verdict

ROWS = int(os.environ.get("ROWS", "500000"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))
RELEASE = ROOT / ".build" / "release"


def build():
    environment = {**os.environ, "PUSHSCOPE_BENCHMARKS": "1"}
    for product in ("FleetBenchmark", "ExportBenchmark"):
        subprocess.run(["swift", "build", "-c", "release", "--static-swift-stdlib", "--product", product], check=True,
                       env=environment, cwd=ROOT, stdout=subprocess.DEVNULL)


def set_up(port, database):
    subprocess.run([RELEASE / "FleetBenchmark", "setup", f"http://127.0.0.1:{port}", database], check=True,
                   stdout=subprocess.DEVNULL)


def forward(folder, store, port, database):
    """Seconds, and those of processor time of the forwarder alone."""
    configuration = folder / f"{database}.yaml"
    configuration.write_text(section(port, database))
    before = os.times()
    began = time.monotonic()
    subprocess.run([PUSHSCOPE, "forward", "--once", "--store", store, "--config", configuration], check=True,
                   stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - began
    after = os.times()
    return seconds, after.children_user - before.children_user + after.children_system - before.children_system


def native_port(port):
    """Of the server with this HTTP port."""
    for path in pathlib.Path(tempfile.gettempdir()).glob("pushscope-clickhouse-*/servers/server/config.xml"):
        text = path.read_text()
        if f"<http_port>{port}<" in text:
            return int(re.search(r"<tcp_port>(\d+)<", text).group(1))
    raise SystemExit("the server's configuration is gone")


build()
with server() as port, tempfile.TemporaryDirectory(prefix="pushscope-fleet-") as name:
    folder = pathlib.Path(name)
    store = folder / "store.sqlite"
    subprocess.run([RELEASE / "ExportBenchmark", "fill", store, str(ROWS)], check=True)
    native = native_port(port)
    rows = folder / "rows"
    ratios = []
    for number in range(ROUNDS):
        ours, peer = f"ours{number}", f"peer{number}"
        set_up(port, ours)
        set_up(port, peer)
        seconds, processor = forward(folder, store, port, ours)
        if number == 0:
            with open(rows, "wb") as file:
                client(native, f"SELECT * FROM {ours}.sample FORMAT RowBinary", output=file)
        with open(rows, "rb") as file:
            other = client(native, f"INSERT INTO {peer}.sample FORMAT RowBinary", input=file)
        for database in (ours, peer):
            found = int(ask(port, f"SELECT count() FROM {database}.sample FINAL")[0][0])
            assert found == ROWS, f"{database}: {found} rows of {ROWS}"
        ratios.append(other / seconds)
        print(f"  {ROWS} rows: forward {ROWS / seconds:,.0f}/s ({processor:.2f} s of processor time), clickhouse-client"
              f" {ROWS / other:,.0f}/s: {other / seconds:.2f}", flush=True)
    ratio = sorted(ratios)[len(ratios) // 2]
    verdict("rows forwarded a second, of clickhouse-client's", f"{ratio:.2f}", "at least 0.5", ratio >= 0.5)
    ask(port, "OPTIMIZE TABLE ours0.sample FINAL")
    size = int(ask(port, "SELECT sum(bytes) FROM system.parts WHERE database = 'ours0' AND table = 'sample' AND active")[0][0])
    print(f"  {size / ROWS:.1f} bytes a row on this engine, with its own compression alone")
