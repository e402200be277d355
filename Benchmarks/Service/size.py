#!/usr/bin/env python3
"""Bytes of a notification on disk, with everything that belongs to it: its row and indices, its receipt, rollups, round trips.
The same at two rates: rollups of a second weigh the more the fewer notifications a second has."""

import os
import sqlite3

from service import Installation

SECONDS = int(os.environ.get("SECONDS_EACH", "30"))
SCENARIO = "answers: { delay: 1ms }\ndeliveries: { delay: 5ms }\n"


def tables(path):
    """Bytes by table, its indices included; none where SQLite was built without dbstat."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        try:
            return db.execute("SELECT tbl_name, sum(pgsize) FROM dbstat JOIN sqlite_schema s USING (name) GROUP BY 1"
                              " ORDER BY 2 DESC").fetchall()
        except sqlite3.OperationalError:
            return []


for rate in (1000, 20):
    with Installation(rate, ["receipt_deadline: 5s"]) as installation:
        service = installation.loopback(SCENARIO, script=False)
        installation.run("--duration", "1s")
        base, (count,) = installation.store.stat().st_size, installation.rows("SELECT count(*) FROM sample")[0]
        former = dict(tables(installation.store))
        installation.run("--duration", f"{SECONDS}s")
        installation.stop(service)
        more = installation.rows("SELECT count(*) FROM sample")[0][0] - count
        size = installation.store.stat().st_size - base
        parts = [(name, bytes - former.get(name, 0)) for name, bytes in tables(installation.store)]
        words = ", ".join(f"{name} {bytes / more:.0f}" for name, bytes in parts if bytes > more)
        print(f"  at {rate}/s: {size / more:.0f} bytes a notification, receipt included, of {more}" + (f" ({words})" if words else ""))
