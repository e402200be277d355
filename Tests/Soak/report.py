"""What a soak leaves: a table of its faults, the facts it measured, what does not hold, and a picture of memory,
descriptors and log."""
import json
import statistics

from evaluation import text_of

WIDTH, HEIGHT, LEFT, GAP = 1000, 150, 70, 40


def write_report(soak):
    evaluation = soak.evaluation
    lines = [f"seed {soak.options.seed}, {soak.options.minutes} minutes, {soak.options.rate:.0f} notifications a second,"
             f" {soak.options.binary}",
             f"lag p99 without faults {text_of(evaluation.baseline)}, in the rests between faults {rests(evaluation)}", ""]
    table = [["time", "fault", "for", "recovered", "lag p99", "what it did", "verdict"]]
    for row in evaluation.rows:
        fault = row["fault"]
        did = row["states"] + (f", {row['slow']} slow" if row["slow"] else "")
        did += f" [{'; '.join(fault.notes)}]" if fault.notes else ""
        table.append([f"{fault.minute // 60}:{fault.minute % 60:02}", fault.name, f"{fault.length:.0f} s", f"{row['recovery']:.1f} s",
                      text_of(row["lag"]), did, row["verdict"]])
    widths = [max(len(row[column]) for row in table) for column in range(5)]
    for row in table:
        lines.append("  ".join([cell.ljust(width) for cell, width in zip(row, widths)] + row[5:]))
    lines += ["", *(f"{name}: {text}" for name, text in soak.facts.items())]
    if soak.found:
        lines += ["", "findings, and the fault that each tells of:", *(f"  {text}: {fault}" for text, fault in soak.found)]
    for what, reason in soak.sandbox.skipped.items():
        lines.append(f"skipped: {what}: {reason}")
    lines += ["", *(f"DOES NOT HOLD: {text}" for text in soak.problems)] if soak.problems else ["", "everything holds"]
    with open(soak.installation.file("report.txt"), "w") as file:
        file.write("\n".join(lines) + "\n")
    with open(soak.installation.file("samples.jsonl"), "w") as file:
        file.writelines(json.dumps(sample) + "\n" for sample in soak.probes.samples)
    with open(soak.installation.file("picture.svg"), "w") as file:
        file.write(picture(soak))


def rests(evaluation):
    lags = [lag for _, lag, _ in evaluation.rests if lag is not None]
    return f"{text_of(statistics.median(lags))} (median of {len(lags)}), at most {text_of(max(lags))}" if lags else "unknown"


def picture(soak):
    """Three plots below each other with one axis of time; faults are gray stripes."""
    samples = soak.probes.samples
    if not samples:
        return "<svg xmlns='http://www.w3.org/2000/svg'/>"
    first, last = soak.begun, max(samples[-1]["at"], soak.begun + 1)

    def x(at):
        return LEFT + (at - first) / (last - first) * (WIDTH - LEFT - 20)

    def of(process, name, scale=1.0):
        return [(sample["at"], sample[process][name] * scale) for sample in samples if sample[process]]

    plots = [
        ("own memory, MB", [("collector", "#1b6ca8", of("collector", "own", 1 / 1024)),
                            ("analyst", "#c8553d", of("analyst", "own", 1 / 1024))]),
        ("descriptors and threads", [("descriptors", "#1b6ca8", of("collector", "descriptors")),
                                     ("threads", "#c8553d", of("collector", "threads"))]),
        ("store and write-ahead log, MB", [("store", "#1b6ca8", [(sample["at"], sample["store"] / 1e6) for sample in samples]),
                                           ("log", "#c8553d", [(sample["at"], sample["wal"] / 1e6) for sample in samples])]),
    ]
    height = len(plots) * (HEIGHT + GAP) + 20
    parts = [f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{height}' font-family='sans-serif' font-size='12'>",
             f"<rect width='{WIDTH}' height='{height}' fill='white'/>"]
    for row in soak.evaluation.rows:
        fault = row["fault"]
        color = "#f3c6c0" if row["failures"] else "#e4e4e4"
        parts.append(f"<rect x='{x(fault.begun):.1f}' y='30' width='{max(1, x(fault.ended) - x(fault.begun)):.1f}'"
                     f" height='{height - 60}' fill='{color}'><title>{fault.name}: {escaped(row['states'])}</title></rect>")
    for index, (title, series) in enumerate(plots):
        top = 30 + index * (HEIGHT + GAP)
        most = max((value for _, _, points in series for _, value in points), default=1) * 1.1 or 1
        parts.append(f"<text x='{LEFT}' y='{top - 8}'>{title}</text>")
        for level in (0, most / 2, most):
            y = top + HEIGHT - level / most * HEIGHT
            parts.append(f"<line x1='{LEFT}' x2='{WIDTH - 20}' y1='{y:.1f}' y2='{y:.1f}' stroke='#ccc'/>"
                         f"<text x='{LEFT - 6}' y='{y + 4:.1f}' text-anchor='end'>{level:.0f}</text>")
        for place, (name, color, points) in enumerate(series):
            path = " ".join(f"{x(at):.1f},{top + HEIGHT - value / most * HEIGHT:.1f}" for at, value in points)
            parts.append(f"<polyline points='{path}' fill='none' stroke='{color}' stroke-width='1.5'/>"
                         f"<text x='{LEFT + 220 + 100 * place}' y='{top - 8}' fill='{color}'>{name}</text>")
    for minute in range(0, int((last - first) // 60) + 1, max(1, int((last - first) // 600))):
        parts.append(f"<text x='{x(first + minute * 60):.1f}' y='{height - 8}' text-anchor='middle'>{minute} min</text>")
    return "\n".join(parts + ["</svg>"]) + "\n"


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("'", "&apos;")
