"""What a soak looks at while it goes on: memory, threads, descriptors, sizes, and the collector's metrics. A thread of its own."""
import os
import re
import threading
import time

from processes import ask

INTERVAL = 5
LINE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Metrics:
    """Metrics in Prometheus' text format."""

    def __init__(self, text):
        self.text = text
        self.lines = [(m[1], dict(LABEL.findall(m[2] or "")), float(m[3])) for m in map(LINE.match, text.splitlines()) if m]

    def sum(self, name, **labels):
        return sum(value for known, given, value in self.lines
                   if known == name and all(given.get(key) == text for key, text in labels.items()))


def process_figures(pid):
    """Memory in KiB, threads, descriptors; None of a process that is gone."""
    try:
        status = dict(re.findall(r"^(\w+):\s+(\d+)", open(f"/proc/{pid}/status").read(), re.MULTILINE))
        memory = re.search(r"^Pss:\s+(\d+)", open(f"/proc/{pid}/smaps_rollup").read(), re.MULTILINE)
        return {"rss": int(status["VmRSS"]), "own": int(status["RssAnon"]), "peak": int(status["VmHWM"]),
                "pss": int(memory[1]), "threads": int(status["Threads"]), "descriptors": len(os.listdir(f"/proc/{pid}/fd"))}
    except (OSError, KeyError, TypeError):
        return None


def size(path):
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


class Probes:
    """Samples of a soak; each is a dictionary with the time of `time.monotonic()`."""

    def __init__(self, soak):
        self.soak = soak
        self.samples = []
        self.metrics = None
        self.unanswered = 0
        self.stall = 0
        self.stalls = []  # (time, s): how much later than asked this process woke up
        self._ends = threading.Event()
        self._threads = [threading.Thread(target=self._watch, daemon=True), threading.Thread(target=self._watch_host, daemon=True)]

    def start(self):
        for thread in self._threads:
            thread.start()

    def stop(self):
        self._ends.set()
        for thread in self._threads:
            thread.join(30)

    def _watch(self):
        with open(self.soak.installation.file("metrics.txt"), "w") as file:
            while not self._ends.wait(INTERVAL):
                self._take(file)
                for dashboard in self.soak.dashboards:
                    dashboard.press()

    def _take(self, file):
        sample = {"at": time.monotonic()}
        collector = self.soak.collector
        sample["collector"] = process_figures(collector.pid)
        sample["process"] = collector.starts
        analyst = collector.analyst
        sample["analyst"] = process_figures(analyst) if analyst else None
        sample["analyst_pid"] = analyst
        sample["dashboards"] = [process_figures(dashboard.child.pid) for dashboard in self.soak.dashboards if dashboard.child]
        sample["store"], sample["wal"] = size(self.soak.installation.store), size(self.soak.installation.store + "-wal")
        try:
            status, text = ask("/metrics", 4)
            if status == 200:
                self.metrics = Metrics(text)
                file.seek(0)
                file.truncate()
                file.write(text)
                sample["forward_backlog"] = self.metrics.sum("pushscope_forward_backlog_rows")
                sample["pinned"] = self.metrics.sum("pushscope_log_pinned_seconds")
        except (OSError, ValueError):
            self.unanswered += 1
        self.samples.append(sample)

    def _watch_host(self):
        """How much the host holds up a process that wants to run: what the collector cannot do better."""
        while not self._ends.is_set():
            before = time.monotonic()
            time.sleep(0.01)
            late = time.monotonic() - before - 0.01
            if late > 0.005:
                self.stalls.append((before, late))

    def worst_stall(self, first, last):
        return max((late for at, late in self.stalls if first <= at <= last), default=0)

    def stalled_share(self, first, last):
        """The part of a time in which a process that wanted to run did not."""
        return sum(late for at, late in self.stalls if first <= at <= last) / max(last - first, 1)
