#!/usr/bin/env python3
"""Many requests under way: answers after 200 ms at 500, 1 000 and 2 000 a second, with PING and TX_ACK, from the loopback service
and from servers that share no code with it. Prints for each the collector's CPU, how late requests left, and the share of
kernel stamps; once more at 1 000 a second, beside a capture that takes processor time of its own, the error of the service time
against the packets of the exchange (Benchmarks/Accuracy/capture.py); and what the transport keeps in memory for a stream.

SECONDS_EACH (10), RATES ("500 1000 2000"), WIRE_RATES ("1000") and SERVERS ("loopback python-h2 nghttpx nginx") choose; DRIVER
is TransportBenchmark. BEFORE names a pushscope of an earlier commit, whose CPU and lag are set beside with the first server.
"""

import importlib.util
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Accuracy"))

from installation import PUSHSCOPE, Installation, free_port, quantile, verdict  # noqa: E402

SECONDS = int(os.environ.get("SECONDS_EACH", "10"))
RATES = [int(rate) for rate in os.environ.get("RATES", "500 1000 2000").split()]
WIRE_RATES = [int(rate) for rate in os.environ.get("WIRE_RATES", "1000").split()]
SERVERS = os.environ.get("SERVERS", "loopback python-h2 nghttpx nginx").split()
DELAY = 200
SERVICES = HERE.parents[1] / ".build" / "services"


def program(name):
    path = f"{SERVICES}/bin:{os.environ['PATH']}:/usr/sbin:/usr/local/sbin"
    return shutil.which(name, path=path)


def backend(installation, delay):
    port = free_port()
    process = installation.spawn(sys.executable, HERE / "delaying_backend.py", port, delay, stdout=subprocess.PIPE)
    process.stdout.readline()
    return port


def started(installation, process):
    """Waits until the server takes connections."""
    import socket

    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", installation.port)).close()
            return process
        except OSError:
            time.sleep(0.05)
    sys.exit("the server does not listen")


def nghttpx(installation, delay):
    if not program("nghttpx"):
        return None
    credentials = installation.credentials
    return started(installation, installation.spawn(
        program("nghttpx"), "--conf=/dev/null", f"--frontend=127.0.0.1,{installation.port}",
        f"--backend=127.0.0.1,{backend(installation, delay)}", "--workers=1", "--single-process",
        "--frontend-http2-max-concurrent-streams=1000", "--backend-connections-per-frontend=0", "--accesslog-file=/dev/null",
        credentials / "server.key", credentials / "server.pem", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))


