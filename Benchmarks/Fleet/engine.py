"""Engines to forward to: a real server of Debian's packages, and chdb behind the HTTP server of the tests."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Benchmarks" / "Service"))
from service import PUSHSCOPE, Installation, cpu, free_port, quantile, verdict  # noqa: E402,F401


def section(port, database="pushscope"):
    """The section `fleet:` of a configuration."""
    return (f"fleet: {{ url: 'http://127.0.0.1:{port}', database: {database}, writer: {{ user: default }},"
            f" reader: {{ user: default }} }}\n")


def ask(port, query):
    """The answer of the engine as lines of fields."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", data=query.encode(), timeout=600) as answer:
        return [line.split("\t") for line in answer.read().decode().splitlines()]


@contextlib.contextmanager
def server():
    """One of Debian's servers: its HTTP port."""
    folder = tempfile.mkdtemp(prefix="pushscope-clickhouse-")
    os.chmod(folder, 0o755)
    script = [sys.executable, ROOT / "scripts" / "clickhouse"]
    try:
        text = subprocess.run([*script, "start", folder + "/servers"], check=True, capture_output=True, text=True).stdout
        yield int(text.split()[1])
    finally:
        subprocess.run([*script, "stop", folder + "/servers"], capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


def client(port, query, input=None, output=subprocess.DEVNULL):
    """Runs Debian's clickhouse-client, and returns seconds. `port` is the HTTP port: the native one is the next in the file."""
    unpacked = ROOT / ".build" / "services" / "root"
    libraries = [str(path) for pattern in ("usr/lib/*-linux-*", "lib/*-linux-*") for path in unpacked.glob(pattern)]
    environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(libraries)}
    began = time.monotonic()
    subprocess.run([unpacked / "usr/bin/clickhouse-client", "--host=127.0.0.1", f"--port={port}", f"--query={query}"],
                   check=True, stdin=input, stdout=output, env=environment)
    return time.monotonic() - began


@contextlib.contextmanager
def front(folder=None):
    """chdb behind an HTTP server, which gets what processor time others leave: its port, and its process."""
    own = None if folder else tempfile.mkdtemp(prefix="pushscope-chdb-")
    port = free_port()
    words = ["nice", "-n", "19", sys.executable, "-X", "utf8", ROOT / "Tests/Support/clickhouse_front.py", folder or own, port]
    process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        process.stdout.readline()
        yield port, process
    finally:
        process.kill()
        process.wait()
        if own:
            shutil.rmtree(own, ignore_errors=True)


def wait_for_port(port):
    for _ in range(600):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
        time.sleep(0.05)
    sys.exit(f"nobody listens on {port}")
