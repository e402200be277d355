#!/usr/bin/env python3
"""SIGKILL at random moments under load, ROUNDS times (100); after each the store must be sound, and after the last one a
start must account for every planned number and for everything the service ever saw."""

import os
import random
import sqlite3
import sys
import time

from installation import Installation, verdict

ROUNDS = int(os.environ.get("ROUNDS", "100"))
seed = int(os.environ.get("SEED", str(random.randrange(10**6))))
moments = random.Random(seed)

with Installation(500, ["receipt_deadline: 500ms", "timeout: 2s"]) as installation:
    service = installation.python_service("--answer-delay", "lognormal:20:1", "--delivery-delay", "lognormal:30:1")
    survived = 0
    for number in range(1, ROUNDS + 1):
        collector = installation.collect()
        # A tenth die at birth or while the store is opened and recovered, the others while they send.
        if moments.random() < 0.1:
            wait = moments.uniform(0.002, 0.2)
        else:
            while (line := collector.stderr.readline()) and "sending to" not in line:
                pass
            wait = moments.uniform(0.2, 1.2)
        time.sleep(wait)
        if collector.poll() is not None:
            sys.exit(f"round {number}: the collector ended by itself: {collector.stderr.read()}")
        collector.kill()
        collector.wait()
        if not installation.store.exists():
            survived += 1
            continue
        with sqlite3.connect(installation.store) as db:
            sound = db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        db.close()
        survived += sound
        if not sound:
            print(f"round {number}, after {wait * 1000:.0f} ms: NOT SOUND")
    installation.run("--count", "100")
    installation.stop(service)
    holds, problems, figures = installation.check("--killed")
    runs = installation.rows("SELECT count(*), sum(ended_at IS NULL) FROM run")[0]
    everything = holds and survived == ROUNDS and not runs[1]
    verdict("SIGKILLs survived with everything accounted for",
            f"{survived} of {ROUNDS} (seed {seed}); {runs[0]} runs, {runs[1] or 0} left open", "all", everything)
    print(f"  {figures.get('rows')} rows, {figures.get('requests')} requests seen by the service, states {figures.get('states')}")
    print(f"  held against the service's script: {'everything accounted for' if holds else 'NOT ACCOUNTED FOR'}")
    if not holds:
        print(problems)
    sys.exit(0 if everything else 1)
