#!/usr/bin/env python3
"""The collector's memory while it takes an hour's worth of samples at 1 000/s: 3.6 million (SAMPLES), at RATE (10 000/s) so
that it takes six minutes. SAMPLES=3600000 RATE=1000 is the hour itself."""

import os
import pathlib
import sys
import time

from installation import Installation, verdict

RATE = int(os.environ.get("RATE", "10000"))
SAMPLES = int(os.environ.get("SAMPLES", "3600000"))
EVERY = 10
# About a byte a sample: an allocator at rest still moves by some hundred pages.
FLAT = 4.0


def resident(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0


def slope(pairs):
    """MB a second, by least squares."""
    count = len(pairs)
    mean = sum(at for at, _ in pairs) / count, sum(mb for _, mb in pairs) / count
    spread = sum((at - mean[0]) ** 2 for at, _ in pairs)
    return sum((at - mean[0]) * (mb - mean[1]) for at, mb in pairs) / spread if spread else 0.0


with Installation(RATE, ["timeout: 10s", "max_in_flight: 5000"], provider="http") as installation:
    service = installation.nghttpd()
    if service is None:
        print("  [left out] memory: nghttpd is not installed")
        sys.exit(0)
    collector = installation.collect("--count", str(SAMPLES))
    begin, seen = time.monotonic(), []
    while collector.poll() is None:
        try:
            seen.append((time.monotonic() - begin, resident(collector.pid)))
        except (FileNotFoundError, ProcessLookupError):
            break
        due = begin + len(seen) * EVERY
        while collector.poll() is None and time.monotonic() < due:
            time.sleep(0.2)
    took = time.monotonic() - begin
    collector.wait()
    if collector.returncode:
        sys.exit(f"the collector failed: {collector.stderr.read()}")
    # The last reading may be of a process that is ending.
    seen = [pair for pair in seen if pair[1]]
    states = dict(installation.rows("SELECT state, count(*) FROM sample_view GROUP BY state"))
    size = installation.store.stat().st_size / 2**20
    print(f"{sum(states.values())} samples in {took:.0f} s ({states}); store {size:.0f} MB")
    print("  resident, MB, every 10 s:")
    for row in range(0, len(seen), 10):
        print(f"  {seen[row][0]:6.0f} s  " + " ".join(f"{mb:6.1f}" for _, mb in seen[row:row + 10]))
    half = seen[len(seen) // 2:]
    if len(half) < 3:
        sys.exit("  too short to tell a slope")
    growth = slope(half) * took
    verdict("memory over an hour's worth of samples",
            f"{half[-1][1]:.1f} MB at the end, slope of the second half {growth:+.2f} MB over all of it",
            f"flat: within {FLAT:g} MB", abs(growth) <= FLAT)
    own = installation.rows("SELECT commits, longest_commit_us, commit_stalls, schedule_lag_p99_us FROM instrument")[0]
    print(f"  {own[0]} commits, longest {own[1] / 1000:.0f} ms, {own[2]} over 100 ms; schedule lag p99 {own[3]} µs")
    installation.stop(service)
