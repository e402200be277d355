"""Memory, threads, descriptors and the write-ahead log over a soak: what grows that should not."""
import statistics

# Growth of memory that is allowed once a tenth of the soak is over, in parts an hour; of soaks of half an hour and more.
GROWTH = 0.02
# A process whose caches still fill is not judged by that: of a life of half an hour and more the first minutes are left out.
WARM = 15
# Of shorter ones, in which caches still fill: KiB over the median of the second tenth.
SHORT_GROWTH = 24 << 10
# SQLite's log is truncated to 16 MB when it begins anew; a reader or a backup may keep it from that for a moment.
LOG_LIMIT = 48 << 20
LOG_REST = 16 << 20


def check_resources(soak):
    samples = soak.probes.samples
    minutes = soak.options.minutes
    if len(samples) < 20:
        soak.problem("there are too few samples of memory")
        return
    for name in ["collector", "analyst"]:
        check_memory(soak, name, [sample for sample in samples if sample[name]], minutes)
    for name in ["threads", "descriptors"]:
        check_level(soak, name, samples)
    logs = [sample["wal"] for sample in samples]
    soak.facts["write-ahead log"] = f"{statistics.median(logs) / 1e6:.1f} MB, at most {max(logs) / 1e6:.1f} MB"
    if max(logs) > LOG_LIMIT or statistics.median(logs) > LOG_REST:
        soak.problem(f"write-ahead log: {soak.facts['write-ahead log']}")


def lives(samples, name):
    """The samples of each process of that name, in turn."""
    groups = {}
    for sample in samples:
        groups.setdefault((sample["process"], sample["analyst_pid"] if name == "analyst" else 0), []).append(sample)
    return list(groups.values())


def check_memory(soak, name, samples, minutes):
    """The longest life of a process: medians of minutes of what is its own (not of files), and the line through them."""
    life = max(lives(samples, name), key=len)
    begun = max(soak.begun + (life[-1]["at"] - soak.begun) * 0.1, life[0]["at"])
    if life[-1]["at"] - life[0]["at"] > (WARM + 30) * 60:
        begun = max(begun, life[0]["at"] + WARM * 60)
    groups = {}
    for sample in life:
        if sample["at"] >= begun:
            groups.setdefault(int((sample["at"] - life[0]["at"]) // 60), []).append(sample[name]["own"])
    points = [(minute / 60, statistics.median(values)) for minute, values in sorted(groups.items())][1:]
    if len(points) < 3:
        soak.facts[f"memory of the {name}"] = "no process lived for three minutes"
        return
    slope, base = line(points)
    growth = slope / base
    length = points[-1][0] - points[0][0]
    soak.facts[f"memory of the {name}"] = (
        f"{points[0][1] / 1024:.1f} then {points[-1][1] / 1024:.1f} MB in the longest life, {length * 60:.0f} min"
        f"{f', {growth * 100:+.1f} % an hour' if length >= 0.5 else ''}; peak {max(sample[name]['peak'] for sample in life) / 1024:.1f} MB")
    if length >= 0.5 and growth > GROWTH:
        soak.problem(f"memory of the {name}: {soak.facts[f'memory of the {name}']}")
    elif points[-1][1] - points[0][1] > SHORT_GROWTH:
        soak.problem(f"memory of the {name}: {soak.facts[f'memory of the {name}']}")


def line(points):
    """Slope, and value at the first point, of the least squares."""
    mean_x, mean_y = statistics.fmean(x for x, _ in points), statistics.fmean(y for _, y in points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0
    return slope, mean_y + slope * (points[0][0] - mean_x)


def check_level(soak, name, samples):
    """The median of a life's last minute is no more than a few above that of its second minute."""
    for process in ["collector", "analyst"]:
        for life in lives([sample for sample in samples if sample[process]], process):
            values = [sample[process][name] for sample in life]
            if len(values) < 48:
                continue
            first, last = statistics.median(values[12:24]), statistics.median(values[-12:])
            soak.facts[f"{name} of the {process}"] = f"{first:.0f} then {last:.0f}, at most {max(values)}"
            if last > first + 4:
                soak.problem(f"{name} of the {process}: {first:.0f} in its second minute, {last:.0f} at its end")
