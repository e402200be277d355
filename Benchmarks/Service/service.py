"""An installation of ../Accuracy with what an administrator's collector has besides: an endpoint, more targets, a log."""

import os
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Accuracy"))
import installation as accuracy  # noqa: E402
from installation import PUSHSCOPE, free_port, quantile, verdict  # noqa: E402,F401

TICK = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    """Seconds of processor time, of all its threads."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def targets(count, port, schedule, deadline="60s"):
    return "".join(
        f"  - {{ name: t{number:04}, provider: loopback, endpoint: 'https://127.0.0.1:{port}', ca_file: loopback/ca.pem,"
        f" receipt_deadline: {deadline}, schedule: {schedule} }}\n" for number in range(count))


class Installation(accuracy.Installation):
    @property
    def configuration(self):
        return self.folder / "pushscope.yaml"

    def monitor(self):
        """Adds an endpoint, and returns its URL."""
        port = free_port()
        self.configuration.write_text(f"service: {{ listen: 127.0.0.1:{port} }}\n" + self.configuration.read_text())
        return f"http://127.0.0.1:{port}"

    def add(self, section):
        self.configuration.write_text(section + "\n" + self.configuration.read_text())

    def rewrite(self, list):
        """Replaces the targets."""
        head = self.configuration.read_text().split("targets:\n")[0]
        self.configuration.write_text(head + "targets:\n" + list)

    def collect(self, *options, log=False):
        """A collector whose log nobody waits for."""
        self.log = open(self.folder / "collect.log", "w+" if log else "w")
        words = [PUSHSCOPE, "collect", "--config", self.configuration, "--store", self.store, *options]
        process = subprocess.Popen([str(word) for word in words], stderr=self.log)
        self.processes.append(process)
        return process

    def fleet(self, *words):
        """Runs `pushscope fleet`."""
        subprocess.run([PUSHSCOPE, "fleet", *words, "--config", self.configuration], check=True, stdout=subprocess.DEVNULL)

    def run(self, *options):
        collector = self.collect(*options)
        if collector.wait():
            sys.exit((self.folder / "collect.log").read_text())

    def wait(self, url, within=60):
        self.until(lambda: self.answers(url), url, within)

    @staticmethod
    def answers(url):
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def wait_for_log(self, word, count=1, within=120):
        self.until(lambda: (self.folder / "collect.log").read_text().count(word) >= count, word, within)

    def wait_for_rows(self, sql, *arguments, within=120):
        self.until(lambda: self.rows(sql, *arguments)[0][0], sql, within)

    def until(self, holds, what, within):
        end = time.monotonic() + within
        while not holds():
            if time.monotonic() > end:
                sys.exit(f"never: {what}\n" + (self.folder / "collect.log").read_text()[-2000:])
            time.sleep(0.005)
