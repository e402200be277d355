#!/usr/bin/env python3
"""30 s at 100/s, the service frozen once for 1.4 s; the accept latency's p99 beside its analytic value, with parallel
streams and with one stream at a time."""

from installation import Installation, quantile, verdict

RATE, LENGTH, FREEZE, SERVICE = 100, 30, 1.4, 0.002
TARGET = ["receipt_deadline: 5s", "timeout: 10s", "max_lag: 10s"]


def show(installation, streams, name):
    rows = installation.rows("SELECT schedule_lag_us, service_us, accept_us FROM sample WHERE accept_us IS NOT NULL")
    lag, service, accept = (sorted(row[i] / 1e6 for row in rows) for i in range(3))
    base = quantile(service, 0.5)
    if streams == 1:
        # The queue drains while more comes in: the wait shrinks by 1 - rate * service for each second of plan.
        analytic = FREEZE + base - 0.01 * LENGTH * (1 - RATE * base)
    else:
        analytic = FREEZE - 0.01 * LENGTH
    found = quantile(accept, 0.99)
    print(f"{name}, {'one stream at a time' if streams == 1 else 'parallel streams'}: {len(rows)} of {RATE * LENGTH}")
    difference = (found / analytic - 1) * 100
    verdict("p99 of accept beside its analytic value",
            f"{found * 1e3:.1f} ms beside {analytic * 1e3:.1f} ms, {difference:+.2f} %", "within 2 %", abs(difference) <= 2)
    print(f"  p99 of schedule lag {quantile(lag, 0.99) * 1e3:.1f} ms, of service {quantile(service, 0.99) * 1e3:.1f} ms;"
          f" p50 of service {base * 1e3:.2f} ms")
    installation.report_check()


for streams in (1000, 1):
    with Installation(RATE, TARGET) as installation:
        service = installation.loopback(
            f"stream_limit: {streams}\nanswers: {{ delay: 2ms }}\ndeliveries: {{ delay: 1ms }}\n"
            "freeze: { from: 10s, for: 1400ms }\n")
        installation.run("--duration", f"{LENGTH}s")
        installation.stop(service)
        show(installation, streams, "loopback service")
    with Installation(RATE, TARGET) as installation:
        service = installation.python_service("--max-streams", str(streams), "--answer-delay", "constant:2",
                                         "--freeze", "10000:1400", "--delivery-delay", "constant:1")
        installation.run("--duration", f"{LENGTH}s")
        installation.stop(service)
        show(installation, streams, "python-h2")
