"""What goes wrong in a soak, one at a time. A fault is a generator: it begins, yields while it lasts, and ends.

Which targets a fault may harm is part of it; what it harms beyond that is an error."""
import contextlib
import os
import random
import resource
import signal
import socket
import sqlite3
import time

from dataclasses import dataclass, field

from installation import METRICS, RECEIPTS, SERVICES, TARGETS
from sandbox import wait_until

ALL = frozenset(TARGETS)


@dataclass
class Fault:
    """A fault of the plan: when it begins (s after the start of its minute), how long it lasts, and where."""

    kind: str
    minute: int
    start: float
    length: float
    service: str
    seed: int
    begun: float = 0  # by time.monotonic()
    ended: float = 0
    notes: list = field(default_factory=list)

    @property
    def targets(self):
        """The targets whose notifications it may harm."""
        harms = KINDS[self.kind].harms
        return ALL if harms == "all" else frozenset() if harms == "none" else on(self.service)

    @property
    def name(self):
        return f"{self.kind} ({self.service})" if KINDS[self.kind].harms == "service" else self.kind


@dataclass
class Kind:
    play: object
    # What it may harm: all targets, those of one service, or none.
    harms: str
    # Its episode in the service's scenario, for what the service does by itself.
    episode: str = None
    # How long it lasts at most, in s.
    longest: float = 25
    # What of the host it needs (Sandbox.skipped).
    needs: str = None
    # Kinds of findings that may tell of it.
    findings: tuple = ("failing", "refused", "losing", "slower")


def on(service):
    return frozenset(target for target, place in TARGETS.items() if place == service)


def plan(seed, minutes):
    """The faults of a soak, one a minute from the third on; the same for the same seed. All kinds come before one comes again."""
    dice = random.Random(seed)
    faults, deck = [], []
    for minute in range(2, minutes):
        if not deck:
            deck = list(KINDS)
            dice.shuffle(deck)
        kind = deck.pop()
        length = min(dice.uniform(5, 25), KINDS[kind].longest)
        faults.append(Fault(kind, minute, dice.uniform(2, 4), length, dice.choice(list(SERVICES)), dice.randrange(1 << 30)))
    return faults


# Push services


def service_gone(soak, fault):
    service = soak.services[fault.service]
    service.child.kill()
    yield
    service.start()


def service_frozen(soak, fault):
    soak.services[fault.service].child.signal(signal.SIGSTOP)
    yield
    soak.services[fault.service].child.signal(signal.SIGCONT)


def by_itself(soak, fault):
    """The service does it, by its scenario."""
    yield


def refused(soak, fault):
    with soak.sandbox.closed(SERVICES[fault.service]):
        yield


def resetting(soak, fault):
    """Connections live for a second or two."""
    end = time.monotonic() + fault.length
    while time.monotonic() < end:
        with soak.sandbox.closed(SERVICES[fault.service]):
            time.sleep(0.2)
        time.sleep(min(1.5, max(0, end - time.monotonic())))
    yield "done"


def dns(soak, fault):
    """No name can be resolved; connections that end cannot be opened again."""
    soak.sandbox.write_hosts(False)
    with soak.sandbox.closed(SERVICES["alpha"]):
        time.sleep(0.5)
    with soak.sandbox.closed(SERVICES["gamma"]):
        time.sleep(0.5)
    yield
    soak.sandbox.write_hosts(True)


def certificate_untrusted(soak, fault):
    soak.services[fault.service].restart("other")
    yield
    soak.services[fault.service].restart()


def certificate_renewed(soak, fault):
    """The receipt listener's certificate is another one of the same authority."""
    soak.receipts_certificate = 1 - soak.receipts_certificate
    soak.installation.install(f"receipts-{soak.receipts_certificate}", "receipts")
    yield


# The store


def disk_full(soak, fault):
    ballast = os.path.join(soak.sandbox.store_folder, "ballast")
    with open(ballast, "wb") as file:
        with contextlib.suppress(OSError):
            while True:
                file.write(bytes(1 << 16))
                file.flush()
    yield
    os.remove(ballast)


