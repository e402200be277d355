#!/usr/bin/env python3
"""What sending notices of forwarding: how late requests leave at 1 000/s, with and without it, in turns. The engine runs on
the same host, also while nothing is forwarded to it, with the lowest priority."""

import os

from engine import Installation, ask, front, quantile, section

SECONDS = int(os.environ.get("SECONDS_EACH", "20"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))


def measure(port, forwards):
    with Installation(1000, ["receipt_deadline: 5s"]) as installation:
        if forwards:
            installation.add(section(port))
        service = installation.loopback("answers: { delay: 1ms }\ndeliveries: { delay: 1ms }\n", script=False)
        installation.run("--duration", f"{SECONDS}s")
        installation.stop(service)
        states = dict(installation.rows("SELECT state, count(*) FROM sample_view GROUP BY state"))
        lags = [row[0] for row in installation.rows("SELECT schedule_lag_us FROM sample WHERE schedule_lag_us IS NOT NULL")]
        longest = installation.rows("SELECT max(longest_commit_us) FROM instrument")[0][0]
        return lags, states.get("missed", 0), longest


with front() as (port, _):
    with Installation(1) as installation:
        installation.add(section(port))
        installation.fleet("setup", "--no-users")
    lags = {False: [], True: []}
    for number in range(2 * ROUNDS):
        forwards = number % 2 == 1
        found, missed, longest = measure(port, forwards)
        lags[forwards] += found
        print(f"  {'forwarding' if forwards else 'not forwarding'}: p50 {quantile(found, 0.5)}, p99 {quantile(found, 0.99)},"
              f" p99.9 {quantile(found, 0.999)}, max {max(found)} µs; {missed} missed; longest commit {longest} µs", flush=True)
    rows = ask(port, "SELECT count() FROM pushscope.sample FINAL")[0][0]
    figures = [", ".join(f"p{share * 100:g} {quantile(lags[forwards], share)}" for share in (0.5, 0.9, 0.99, 0.999))
               for forwards in (False, True)]
    print(f"  schedule lag at 1 000/s, µs, all rounds: not forwarding {figures[0]}; forwarding {figures[1]}; {rows} rows forwarded")
