"""Findings against the faults of the plan: each finding tells of a fault, or of a host whose processors others had, and what is
large and long enough is found (docs/findings.md)."""

# A finding may begin a bin before a fault, and end when what it caused is over.
BEFORE, AFTER = 15, 45
# What must be found at 33 notifications a second, from ten minutes on: a change of every notification of a target for 20 s
# ("How much is found": ×1.9 for 20 s, 7.6 points for 20 s at 20/s). Where every minute has a fault, 15 s may not stand out.
SURE_LENGTH, SURE_FROM = 20, 8
SURE = {"service gone", "service frozen", "slow path", "slow answers", "slow deliveries", "refused", "losing",
        "certificate untrusted"}


def check_findings(soak):
    """Maps the times of findings to the soak's own clock by the anchors of their runs, and compares."""
    query = soak.installation.query
    anchors = {}
    for run, monotonic, at in query("SELECT run_id, monotonic_us, at FROM anchor ORDER BY 1, 2"):
        anchors.setdefault(run, []).append((at - monotonic) / 1e6)
    rows = query(
        "SELECT id, run_id, target, metric, kind, status, quantile, coalesce(started_low, started_at), coalesce(ended_at, seen_until),"
        " cause"
        " FROM finding WHERE status NOT IN ('withdrawn', 'daily') ORDER BY started_at")
    played = [fault for fault in soak.plan if fault.ended > fault.begun]
    told = set()
    unexplained = []
    for id, run, target, metric, kind, status, quantile, low, ended, cause in rows:
        match, most = None, 0
        for ahead in set(round(value) for value in anchors.get(run, [])):
            begin, end = low / 1e6 - ahead, ended / 1e6 - ahead
            for fault in played:
                overlap = min(end, fault.ended + AFTER) - max(begin, fault.begun - BEFORE)
                if overlap >= 0 and target in fault.targets and kind != "faster":
                    told.add((fault.minute, target))
                    # Of several the one that lies in it most, without what is added on both sides.
                    inside = min(end, fault.ended) - max(begin, fault.begun)
                    if match is None or inside > most:
                        match, most = fault.name, inside
            is_latency = kind in ("slower", "faster") and quantile
            if match is None and is_latency and soak.probes.stalled_share(begin, end) > (1 - quantile) / 3:
                match = "the host was busy"
        text = f"{id} {target} {metric} {kind}{f' p{quantile * 100:.0f}' if quantile else ''} ({status}), {cause}"
        soak.found.append((text, match or "nothing in the plan"))
        if match is None:
            unexplained.append(text)
    for text in unexplained:
        soak.problem(f"finding without a fault: {text}")
    for fault in played:
        if fault.kind in SURE and fault.length >= SURE_LENGTH and fault.minute >= SURE_FROM:
            for target in sorted(fault.targets):
                if (fault.minute, target) not in told:
                    soak.problem(f"no finding of {fault.name} at {target} in minute {fault.minute}, {fault.length:.0f} s")
    soak.facts["findings"] = f"{len(rows)}, {len(unexplained)} of which tell of no fault"
