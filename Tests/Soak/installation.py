"""Files of a soak: certificates, credentials, the collector's configuration, and a store that has old hours already."""
import os
import shutil
import sqlite3

from clock import SteppedClock
from sandbox import NAMES, run

SERVICES = {"alpha": 18471, "beta": 18472, "gamma": 18473}
RECEIPTS, METRICS, FLEET = 18443, 18477, 18423
# Each target, the service that it is sent to, and the dialect that is spoken there.
TARGETS = {"ios": "alpha", "hook": "alpha", "android": "beta", "browser": "beta", "ntfy": "gamma", "loopback": "gamma"}
FLEET_SECTION = (f"fleet: {{ url: 'http://127.0.0.1:{FLEET}', writer: {{ user: pushscope_writer }},"
                 " reader: { user: pushscope_reader } }")
HEADER = "Soak5ecretHeaderValue"


class Installation:
    def __init__(self, folder, sandbox, binary, python, repository, rate):
        self.folder = folder
        self.sandbox = sandbox
        self.binary = binary
        self.python = python
        self.repository = repository
        self.rate = rate
        self.store = os.path.join(sandbox.store_folder, "pushscope.sqlite")
        self.configuration = self.file("pushscope.yaml")
        self.clock = SteppedClock(folder, os.path.join(repository, "Tests/Support/stepped_clock.c"))
        if self.clock.library is None:
            sandbox.skipped["clock"] = "no C compiler"

    def file(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, text):
        path = self.file(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o600)
        return path

    # Certificates. They are two days old, so that a clock that is set back does not come before them.

    def make_certificates(self):
        self.clock.set(-2 * 86400)
        for authority in ["trusted", "other"]:
            self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
                          "-subj", f"/CN=soak {authority}", "-keyout", self.file(f"{authority}.key"),
                          "-out", self.file(f"{authority}.pem"))
            self.issue(authority, f"server-{authority}")
        for number in range(2):
            self.issue("trusted", f"receipts-{number}")
        self.clock.set(0)
        self.install("receipts-0", "receipts")

    def issue(self, authority, name):
        """A certificate for the services' names, with a new key."""
        names = ",".join(["DNS:localhost", "IP:127.0.0.1"] + [f"DNS:{name}" for name in NAMES])
        extensions = self.write("extensions", f"subjectAltName={names}\n")
        key, request, certificate = (self.file(f"{name}.{suffix}") for suffix in ["key", "csr", "pem"])
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
                      "-keyout", key, "-out", request)
        self._openssl("x509", "-req", "-in", request, "-CA", self.file(f"{authority}.pem"), "-CAkey", self.file(f"{authority}.key"),
                      "-CAcreateserial", "-days", "20", "-extfile", extensions, "-out", certificate)
        os.chmod(key, 0o600)

    def install(self, source, destination):
        """Puts key and certificate in the place of others, each by renaming."""
        for suffix in ["key", "pem"]:
            new = self.file(f"{destination}.{suffix}.new")
            shutil.copy(self.file(f"{source}.{suffix}"), new)
            os.rename(new, self.file(f"{destination}.{suffix}"))

    def _openssl(self, *arguments):
        run("openssl", *arguments, env={**os.environ, **self.clock.environment})

    # The configuration

    def prepare(self):
        self.make_certificates()
        self.write("receipts.secret", "0123456789abcdefSOAKsoakSOAKsoak\n")
        self.write("body.json", '{"aps":{"alert":{"title":"soak"}},"pushscope":{pushscope}}\n')
        self.write("alert", '#!/bin/sh\ncat >>"$1"\necho >>"$1"\n')
        os.chmod(self.file("alert"), 0o700)
        self.write_configuration()

    def endpoint(self, target):
        service = TARGETS[target]
        name = {"alpha": NAMES[0], "gamma": NAMES[1]}.get(service)
        return f"https://{self.sandbox.name(name) if name else '127.0.0.1'}:{SERVICES[service]}"

    def write_configuration(self, rates=None, broken=False):
        """The collector's configuration.

        - rates: factors of the rates of some targets, for reloads.
        - broken: a file with an error in its last target."""
        credentials = {service: self.file(service) for service in SERVICES}
        token = self.read(self.file("alpha", "apns.token")) or "00"
        own = {
            "ios": f"provider: apns, topic: com.example.app, device_token_file: {credentials['alpha']}/apns.token,"
            f" credentials: {{ signing_key_file: {credentials['alpha']}/AuthKey_LOOPBACK01.p8, key_id: LOOPBACK01,"
            " team_id: PUSHSCOPE1 }",
            "hook": "provider: http, body_file: body.json, headers: { authorization: bearer loopback, apns-topic: com.example.app,"
            f" apns-push-type: alert, content-type: application/json, x-soak: {HEADER} }}",
            "android": f"provider: fcm, device_token_file: {credentials['beta']}/fcm.token,"
            f" credentials: {{ service_account_file: {credentials['beta']}/service-account.json }}",
            "browser": f"provider: webpush, ttl: 60s, subscription_file: {credentials['beta']}/subscription.json,"
            f" credentials: {{ vapid_key_file: {credentials['beta']}/vapid.pem, subject: 'mailto:ops@example.com' }}",
            "ntfy": f"provider: ntfy, topic: soak, subscribe: true, credentials: {{ token_file: {credentials['gamma']}/ntfy.token }}",
            "loopback": "provider: loopback, path_probe: 1s",
        }
        targets = []
        for name in TARGETS:
            endpoint = self.endpoint(name) + (f"/3/device/{token}" if name == "hook" else "")
            endpoint = "" if name == "browser" else f"endpoint: '{endpoint}', "
            rate = self.rate / len(TARGETS) * (rates or {}).get(name, 1)
            arrivals = "poisson" if name in ("android", "browser") else "constant"
            targets.append(
                f"  - {{ name: {name}, {endpoint}{own[name]}, ca_file: trusted.pem, timeout: 4s, receipt_deadline: 5s,"
                f" backoff: {{ first: 2s, longest: 8s }}, schedule: {{ arrivals: {arrivals}, rate: {rate:.2f}/s }} }}")
        if broken:
            targets[-1] = targets[-1].replace("/s }", "/fortnight }")
        self.write(
            "pushscope.yaml",
            "\n".join(
                [
                    self.receipts,
                    f"service: {{ listen: '127.0.0.1:{METRICS}' }}",
                    "labels: { region: soak }",
                    "retention: { samples: 30d, rollups: { second: 1h, minute: 1h, hour: 30d }, maximum_size: 64MB }",
                    "objectives:",
                    "  - { name: ios fast, target: ios, metric: delivery, within: 500ms, share: 90%, window: 1h }",
                    "  - { name: hook alive, target: hook, silence: 4s }",
                    f"alerts: {{ command: [ {self.file('alert')}, {self.file('alerts.jsonl')} ] }}",
                    *([] if "fleet" in self.sandbox.skipped else [FLEET_SECTION]),
                    "targets:",
                    *targets,
                ]
            )
            + "\n")

    def write_past(self):
        """A configuration with a target of its own, for what is there when the soak begins."""
        target = (f"{{ name: past, provider: loopback, endpoint: '{self.endpoint('loopback')}', ca_file: trusted.pem,"
                  " schedule: { rate: 2400/s }, receipt_deadline: 5s }")
        return self.write("past.yaml", f"{self.receipts}\ntargets:\n  - {target}\n")

    receipts = (f"collector: {{ receipts: {{ listen: '127.0.0.1:{RECEIPTS}', certificate_file: receipts.pem, key_file: receipts.key,"
                " secret_file: receipts.secret } }")

    @staticmethod
    def read(path):
        try:
            with open(path) as file:
                return file.read().strip()
        except OSError:
            return None

    # What the program is asked

    def pushscope(self, *arguments, check=True, **options):
        environment = {**os.environ, **self.clock.environment, "HOME": self.folder}
        return run(self.binary, *arguments, check=check, env=environment, cwd=self.folder, **options)

    def query(self, sql, *values):
        """Rows of the store, read by Python's SQLite, which is independent of this project."""
        connection = sqlite3.connect(f"file:{self.store}?mode=ro", uri=True, timeout=20)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def multiply(self, times):
        """Makes of what is recorded as many hours that are over, each with the same notifications, as if the collector had run in all
        of them. Nobody may have the store."""
        connection = sqlite3.connect(self.store, timeout=20)
        revisions, = connection.execute("SELECT revision + 1 FROM meta").fetchone()
        count, = connection.execute("SELECT max(id & 0xFFFFFFFFFF) FROM sample").fetchone()
        hour = 3_600_000_000
        moved = {"sample": {"id": count, "revision": revisions, "planned_at": hour},
                 "receipt": {"sample_id": count, "revision": revisions, "received_at": hour, "arrived_at": hour}}
        for table, changes in moved.items():
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for copy in range(1, times):
                values = [f"{column} + {changes[column] * copy}" if column in changes else column for column in columns]
                connection.execute(
                    f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {table} WHERE revision < ?",
                    (revisions,))
        counters = [row[1] for row in connection.execute("PRAGMA table_info(tally)") if not row[1].endswith("_id")]
        connection.execute("UPDATE tally SET " + ", ".join(f"{name} = {name} * {times}" for name in counters))
        connection.execute("UPDATE meta SET revision = ?", (revisions * times,))
        connection.execute(f"UPDATE sample SET planned_at = planned_at - {(times + 1) * hour}")
        for column in ["received_at", "arrived_at"]:
            connection.execute(f"UPDATE receipt SET {column} = {column} - {(times + 1) * hour}")
        connection.execute(f"UPDATE run SET started_at = started_at - {(times + 2) * hour}, ended_at = ended_at - {2 * hour}")
        for table in ["rollup", "rollup_mark", "finding", "detector", "detector_checkpoint"]:
            connection.execute(f"DELETE FROM {table}")
        connection.commit()
        connection.close()

    def keep_store(self):
        """Copies the store out of the file system that ends with the soak."""
        if not os.path.exists(self.store) or not self.sandbox.has_network:
            return
        for name in os.listdir(self.sandbox.store_folder):
            if name.startswith("pushscope.sqlite"):
                shutil.copy(os.path.join(self.sandbox.store_folder, name), self.file(name))
