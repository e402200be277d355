"""The processes of a soak: push services, the collector and its analyst, the fleet's engine, and two dashboards in terminals."""
import contextlib
import fcntl
import os
import pty
import random
import signal
import socket
import struct
import termios
import threading
import time
import urllib.error
import urllib.request

from installation import FLEET, METRICS, RECEIPTS, SERVICES
from sandbox import Child, measured, run, wait_until

QUIET = """answers: {{ delay: 3ms }}
deliveries: {{ delay: {{ distribution: lognormal, median: 40ms, sigma: 0.2, at_most: 400ms }} }}
seed: {seed}
"""


def can_connect(port):
    with socket.socket() as peer:
        peer.settimeout(1)
        return peer.connect_ex(("127.0.0.1", port)) == 0


class Service:
    """A push service with its devices. Its clock is the host's: push services do not go by the collector's.
    What it is to do wrong by itself (episodes) is known from the start, by the soak's own clock."""

    def __init__(self, installation, name):
        self.installation = installation
        self.name = name
        self.port = SERVICES[name]
        self.episodes = []  # (start, end, YAML), by time.monotonic()
        self.child = None
        self.starts = 0

    def start(self, authority="trusted"):
        self.starts += 1
        folder = self.installation.file(self.name)
        os.makedirs(folder, exist_ok=True)
        # The service makes the rest, and takes these as they are.
        self.installation.install(f"server-{authority}", f"{self.name}/server")
        self.installation.install(f"server-{authority}", f"{self.name}/client")
        self.installation.write(f"{self.name}/ca.pem", open(self.installation.file(f"{authority}.pem")).read())
        # Times of a scenario begin with the first request, which comes soon.
        now = time.monotonic() + 0.3
        lines = [QUIET.format(seed=self.starts), "episodes:" if any(end > now + 1 for _, end, _ in self.episodes) else ""]
        for begin, end, text in self.episodes:
            if end > now + 1:
                start = max(0.1, begin - now)
                lines.append(f"  - {{ from: {start * 1000:.0f}ms, for: {(end - now - start) * 1000:.0f}ms, {text} }}")
        scenario = self.installation.write(f"{self.name}.yaml", "\n".join(lines) + "\n")
        self.child = Child(
            self.name,
            [self.installation.binary, "loopback", "--port", str(self.port), "--credentials", folder, "--scenario", scenario,
             "--receipts", f"https://127.0.0.1:{RECEIPTS}", "--receipts-ca", self.installation.file("trusted.pem"),
             "--script", self.installation.file(f"script-{self.name}-{self.starts}.jsonl")],
            self.installation.file(f"{self.name}.log"), prepare=measured, cwd=self.installation.folder)
        wait_until(lambda: can_connect(self.port), f"{self.name} listens", child=self.child)

    def restart(self, authority="trusted"):
        self.child.kill()
        self.start(authority)


class Collector:
    """The collector. Its log is a pipe that a thread reads into a file, unless it is told to stop reading."""

    def __init__(self, installation):
        self.installation = installation
        self.child = None
        self.log = installation.file("collector.log")
        self.is_read = threading.Event()
        self.is_read.set()
        self.starts = 0

    def start(self, *arguments, configuration=None):
        self.starts += 1
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        self.child = Child(
            "collector",
            [self.installation.binary, "collect", "--config", configuration or self.installation.configuration,
             "--store", self.installation.store, "--drain", "20s", *arguments],
            self.log, {**self.installation.clock.environment, "HOME": self.installation.folder}, measured, stderr=writer,
            cwd=self.installation.folder)
        os.close(writer)
        threading.Thread(target=self._copy, args=(reader,), daemon=True).start()

    def _copy(self, reader):
        with open(self.log, "ab", buffering=0) as file:
            while True:
                self.is_read.wait()
                data = os.read(reader, 4096)
                if not data:
                    break
                file.write(data)
        os.close(reader)

    @property
    def pid(self):
        return self.child.pid

    @property
    def analyst(self):
        """The process id of the analyst, or None while there is none."""
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{self.pid}/task"):
                for child in open(f"/proc/{self.pid}/task/{task}/children").read().split():
                    if b"analyst" in open(f"/proc/{child}/cmdline", "rb").read():
                        return int(child)
        return None

    def is_ready(self):
        try:
            return ask("/-/ready")[0] == 200
        except OSError:
            return False

    def wait_until_ready(self):
        wait_until(self.is_ready, "the collector is ready", 120, self.child)


def ask(path, timeout=5):
    """Status and body of the collector's web endpoint."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{METRICS}{path}", timeout=timeout) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


class Fleet:
    """ClickHouse's engine behind its HTTP interface (Tests/Support/clickhouse_front.py)."""

    def __init__(self, installation):
        self.installation = installation
        self.child = None

    def is_available(self):
        try:
            run(self.installation.python, "-c", "import importlib.util, sys; sys.exit(not importlib.util.find_spec('chdb'))")
            return True
        except (OSError, RuntimeError):
            return False

    def start(self):
        front = os.path.join(self.installation.repository, "Tests/Support/clickhouse_front.py")
        self.child = Child("fleet", [self.installation.python, "-X", "utf8", front, self.installation.file("engine"), str(FLEET)],
                           self.installation.file("fleet.log"))
        wait_until(lambda: can_connect(FLEET), "the engine listens", 120, self.child)

    def ask(self, query):
        """Rows as lists of texts."""
        request = urllib.request.Request(f"http://127.0.0.1:{FLEET}", query.encode(), method="POST")
        with urllib.request.urlopen(request, timeout=120) as answer:
            return [line.split("\t") for line in answer.read().decode().splitlines()]


class Dashboard:
    """A dashboard in a terminal whose output is read and dropped, but for the last of it; keys are sent now and then."""

    KEYS = ["1", "2", "3", "4", "5", "\x1b[C", "\x1b[D", "\x1b[A", "\x1b[B", "+", "-", "v", "\t", "h", "l", "\x1b"]

    def __init__(self, installation, name, columns, rows, seed):
        self.installation = installation
        self.name, self.columns, self.rows = name, columns, rows
        self.random = random.Random(f"{seed}-{name}")
        self.child = None
        self.read_bytes = 0
        self.starts = 0

    def start(self):
        self.starts += 1
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", self.rows, self.columns, 0, 0))
        self.child = Child(
            self.name, [self.installation.binary, "dashboard", "--store", self.installation.store],
            self.installation.file(f"{self.name}.log"),
            {**self.installation.clock.environment, "TERM": "xterm-256color", "HOME": self.installation.folder},
            stdin=slave, stdout=slave, stderr=slave, cwd=self.installation.folder)
        os.close(slave)
        threading.Thread(target=self._drop, args=(self.master,), daemon=True).start()

    def _drop(self, master):
        with open(self.installation.file(f"{self.name}.out"), "wb", buffering=0) as file, contextlib.suppress(OSError):
            while data := os.read(master, 65536):
                self.read_bytes += len(data)
                if file.tell() > 4 << 20:
                    file.seek(0)
                    file.truncate()
                file.write(data)

    def press(self):
        with contextlib.suppress(OSError):
            os.write(self.master, self.random.choice(self.KEYS).encode())

    def stop(self):
        self.child.signal(signal.SIGTERM)
        try:
            code = self.child.process.wait(20)
        except Exception:
            code = None
        self.child.kill()
        os.close(self.master)
        return code
