"""What each fault did, judged from the store while its notifications are there: what was lost, until when, and the lag in the rest of
its minute."""
import statistics

STATES = ["planned", "in_flight", "accepted", "delivered", "late", "lost", "rejected", "failed", "missed", "interrupted"]
GOOD = {"accepted", "delivered"}
OPEN = {"planned", "in_flight"}
# A notification that is so old has its final state: timeout and receipt deadline, and the time to write it.
SETTLED = 10
# Rest after a fault's end before lag is measured.
CALM = 12
# A delivery or an answer that takes longer, in µs, is slow; without a fault none takes more than 403 ms.
SLOW_US = 500_000
# How long the host has to hold up a process, in s, to be to blame for what is sent more than a second too late.
STALL = 0.4

ROWS = """
SELECT t.name, s.state, s.planned_monotonic_us, s.schedule_lag_us, s.reason, max(ifnull(s.delivery_us, 0), ifnull(s.accept_us, 0)), s.status FROM sample s
JOIN target t ON t.id = s.id >> 40 WHERE s.planned_at BETWEEN ? AND ? AND s.planned_monotonic_us BETWEEN ? AND ?
"""
# The clock may have been set by an hour meanwhile.
STEP = 3700


class Evaluation:
    def __init__(self, soak):
        self.soak = soak
        self.rows = []  # one dictionary for each fault
        self.baseline = None  # lag p99 in µs without faults
        self.judged = 0  # until when notifications are judged
        self.rests = []  # (time, lag p99 in µs, the host's worst stall in s)

    def read(self, first, last):
        """Notifications planned between two instants of time.monotonic()."""
        ahead = self.soak.installation.clock.now() - self.soak.now()
        return self.soak.installation.query(
            ROWS, *(int(seconds * 1e6) for seconds in (first + ahead - STEP, last + ahead + STEP, first, last)))

    def take_baseline(self, first, last):
        rows = self.read(first, last)
        self.baseline = p99(rows)
        self.judged = last
        bad = self.unexcused([row for row in rows if STATES[row[1]] not in GOOD | OPEN], first, last)
        if bad:
            self.soak.problem(f"without a fault: {counts(bad)}")
        return f"lag p99 {text_of(self.baseline)} of {len(rows)} notifications"

    def take(self, fault, minute_end):
        """Judges a fault at the end of its minute."""
        last = minute_end - SETTLED
        rows = self.read(fault.begun - 1, last)
        bad = [row for row in rows if STATES[row[1]] not in GOOD]
        harmed = [row for row in bad if row[0] in fault.targets]
        beyond = self.unexcused([row for row in bad if row[0] not in fault.targets], fault.begun - 1, last)
        slow = [row for row in rows if STATES[row[1]] in GOOD and row[5] > SLOW_US]
        affected = harmed + [row for row in slow if row[0] in fault.targets]
        recovery = max([row[2] / 1e6 - fault.ended for row in affected], default=0)
        calm = [row for row in rows if row[2] / 1e6 > fault.ended + CALM]
        lag = p99(calm)
        stall = self.soak.probes.worst_stall(fault.begun, last)
        if len(calm) > 1000:
            self.rests.append((fault.ended + CALM, lag, stall))
        before = [row for row in self.read(self.judged, fault.begun - 1) if STATES[row[1]] not in GOOD]
        before = self.unexcused(before, self.judged, fault.begun)
        self.judged = last
        verdicts = list(fault.notes if fault.notes and fault.notes[0].startswith("skipped") else [])
        if not rows and not verdicts:
            verdicts.append("nothing was planned")
        if before:
            verdicts.append(f"before it: {counts(before)}")
        if beyond:
            verdicts.append(f"harmed others: {counts(beyond)}")
        if any(STATES[row[1]] in OPEN for row in rows):
            verdicts.append(f"{sum(STATES[row[1]] in OPEN for row in rows)} without a final state")
        if affected and recovery > last - fault.ended - 3:
            verdicts.append("not recovered within its minute")
        row = {
            "fault": fault, "rows": len(rows), "states": counts(harmed), "slow": len(slow), "recovery": max(0, recovery), "lag": lag,
            "stall": stall, "failures": [text for text in verdicts if not text.startswith("skipped")],
            "verdict": "; ".join(verdicts) or "ok"}
        self.rows.append(row)
        for text in row["failures"]:
            self.soak.problem(f"minute {fault.minute}, {fault.name}: {text}")
        return row

    def unexcused(self, bad, first, last):
        """Without what was sent too late while the host held up everybody."""
        is_busy = self.soak.probes.worst_stall(first, last + 1) > STALL
        return [row for row in bad if not (is_busy and row[4] == "lag")]

    def lag_problems(self):
        """The lag of undisturbed times is as without faults: half of the rests within twice the baseline."""
        lags = [lag for _, lag, _ in self.rests if lag is not None]
        if not lags or self.baseline is None:
            return ["there is no undisturbed time to judge"]
        limit = max(2 * self.baseline, self.baseline + 2000)
        problems = []
        if statistics.median(lags) > limit:
            problems.append(f"lag p99 of rests: median {text_of(statistics.median(lags))}, baseline {text_of(self.baseline)}")
        for at, lag, stall in self.rests:
            if lag and lag > limit * 5 and lag > stall * 2e6 + 5000:
                problems.append(f"lag p99 {text_of(lag)} at {at - self.soak.begun:.0f} s, where the host stalled for {stall:.3f} s")
        return problems


def p99(rows):
    lags = sorted(row[3] for row in rows if row[3] is not None)
    return lags[int(len(lags) * 0.99)] if lags else None


def counts(rows):
    """`34 failed (connect) of ios` and the like."""
    groups = {}
    for row in rows:
        key = (STATES[row[1]], row[4] or (str(row[6]) if row[6] and row[6] >= 400 else ""))
        group = groups.setdefault(key, [0, set()])
        group[0] += 1
        group[1].add(row[0])
    return ", ".join(f"{number} {state}{f' ({reason[:24]})' if reason else ''} of {'+'.join(sorted(targets))}"
                     for (state, reason), (number, targets) in sorted(groups.items(), key=lambda item: -item[1][0])) or "none"


def text_of(microseconds):
    return "–" if microseconds is None else f"{microseconds / 1000:.2f} ms"

