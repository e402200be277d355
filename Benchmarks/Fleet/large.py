#!/usr/bin/env python3
"""The dashboard on many notifications in the engine: its first frame with data, a narrow window, and a pan. The rows are those
of one forwarded run, repeated by the engine over the hours after it, and merged."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import uuid

from engine import PUSHSCOPE, ROOT, ask, front, section

ROWS = int(os.environ.get("LARGE_ROWS", "100000000"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))
TEMPLATE = 1000
PART = 5_000_000
LENGTH = 500_000  # µs of a template
DIGITS = re.compile(r"planned [\d  ,.]+")


class Screen:
    """A dashboard in tmux, 200 × 60."""

    def __init__(self, *words):
        self.name = f"pushscope-{uuid.uuid4().hex[:8]}"
        self.began = time.monotonic()
        subprocess.run(["tmux", "-L", self.name, "new-session", "-d", "-x", "200", "-y", "60", "env", "PUSHSCOPE_MOTION=none",
                        PUSHSCOPE, "dashboard", *[str(word) for word in words]], check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["tmux", "-L", self.name, "kill-server"], capture_output=True)

    def text(self):
        return subprocess.run(["tmux", "-L", self.name, "capture-pane", "-p"], capture_output=True, text=True).stdout

    def press(self, key):
        self.began = time.monotonic()
        subprocess.run(["tmux", "-L", self.name, "send-keys", key], check=True)

    def wait(self, holds, what, within=300):
        """Seconds since the dashboard was started, or the last key."""
        while time.monotonic() - self.began < within:
            text = self.text()
            if holds(text):
                return time.monotonic() - self.began
            time.sleep(0.02)
        sys.exit(f"never: {what}\n{self.text()}")


def fill(port, folder, configuration):
    store = folder / "store.sqlite"
    environment = {**os.environ, "PUSHSCOPE_BENCHMARKS": "1"}
    subprocess.run(["swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "ExportBenchmark"], check=True,
                   env=environment, cwd=ROOT, stdout=subprocess.DEVNULL)
    subprocess.run([ROOT / ".build/release/ExportBenchmark", "fill", store, str(TEMPLATE)], check=True)
    subprocess.run([PUSHSCOPE, "forward", "--once", "--store", store, "--config", configuration], check=True,
                   stdout=subprocess.DEVNULL)
    ask(port, "CREATE TABLE pushscope.template AS pushscope.sample ENGINE = Memory")
    ask(port, "INSERT INTO pushscope.template SELECT * FROM pushscope.sample FINAL")
    times = ROWS // TEMPLATE
    for first in range(1, times, PART // TEMPLATE):
        count = min(PART // TEMPLATE, times - first)
        ask(port, f"""INSERT INTO pushscope.sample SELECT * REPLACE (
          sequence + toInt64(number) * {TEMPLATE // 2} AS sequence, revision + number * {TEMPLATE} AS revision,
          planned_at + toIntervalMicrosecond(number * {LENGTH}) AS planned_at,
          planned_monotonic_us + toInt64(number) * {LENGTH} AS planned_monotonic_us) EXCEPT number
          FROM (SELECT t.*, n.number FROM pushscope.template AS t CROSS JOIN numbers({first}, {count}) AS n)""")
        print(f"\r  {(first + count) * TEMPLATE / 1e6:.0f} million rows", end="", flush=True)
    ask(port, f"""INSERT INTO pushscope.run SELECT * REPLACE (revision + {2 * ROWS} AS revision,
      started_at + toIntervalMicrosecond({times * LENGTH + 60_000_000}) AS ended_at) FROM pushscope.run FINAL""")
    ask(port, "DROP TABLE pushscope.template")
    print()


def settle(port, within=1800):
    """Waits until the engine has merged what was inserted at once: rows that come all day lie in few parts."""
    began = time.monotonic()
    quiet = 0
    while quiet < 5 and time.monotonic() - began < within:
        quiet = quiet + 1 if ask(port, "SELECT count() FROM system.merges") == [["0"]] else 0
        time.sleep(2)
    parts = ask(port, "SELECT count() FROM system.parts WHERE active AND table = 'sample' AND database = 'pushscope'")[0][0]
    print(f"  merged for {time.monotonic() - began:.0f} s, {parts} parts{'' if quiet == 5 else ', not to the end'}")


def is_read(text):
    return DIGITS.search(text) is not None


def times(text):
    """Labels of the time axis."""
    return re.findall(r"\b\d\d:\d\d(?::\d\d)?\b", text)


def has_quantiles(text):
    return re.search(r"p99 +\d", text) is not None


with tempfile.TemporaryDirectory(prefix="pushscope-large-") as name:
    folder = pathlib.Path(os.environ.get("ENGINE_FOLDER", name))
    with front(folder / "engine") as (port, process):
        configuration = pathlib.Path(name) / "pushscope.yaml"
        configuration.write_text(section(port))
        if ask(port, "EXISTS TABLE pushscope.sample") == [["0"]]:
            subprocess.run([PUSHSCOPE, "fleet", "setup", "--no-users", "--config", configuration], check=True,
                           stdout=subprocess.DEVNULL)
            fill(port, folder, configuration)
        settle(port)
        run, start, end = ask(port, "SELECT run, formatDateTime(started_at, '%FT%TZ'), formatDateTime(started_at + "
                              "toIntervalSecond(dateDiff('second', started_at, ended_at) / 2), '%FT%TZ') FROM pushscope.run FINAL")[0]
        rows, size = ask(port, "SELECT sum(rows), sum(data_compressed_bytes) FROM system.parts WHERE active AND table = 'sample'"
                         " AND database = 'pushscope'")[0]
        print(f"  {int(rows):,} rows, {int(size) / int(rows):.1f} bytes each, engine {ask(port, 'SELECT version()')[0][0]}")
        common = ["--fleet", "--config", configuration, "--run", run]
        for what, words in [("the whole run", []), ("ten minutes in its middle", ["--since", end, "--window", "10m"])]:
            for _ in range(ROUNDS):
                with Screen(*common, *words) as screen:
                    first = screen.wait(is_read, "the first frame with data")
                    figures = screen.wait(has_quantiles, "quantiles")
                    pan = None
                    if words:
                        before = times(screen.text())
                        screen.press("Left")
                        pan = screen.wait(lambda text: times(text) != before and "reading" not in text, "the pan", 60)
                    print(f"  {what}: first frame {first:.2f} s, with quantiles {figures:.2f} s"
                          + (f", pan by an eighth {pan:.2f} s" if pan is not None else ""), flush=True)
