"""Left alone for a year, shown in hours: a collector with all dialects, a fleet, alerts and dashboards, and a fault each minute.

    soak.py --minutes 60 --seed 1 [--binary FILE] [--folder FOLDER]

The sequence of faults depends on the seed alone. Exit code 0 when everything holds that CONTRIBUTING.md lists, 1 when something does
not, 130 when it was interrupted. What it wrote is in .build/soak/SEED-n: report.txt, picture.svg, samples.jsonl, logs, the store.
"""
import argparse
import os
import shutil
import signal
import sys
import time
import traceback

import verification
from evaluation import Evaluation, text_of
from faults import KINDS, plan, play
from installation import SERVICES, Installation
from processes import Collector, Dashboard, Fleet, Service
from probes import Probes
from report import write_report
from sandbox import Child, Sandbox

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Notifications of hours that are over, which retention has to delete once the store is as large as it may be.
PREFILL = 48_000
HOURS = 5


class Soak:
    def __init__(self, options, folder):
        self.options = options
        self.problems = []
        self.sandbox = Sandbox(folder, "320m")
        self.sandbox.enter()
        self.installation = Installation(folder, self.sandbox, options.binary, options.python, REPOSITORY, options.rate)
        self.services = {name: Service(self.installation, name) for name in SERVICES}
        self.collector = Collector(self.installation)
        self.fleet = Fleet(self.installation)
        if not self.fleet.is_available():
            self.sandbox.skipped["fleet"] = f"{options.python} has no chdb"
        self.dashboards = [Dashboard(self.installation, name, columns, rows, options.seed)
                           for name, columns, rows in [("small", 80, 24), ("large", 200, 60)]]
        self.probes = Probes(self)
        self.evaluation = Evaluation(self)
        self.plan = plan(options.seed, options.minutes)
        self.receipts_certificate = 0
        self.begun = 0
        # Counters of the store at each start of the collector, and metrics before each kill.
        self.tallies = []
        self.killed = []
        self.facts = {}
        self.found = []  # (finding, the fault that it tells of)

    now = staticmethod(time.monotonic)

    def say(self, text):
        print(text, flush=True)

    def problem(self, text):
        self.problems.append(text)
        self.say(f"  PROBLEM {text}")

    def pause(self, end):
        """Waits until an instant; a process that ends by itself meanwhile is a problem."""
        while (rest := end - time.monotonic()) > 0:
            time.sleep(min(0.25, rest))
            if not self.collector.child.is_running:
                self.problem(f"the collector ended with {self.collector.child.process.returncode}")
                self.start_collector()

    def start_collector(self):
        self.tallies.append(verification.tally(self.installation))
        self.collector.start()
        self.collector.wait_until_ready()

    def before_kill(self):
        self.killed.append((len(self.tallies) - 1, self.probes.metrics))

    # Phases

    def prepare(self):
        installation = self.installation
        installation.prepare()
        for service in self.services.values():
            service.start()
        installation.write_configuration()
        self.say("recording hours that are over")
        self.collector.start("--count", str(PREFILL), configuration=installation.write_past())
        self.collector.child.process.wait(300)
        installation.multiply(HOURS)
        for service in self.services.values():
            service.child.stop()
        if "fleet" in self.sandbox.skipped:
            return
        self.fleet.start()
        installation.pushscope("fleet", "setup", "--no-users", "--config", installation.configuration)

    def start(self):
        self.begun = time.monotonic() + 6
        for fault in self.plan:
            episode = KINDS[fault.kind].episode
            if episode:
                start = self.begun + fault.minute * 60 + fault.start
                self.services[fault.service].episodes.append((start, start + fault.length, episode))
        for service in self.services.values():
            service.start()
        self.start_collector()
        self.pause(self.begun)
        for dashboard in self.dashboards:
            dashboard.start()
        self.probes.start()

    def run(self):
        self.prepare()
        self.start()
        self.say(f"seed {self.options.seed}: {self.options.minutes} minutes, a fault each from the third on")
        self.pause(self.begun + 120 - 2)
        self.say("0:02 " + self.evaluation.take_baseline(self.begun + 20, self.begun + 120 - 10))
        for fault in self.plan:
            start = self.begun + fault.minute * 60
            self.pause(start + fault.start)
            reason = self.sandbox.skipped.get(KINDS[fault.kind].needs)
            if reason:
                fault.begun = fault.ended = time.monotonic()
                fault.notes.append(f"skipped: {reason}")
            else:
                play(self, fault)
            self.pause(start + 60 - 1)
            row = self.evaluation.take(fault, start + 60)
            self.say(self.line(row))
        self.finish()

    def line(self, row):
        fault = row["fault"]
        sample = self.probes.samples[-1] if self.probes.samples else {}
        memory = (sample.get("collector") or {}).get("rss", 0) // 1024
        return (f"{fault.minute // 60}:{fault.minute % 60:02} {fault.name} {fault.length:.0f} s: {row['states']}; "
                f"{row['slow']} slow; recovered {row['recovery']:.1f} s after it; lag p99 {text_of(row['lag'])}; {memory} MB, "
                f"store {sample.get('store', 0) >> 20} MB, log {sample.get('wal', 0) >> 20} MB: {row['verdict']}")

    def finish(self):
        """Stops the run, not the collector, verifies what can be asked of it, and ends everything in order."""
        self.say("draining and verifying")
        self.probes.stop()
        for dashboard in self.dashboards:
            if not dashboard.child.is_running:
                self.problem(f"dashboard {dashboard.name} ended with {dashboard.child.process.returncode}")
            elif (code := dashboard.stop()) != 0:
                self.problem(f"dashboard {dashboard.name} was told to end: exit code {code}")
        verification.stop_run(self)
        verification.metrics_agree(self)
        code = self.collector.child.stop()
        if code != 0:
            self.problem(f"the collector was told to end: exit code {code}")
        for service in self.services.values():
            service.child.stop(20)
        verification.verify(self)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=200, help="notifications a second, of all six targets")
    parser.add_argument("--binary", default=os.path.join(REPOSITORY, ".build/release/pushscope"))
    parser.add_argument("--folder", help="default: .build/soak/SEED-n")
    parser.add_argument("--python", default=os.environ.get("PUSHSCOPE_PYTHON", sys.executable), help="has the packages of the tests")
    parser.add_argument("--plan", action="store_true", help="print the faults of a seed, and end")
    return parser.parse_args()


def main():
    options = parse()
    if options.plan:
        for fault in plan(options.seed, options.minutes):
            print(f"{fault.minute // 60}:{fault.minute % 60:02}:{fault.start:04.1f} {fault.name}, {fault.length:.0f} s")
        return 0
    options.binary = os.path.abspath(options.binary)
    folder = os.path.abspath(options.folder or os.path.join(REPOSITORY, f".build/soak/SEED-{options.seed}"))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, mode=0o700)
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        signal.signal(number, signal.default_int_handler)
    soak = Soak(options, folder)
    for what, reason in soak.sandbox.skipped.items():
        soak.say(f"skipped: {what}: {reason}")
    code = 1
    try:
        soak.run()
        code = 1 if soak.problems else 0
    except KeyboardInterrupt:
        soak.problem("the soak was interrupted")
        code = 130
    except Exception as error:
        soak.problem(f"{type(error).__name__}: {error}")
        traceback.print_exc()
    finally:
        Child.kill_all()
        soak.installation.keep_store()
    write_report(soak)
    soak.say(open(soak.installation.file("report.txt")).read())
    return code


if __name__ == "__main__":
    sys.exit(main())
