"""What every case needs: a directory with certificates, a configuration and a store; servers; a collector."""

import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

PUSHSCOPE = os.environ["PUSHSCOPE"]
SUPPORT = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Support"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def quantile(values, share):
    """The value at the rank of a quantile: the first that has at least this share at or below it."""
    values = sorted(values)
    return values[min(len(values) - 1, max(0, int(-(-share * len(values) // 1)) - 1))]


def verdict(what, figure, aim, is_met):
    """One line a figure that has an aim; `run` gathers them at the end."""
    print(f"  [{'met' if is_met else 'MISSED'}] {what}: {figure} (aim {aim})", flush=True)


class Installation:
    def __init__(self, rate, target=(), provider="loopback"):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pushscope-accuracy-"))
        self.port, self.receipts = free_port(), free_port()
        self.store = self.folder / "store.sqlite"
        self.script = self.folder / "script.jsonl"
        self.credentials = self.folder / "loopback"
        self.credentials.mkdir()
        self.processes = []
        self.certificates()
        secret = self.folder / "receipts.secret"
        secret.write_text("0123456789abcdef0123456789abcdef\n")
        secret.chmod(0o600)
        lines = [
            "collector:",
            f"  receipts: {{ listen: 127.0.0.1:{self.receipts}, certificate_file: loopback/server.pem,"
            " key_file: loopback/server.key, secret_file: receipts.secret }",
            "targets:",
            "  - name: bench",
            f"    provider: {provider}",
            f"    endpoint: https://127.0.0.1:{self.port}",
            "    ca_file: loopback/ca.pem",
            f"    schedule: {{ arrivals: constant, rate: {rate}/s }}",
            *[f"    {line}" for line in target],
        ]
        (self.folder / "pushscope.yaml").write_text("\n".join(lines) + "\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def certificates(self):
        def openssl(*words):
            subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=self.credentials)

        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        openssl("req", "-x509", *key, "-days", "2", "-subj", "/CN=bench", "-keyout", "ca.key", "-out", "ca.pem")
        openssl("req", *key, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr")
        (self.credentials / "ext").write_text("subjectAltName = DNS:localhost, IP:127.0.0.1\n")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                "-extfile", "ext", "-out", "server.pem")

    def spawn(self, *words, **more):
        process = subprocess.Popen([str(word) for word in words], text=True, **more)
        self.processes.append(process)
        return process

    def loopback(self, scenario, script=True, receipts=True):
        """The loopback service; it makes certificates of its own in place of ours."""
        (self.folder / "scenario.yaml").write_text(scenario)
        words = [PUSHSCOPE, "loopback", "--port", self.port, "--credentials", self.credentials, "--scenario",
                 self.folder / "scenario.yaml"]
        if receipts:
            words += ["--receipts", f"https://127.0.0.1:{self.receipts}"]
        if script:
            words += ["--script", self.script]
        service = self.spawn(*words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        service.stdout.readline()
        return service

    def python_service(self, *options):
        service = self.spawn(
            sys.executable, SUPPORT / "push_service.py", "--port", self.port, "--cert", self.credentials / "server.pem",
            "--key", self.credentials / "server.key", "--ca", self.credentials / "ca.pem", "--receipts",
            f"https://127.0.0.1:{self.receipts}", "--script", self.script, *options, stdout=subprocess.PIPE)
        service.stdout.readline()
        return service

    def nghttpd(self, streams=1000):
        www = self.folder / "www"
        www.mkdir(exist_ok=True)
        (www / "index.html").write_text("ok\n")
        program = shutil.which("nghttpd", path=os.environ["PATH"] + ":/usr/sbin")
        if not program:
            return None
        service = self.spawn(program, "--address=127.0.0.1", "-m", str(streams), "-d", www, self.port,
                             self.credentials / "server.key", self.credentials / "server.pem", stdout=subprocess.DEVNULL)
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except OSError:
                time.sleep(0.05)
        return service

    def capture(self):
        """A capture of the service's packets into `wire.pcap` that is under way, or None where that is not allowed."""
        file = self.folder / "wire.pcap"
        words = [sys.executable, pathlib.Path(__file__).resolve().parent / "packets.py", self.port, file]
        if shutil.which("tcpdump"):
            words = ["tcpdump", "-i", "lo", "-n", "--immediate-mode", "--time-stamp-precision=nano", "-B", "65536", "-w", file,
                     f"tcp port {self.port}"]
        process = self.spawn(*words, stderr=subprocess.PIPE)
        while line := process.stderr.readline():
            if "listening" in line:
                return process
        print("  no capture here: it needs root or CAP_NET_RAW")
        return None

    def collect(self, *options, program=PUSHSCOPE, **more):
        return self.spawn(program, "collect", "--config", self.folder / "pushscope.yaml", "--store", self.store,
                          *options, stderr=subprocess.PIPE, **more)

    def run(self, *options):
        collector = self.collect(*options)
        _, text = collector.communicate()
        if collector.returncode:
            sys.exit(f"the collector failed: {text}")

    def stop(self, process):
        process.send_signal(signal.SIGTERM)
        process.wait()

    def check(self, *options):
        result = subprocess.run([sys.executable, SUPPORT / "check_run.py", self.store, self.script, *options],
                                text=True, capture_output=True)
        return result.returncode == 0, result.stderr, json.loads(result.stdout) if result.stdout else {}

    def rows(self, sql, *arguments):
        with sqlite3.connect(f"file:{self.store}?mode=ro", uri=True) as db:
            return db.execute(sql, arguments).fetchall()

    def report_check(self, *options):
        holds, problems, figures = self.check(*options)
        print(f"  held against the service's script: {'everything holds' if holds else 'DOES NOT HOLD'}")
        if not holds:
            print(problems)
        return figures
