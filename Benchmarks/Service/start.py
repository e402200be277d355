#!/usr/bin/env python3
"""How long a collector with a thousand targets takes to begin, and to read its configuration again."""

import os
import signal
import time

from service import Installation, cpu, targets

COUNT = int(os.environ.get("TARGETS", "1000"))
SCHEDULE = "{ arrivals: constant, every: 10s }"

with Installation(1, ["receipt_deadline: 60s"]) as installation:
    installation.rewrite(targets(COUNT, installation.port, SCHEDULE))
    service = installation.loopback("answers: { delay: 1ms }\ndeliveries: { delay: 5ms }\n", script=False)
    begin = time.monotonic()
    collector = installation.collect(log=True)
    installation.wait_for_log(" run ")
    print(f"  {COUNT} targets: sending begins after {(time.monotonic() - begin) * 1e3:.0f} ms,"
          f" {cpu(collector.pid) * 1e3:.0f} ms CPU")
    installation.wait_for_rows("SELECT count(*) >= ? FROM sample WHERE state = 3", COUNT)

    def reload(what, text):
        installation.rewrite(text)
        known = len(installation.rows("SELECT 1 FROM event_view WHERE kind = 'config_reloaded'"))
        begin, used = time.monotonic(), cpu(collector.pid)
        collector.send_signal(signal.SIGHUP)
        installation.wait_for_log("configuration taken", count=known + 1)
        print(f"  reload, {what}: {(time.monotonic() - begin) * 1e3:.0f} ms, {(cpu(collector.pid) - used) * 1e3:.0f} ms CPU")

    same = targets(COUNT, installation.port, SCHEDULE)
    reload("nothing changed", same)
    reload("one target changed", same.replace(SCHEDULE, "{ arrivals: constant, every: 11s }", 1))
    reload("each target changed", targets(COUNT, installation.port, "{ arrivals: constant, every: 12s }"))
    reload("half of them gone", targets(COUNT // 2, installation.port, "{ arrivals: constant, every: 12s }"))
    reload("and back", targets(COUNT, installation.port, "{ arrivals: constant, every: 12s }"))
    installation.stop(collector)
    installation.stop(service)
