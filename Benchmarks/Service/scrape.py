#!/usr/bin/env python3
"""What scrapes cost at 1 000/s with 20 targets: CPU of the collector and schedule lag, while nobody scrapes and while somebody
does each second, in turns."""

import os
import statistics
import time
import urllib.request

from service import Installation, cpu, quantile, targets, verdict

ROUNDS = int(os.environ.get("ROUNDS", "6"))
SECONDS = int(os.environ.get("SECONDS_EACH", "10"))
PROTOBUF = ("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited")

with Installation(50, ["receipt_deadline: 5s"]) as installation:
    endpoint = installation.monitor()
    installation.rewrite(targets(20, installation.port, "{ arrivals: constant, rate: 50/s }"))
    service = installation.loopback("answers: { delay: 1ms }\ndeliveries: { delay: 5ms }\n", script=False)
    collector = installation.collect()
    installation.wait(f"{endpoint}/-/ready")
    # Some of twenty connections at once are refused at first, and come a few seconds later.
    installation.wait_for_rows("SELECT count(DISTINCT id >> 40) = 20 FROM sample WHERE state = 3")
    time.sleep(3)
    spans, answers = {False: [], True: []}, []
    for round in range(2 * ROUNDS):
        scraped = round % 2 == 1
        begin, used = time.time(), cpu(collector.pid)
        while (left := begin + SECONDS - time.time()) > 0:
            if scraped:
                asked = time.monotonic()
                accept = PROTOBUF if len(answers) % 2 else "text/plain"
                with urllib.request.urlopen(urllib.request.Request(f"{endpoint}/metrics", headers={"accept": accept})) as answer:
                    size = len(answer.read())
                answers.append((time.monotonic() - asked, size))
            time.sleep(max(0.0, min(1.0, left)))
        if round < 2:
            continue  # connections that were refused at first have come by now
        spans[scraped].append((begin, time.time(), (cpu(collector.pid) - used) / (time.time() - begin)))
    installation.stop(collector)
    installation.stop(service)
    lags = {}
    for scraped, parts in spans.items():
        lags[scraped] = [lag for begin, end, _ in parts for (lag,) in installation.rows(
            "SELECT schedule_lag_us FROM sample WHERE planned_at BETWEEN ? AND ? AND schedule_lag_us IS NOT NULL",
            int(begin * 1e6), int(end * 1e6))]
    for scraped in (False, True):
        share = statistics.median(part for _, _, part in spans[scraped])
        figures = ", ".join(f"p{part * 100:g} {quantile(lags[scraped], part)}" for part in (0.5, 0.99, 0.999))
        print(f"  {'scraped each second' if scraped else 'not scraped'}: {share * 100:.1f} % of a processor;"
              f" schedule lag {figures} µs, of {len(lags[scraped])}")
    took = [seconds for seconds, _ in answers]
    print(f"  {len(answers)} scrapes: median {statistics.median(took) * 1e3:.1f} ms, longest {max(took) * 1e3:.1f} ms,"
          f" {max(size for _, size in answers) // 1024} KiB at most")
    verdict("schedule lag while it is scraped", f"p99 {quantile(lags[True], .99)} µs", f"as without: {quantile(lags[False], .99)} µs"
            " and 20 %", quantile(lags[True], 0.99) <= 1.2 * quantile(lags[False], 0.99) + 10)
