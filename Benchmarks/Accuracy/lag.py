#!/usr/bin/env python3
"""How late requests leave at 1 000/s, on the machine as it is and with two busy loops beside it. Late is late until the
driver has the packet: the kernel's sending side is in it."""

import os
import subprocess
import sys

from installation import Installation, quantile, verdict

SECONDS = int(os.environ.get("SECONDS_EACH", "20"))


def measure(name, loops, aim):
    with Installation(1000, ["receipt_deadline: 5s"]) as installation:
        service = installation.loopback("answers: { delay: 1ms }\ndeliveries: { delay: 1ms }\n", script=False, receipts=True)
        busy = [installation.spawn(sys.executable, "-c", "while True: pass") for _ in range(loops)]
        installation.run("--duration", f"{SECONDS}s")
        for process in busy:
            process.kill()
        installation.stop(service)
        lags = [row[0] for row in installation.rows("SELECT schedule_lag_us FROM sample WHERE schedule_lag_us IS NOT NULL")]
        missed = installation.rows("SELECT count(*) FROM sample_view WHERE state = 'missed'")[0][0]
        own = installation.rows("SELECT loop_lag_p50_us, loop_lag_p99_us, loop_lag_max_us, commits, longest_commit_us, commit_stalls"
                           " FROM instrument")[0]
        figures = ", ".join(f"p{share * 100:g} {quantile(lags, share)}" for share in (0.5, 0.9, 0.99, 0.999))
        verdict(f"schedule lag at 1 000/s {name}", f"{figures}, max {max(lags)} µs", f"p99 <= {aim} µs",
                quantile(lags, 0.99) <= aim)
        print(f"  {len(lags)} sent, {missed} missed; loop lag p50 {own[0]}, p99 {own[1]}, max {own[2]} µs;"
              f" {own[3]} commits, longest {own[4]} µs, {own[5]} over 100 ms")


measure("as it is", 0, 100)
measure("with two busy loops", 2, 200)