def store_locked(soak, fault):
    connection = sqlite3.connect(soak.installation.store, timeout=20, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    yield
    connection.execute("ROLLBACK")
    connection.close()


def administration(soak, fault):
    """What an administrator does beside the collector; compacting is refused while it runs."""
    store = ["--store", soak.installation.store]
    copy = soak.installation.file("copy.sqlite")
    for arguments, expected in [
        (["store", "backup", copy, "--replace", *store], ""),
        (["store", "check", "--store", copy], ""),
        (["store", "prune", "--before", "-2h", *store], ""),
        (["export", "samples", "--since", "-2m", "--output", soak.installation.file("samples.csv"), *store], ""),
        (["summary", "--since", "-2m", *store], ""),
        (["store", "compact", *store], "collector"),
    ]:
        try:
            text = soak.installation.pushscope(*arguments)
        except RuntimeError as error:
            text = str(error)
            if not expected or expected not in text:
                soak.problem(f"{fault.kind}: {text}")
                continue
        else:
            if expected:
                soak.problem(f"{fault.kind}: {' '.join(arguments)} succeeded")
        fault.notes.append(" ".join(arguments[:2]))
    yield


# The collector


def collector_stopped(soak, fault):
    soak.collector.child.signal(signal.SIGSTOP)
    yield
    soak.collector.child.signal(signal.SIGCONT)


def collector_killed(soak, fault):
    soak.before_kill()
    soak.collector.child.kill()
    soak.start_collector()
    fault.notes.append(f"ready after {time.monotonic() - fault.begun:.1f} s")
    yield "done"


def reload_good(soak, fault):
    """Other rates for two targets, and back."""
    dice = random.Random(fault.seed)
    chosen = dice.sample(sorted(TARGETS), 2)
    before = count(soak, "config_reloaded")
    soak.installation.write_configuration({name: dice.choice([0.7, 1.3]) for name in chosen})
    soak.collector.child.signal(signal.SIGHUP)
    fault.notes.append(", ".join(chosen))
    yield
    soak.installation.write_configuration()
    soak.collector.child.signal(signal.SIGHUP)
    wait_until(lambda: count(soak, "config_reloaded") >= before + 2, "both reloads are told", 20)


def reload_bad(soak, fault):
    before = count(soak, "config_refused")
    soak.installation.write_configuration(broken=True)
    soak.collector.child.signal(signal.SIGHUP)
    wait_until(lambda: count(soak, "config_refused") > before, "the refusal is told", 20)
    yield
    soak.installation.write_configuration()
    soak.collector.child.signal(signal.SIGHUP)


def count(soak, kind):
    return soak.installation.query("SELECT count(*) FROM event WHERE kind = ?", kind)[0][0]


def log_unread(soak, fault):
    """Nobody reads the log; reloads make lines for it."""
    soak.collector.is_read.clear()
    for _ in range(10):
        soak.collector.child.signal(signal.SIGHUP)
        time.sleep(0.2)
    yield
    soak.collector.is_read.set()


def analyst_killed(soak, fault):
    former = soak.collector.analyst
    if former is None:
        soak.problem("there is no analyst to kill")
    else:
        os.kill(former, signal.SIGKILL)
    yield
    wait_until(lambda: soak.collector.analyst not in (None, former), "the analyst is started again", 20)


def descriptors_short(soak, fault):
    """Hardly a descriptor is left to the collector, and peers connect that say nothing."""
    pid = soak.collector.pid
    former = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    most = len(os.listdir(f"/proc/{pid}/fd")) + 2
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, former[1]))
    peers = [socket.socket() for _ in range(12)]
    for index, peer in enumerate(peers):
        peer.setblocking(False)
        peer.connect_ex(("127.0.0.1", [RECEIPTS, METRICS][index % 2]))
    fault.notes.append(f"at most {most}")
    yield
    for peer in peers:
        peer.close()
    resource.prlimit(pid, resource.RLIMIT_NOFILE, former)


# The rest of the world


def fleet_frozen(soak, fault):
    soak.fleet.child.signal(signal.SIGSTOP)
    yield
    soak.fleet.child.signal(signal.SIGCONT)


def fleet_gone(soak, fault):
    soak.fleet.child.kill()
    yield
    soak.fleet.start()


def clock_forward(soak, fault):
    soak.installation.clock.set(3600)
    yield
    soak.installation.clock.set(0)


def clock_back(soak, fault):
    soak.installation.clock.set(-3600)
    yield
    soak.installation.clock.set(0)


def link_down(soak, fault):
    soak.sandbox.set_link(False)
    yield
    soak.sandbox.set_link(True)


KINDS = {
    "service gone": Kind(service_gone, "service"),
    "service frozen": Kind(service_frozen, "service"),
    "slow path": Kind(by_itself, "service", "path: { delay: { distribution: uniform, from: 300ms, to: 500ms } }"),
    "slow answers": Kind(by_itself, "service", "answers: { delay: 600ms }"),
    "slow deliveries": Kind(by_itself, "service", "deliveries: { delay: 900ms }"),
    "server errors": Kind(by_itself, "service", "answers: { errors: [{ reason: ServiceUnavailable, probability: 100% }] }"),
    "throttled": Kind(by_itself, "service", "answers: { errors: [{ reason: TooManyRequests, probability: 50%, retry_after: 2s }] }"),
    "losing": Kind(by_itself, "service", "deliveries: { lost: 60% }"),
    "streams reset": Kind(
        by_itself, "service", "answers: { faults: [{ kind: reset, probability: 50% }, { kind: goaway, probability: 2% }] }"),
    "refused": Kind(refused, "service", needs="refused"),
    "resetting": Kind(resetting, "service", needs="resetting"),
    "dns": Kind(dns, "all", needs="dns"),
    "certificate untrusted": Kind(certificate_untrusted, "service"),
    "certificate renewed": Kind(certificate_renewed, "none"),
    "disk full": Kind(disk_full, "all", needs="disk"),
    "store locked": Kind(store_locked, "all", longest=5),
    "administration": Kind(administration, "none", longest=5),
    "collector stopped": Kind(collector_stopped, "all", longest=3),
    "collector killed": Kind(collector_killed, "all", longest=1),
    "reload good": Kind(reload_good, "none"),
    "reload bad": Kind(reload_bad, "none"),
    "log unread": Kind(log_unread, "none"),
    "analyst killed": Kind(analyst_killed, "none", longest=5),
    "descriptors short": Kind(descriptors_short, "none"),
    "fleet frozen": Kind(fleet_frozen, "none", needs="fleet"),
    "fleet gone": Kind(fleet_gone, "none", needs="fleet"),
    "clock forward": Kind(clock_forward, "none", needs="clock"),
    "clock back": Kind(clock_back, "none", needs="clock"),
    "link down": Kind(link_down, "all", needs="link"),
}


def play(soak, fault):
    """Plays a fault from its begin to its end. A service begins its episode by itself, however late this is."""
    fault.begun = soak.begun + fault.minute * 60 + fault.start if KINDS[fault.kind].episode else time.monotonic()
    running = KINDS[fault.kind].play(soak, fault)
    try:
        if next(running, None) != "done":
            soak.pause(fault.begun + fault.length)
        next(running, None)
    except RuntimeError as error:
        soak.problem(f"{fault.name}: {error}")
    finally:
        fault.ended = time.monotonic()
        running.close()