def nginx(installation, delay):
    if not program("nginx"):
        return None
    folder, credentials = installation.folder / "nginx", installation.credentials
    folder.mkdir()
    places = "".join(f"{name}_temp_path {folder}/{name};" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    (folder / "conf").write_text(f"""
        daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
        events {{ worker_connections 4096; }}
        http {{
          access_log off; {places}
          keepalive_requests 10000000; http2_max_concurrent_streams 1000;
          upstream delaying {{ server 127.0.0.1:{backend(installation, delay)}; keepalive 1024; keepalive_requests 10000000; }}
          server {{
            listen 127.0.0.1:{installation.port} ssl http2;
            ssl_protocols TLSv1.3; ssl_certificate {credentials}/server.pem; ssl_certificate_key {credentials}/server.key;
            location / {{ proxy_pass http://delaying; proxy_http_version 1.1; proxy_set_header connection ""; }}
          }}
        }}""")
    return started(installation, installation.spawn(program("nginx"), "-c", folder / "conf", "-p", folder, stderr=subprocess.DEVNULL))


def loopback(installation, delay):
    return installation.loopback(f"answers: {{ delay: {delay}ms }}\ndeliveries: {{ delay: 1ms }}\n", script=False)


def python_h2(installation, delay):
    if not importlib.util.find_spec("h2"):
        return None
    return installation.python_service("--answer-delay", f"constant:{delay}")


START = {
    "loopback": (loopback, "loopback", ("receipt_deadline: 5s",)), "python-h2": (python_h2, "loopback", ("receipt_deadline: 5s",)),
    "nghttpx": (nghttpx, "http", ()), "nginx": (nginx, "http", ()),
}


def cpu():
    """CPU seconds of the processes that ended so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def wire_errors(installation, keys):
    """|service time - wire| in µs of each answered notification that did not open a connection."""
    from capture import exchanges

    rows = installation.rows(
        "SELECT connection_id, service_us, fresh_connection, accept_us IS NOT NULL FROM sample WHERE connection_id IS NOT NULL"
        " ORDER BY connection_id, planned_monotonic_us + schedule_lag_us, id")
    streams = exchanges(installation.folder / "wire.pcap", keys, installation.port)
    errors, place = [], {}
    for connection, service, is_fresh, is_answered in rows:
        number = place[connection] = place.get(connection, -1) + 1
        index = sorted(place).index(connection)
        wire = streams[index].get(2 * number + 1) if index < len(streams) else None
        if wire and is_answered and not is_fresh:
            errors.append(abs(service - (wire[1] - wire[0]) / 1000))
    return errors


class Flight:
    """One run of the collector against a server: its figures, as far as the server is installed."""

    def __init__(self, name, rate, program=PUSHSCOPE, captures=False):
        self.rows, self.errors, self.name = [], [], f"{name} at {rate}/s"
        start, provider, target = START[name]
        with Installation(rate, ("max_in_flight: 5000", "timeout: 20s", *target), provider) as installation:
            service = start(installation, DELAY)
            if service is None:
                print(f"  [left out] {name}: not installed")
                return
            self.run(installation, program, captures)
            installation.stop(service)
            self.read(installation)

    def run(self, installation, program, captures):
        if captures and not importlib.util.find_spec("cryptography"):
            print("  no capture here: this Python has no module cryptography (scripts/bootstrap test)")
            captures = False
        capture = installation.capture() if captures else None
        keys = installation.folder / "keys"
        if capture:
            os.environ["SSLKEYLOGFILE"] = str(keys)
        collector = installation.collect("--duration", f"{SECONDS}s", program=program)
        os.environ.pop("SSLKEYLOGFILE", None)
        before = cpu()
        _, text = collector.communicate()
        self.cpu = (cpu() - before) / SECONDS
        if collector.returncode:
            sys.exit(f"the collector failed: {text}")
        if capture:
            time.sleep(0.5)
            capture.send_signal(signal.SIGINT)
            capture.wait()
            self.errors = wire_errors(installation, keys)

    def read(self, installation):
        # A new connection takes one request until that is answered: what waits for that is not what is asked here.
        self.rows = installation.rows("SELECT timestamp_source, schedule_lag_us FROM sample WHERE accept_us IS NOT NULL AND"
                                 " planned_monotonic_us > (SELECT min(planned_monotonic_us) + 1000000 FROM sample)")
        self.ends = dict(installation.rows("SELECT state, count(*) FROM sample_view GROUP BY state"))
        lags = [lag for _, lag in self.rows]
        if not lags:
            print(f"  [FAILED] {self.name}: nothing was answered: {self.ends}")
            return
        self.lag = quantile(lags, 0.5), quantile(lags, 0.99)
        self.kernel = sum(source == 0 for source, _ in self.rows) / len(self.rows)

    @property
    def words(self):
        ends = ", ".join(f"{count} {state}" for state, count in self.ends.items())
        return f"CPU {100 * self.cpu:5.1f} % of a core; late p50 {self.lag[0]} µs, p99 {self.lag[1]} µs; {ends}"


def many_under_way(server, rate):
    flight = Flight(server, rate)
    if not flight.rows:
        return
    print(f"{flight.name}, answers after {DELAY} ms: {flight.words}")
    verdict(f"share of kernel stamps, {flight.name}", f"{100 * flight.kernel:.2f} %", ">= 99 %", flight.kernel >= 0.99)
    before = os.environ.get("BEFORE")
    if not before or server != SERVERS[0]:
        return
    earlier = Flight(server, rate, program=before)
    if not earlier.rows:
        return
    print(f"  {before}: {earlier.words}")
    share, own = flight.cpu / earlier.cpu, earlier.lag[1]
    verdict(f"CPU beside the earlier one, {flight.name}", f"{share:.2f} of it", "<= 0.33", share <= 0.33)
    verdict(f"lag beside the earlier one, {flight.name}", f"p99 {flight.lag[1]} µs", f"<= {own} µs", flight.lag[1] <= own)


def beside_the_wire(server, rate):
    flight = Flight(server, rate, captures=True)
    if not flight.rows:
        return
    if not flight.errors:
        print(f"  [left out] {flight.name}: no capture to hold it against")
        return
    middle, high = quantile(flight.errors, 0.5), quantile(flight.errors, 0.99)
    verdict(f"|service time - wire|, {flight.name}, {len(flight.errors)} answers",
            f"p50 {middle:.1f} µs, p99 {high:.1f} µs, max {max(flight.errors):.1f} µs", "p50 <= 10 µs, p99 <= 20 µs",
            middle <= 10 and high <= 20)


def memory():
    """What a stream keeps in the heap, from the transport alone."""
    driver = os.environ.get("DRIVER")
    if not driver:
        return
    with Installation(1000, (), "http") as installation:
        service = next((s for s in (make(installation, 800) for make in (nghttpx, nginx)) if s), None)
        if service is None:
            print("  [left out] memory: neither nghttpx nor nginx is installed")
            return
        subprocess.run([driver, "memory", f"https://127.0.0.1:{installation.port}/", str(installation.credentials / "ca.pem"), "1000",
                        "4", "200"], check=True)


for server in SERVERS:
    for each in RATES:
        many_under_way(server, each)
for server in SERVERS:
    for each in WIRE_RATES:
        beside_the_wire(server, each)
memory()
