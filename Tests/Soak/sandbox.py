"""Where a soak runs: namespaces of its own for network and mounts, a store on a small file system, names that only it knows, and
processes that never outlive it."""
import contextlib
import ctypes
import os
import signal
import subprocess
import time

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None, use_errno=True)


class Unsupported(Exception):
    """What this host does not permit."""


def unshare(flags):
    if libc.unshare(flags) != 0:
        raise Unsupported(os.strerror(ctypes.get_errno()))


def run(*command, check=True, **options):
    """Runs a command to its end and returns what it printed."""
    options.setdefault("timeout", 120)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          preexec_fn=die_with_parent, **options)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit code {done.returncode}: {done.stdout.strip()[-400:]}")
    return done.stdout


def die_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def measured():
    """Of the processes that are measured, so that others on the host hold them up less; nothing where it is not permitted."""
    die_with_parent()
    with contextlib.suppress(OSError):
        os.nice(-10)


class Sandbox:
    """The namespaces of this process and its children. Whatever is not permitted is in `skipped` with the reason."""

    def __init__(self, folder, size):
        self.folder = folder
        self.size = size
        self.skipped = {}
        self.hosts = os.path.join(folder, "hosts")
        self.store_folder = os.path.join(folder, "store")
        self.has_network = self.has_mounts = False

    def enter(self):
        uid, gid = os.getuid(), os.getgid()
        try:
            if uid == 0:
                unshare(CLONE_NEWNS | CLONE_NEWNET)
            else:
                unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET)
                for name, text in [("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")]:
                    with open(f"/proc/self/{name}", "w") as file:
                        file.write(text)
            run("mount", "--make-rprivate", "/")
            run("ip", "link", "set", "lo", "up")
            self.has_network = True
        except (Unsupported, OSError, RuntimeError) as error:
            for what in ["link", "refused", "resetting", "dns", "disk"]:
                self.skipped[what] = f"no namespaces of its own: {error}"
        os.makedirs(self.store_folder, exist_ok=True)
        if self.has_network:
            self._mount()
            try:
                run("nft", "add", "table", "inet", "soak")
                run("nft", "add", "chain", "inet", "soak", "out", "{ type filter hook output priority 0 ; }")
            except (OSError, RuntimeError) as error:
                self.skipped["refused"] = self.skipped["resetting"] = f"no nftables: {error}"

    def _mount(self):
        try:
            run("mount", "-t", "tmpfs", "-o", f"size={self.size},mode=0700", "soak", self.store_folder)
        except (OSError, RuntimeError) as error:
            self.skipped["disk"] = str(error)
        try:
            self.write_hosts(True)
            run("mount", "--bind", self.hosts, "/etc/hosts")
            self.has_mounts = True
        except (OSError, RuntimeError) as error:
            self.skipped["dns"] = str(error)

    def write_hosts(self, has_names):
        """Names of the services, or a file that has none of them. The file is written in place, since it is mounted."""
        lines = ["127.0.0.1 localhost"]
        if has_names:
            lines += [f"127.0.0.1 {name}" for name in NAMES]
        with open(self.hosts, "w") as file:
            file.write("\n".join(lines) + "\n")

    def name(self, name):
        """A host's name in a configuration: the address where names cannot be made."""
        return name if self.has_mounts else "127.0.0.1"

    @contextlib.contextmanager
    def closed(self, port):
        """Every packet from or to a port is answered with RST meanwhile; connections that are open end, also silent ones."""
        # The answers leave through the same hook, and are let through.
        rule = "add rule inet soak out tcp {} {} tcp flags & rst == 0 reject with tcp reset\n"
        run("nft", "-f", "-", input=rule.format("dport", port) + rule.format("sport", port))
        run("ss", "--kill", "dport", "=", f":{port}", check=False)
        try:
            yield
        finally:
            run("nft", "flush", "chain", "inet", "soak", "out", check=False)

    def set_link(self, is_up):
        run("ip", "link", "set", "lo", "up" if is_up else "down")


NAMES = ["push-a.soak.test", "push-c.soak.test"]


class Child:
    """A process in a group of its own, which dies with this one. Its standard error goes to a file, or where the caller says."""

    def __init__(self, name, command, log, environment=None, prepare=die_with_parent, **options):
        self.name = name
        self.command = command
        self.log = log
        self.started = time.monotonic()
        with open(log, "ab") as file:
            settings = {"stdin": subprocess.DEVNULL, "stdout": file, "stderr": file, **options}
            self.process = subprocess.Popen(command, env={**os.environ, **(environment or {})}, start_new_session=True,
                                            preexec_fn=prepare, **settings)
        self.pid = self.process.pid
        Child.all.append(self)

    all = []

    @property
    def is_running(self):
        return self.process.poll() is None

    def signal(self, number):
        if self.is_running:
            self.process.send_signal(number)

    def kill(self):
        """Kills it with its whole group, stopped or not, and takes its exit code."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()
        if self in Child.all:
            Child.all.remove(self)

    def stop(self, within=90):
        """Ends it in order: the exit code, or None if it had to be killed."""
        self.signal(signal.SIGTERM)
        try:
            code = self.process.wait(within)
        except subprocess.TimeoutExpired:
            code = None
        self.kill()
        return code

    @classmethod
    def kill_all(cls):
        for child in list(cls.all):
            child.kill()


def wait_until(holds, what, within=60, child=None):
    """Waits for a condition; a child that ends meanwhile is an error with the end of its log."""
    end = time.monotonic() + within
    while not holds():
        if child is not None and not child.is_running:
            raise RuntimeError(f"{child.name} ended with {child.process.returncode} while waiting for {what}: {tail(child.log)}")
        if time.monotonic() > end:
            raise RuntimeError(f"not within {within} s: {what}" + (f": {tail(child.log)}" if child else ""))
        time.sleep(0.05)


def tail(path, size=800):
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - size))
            return file.read().decode(errors="replace")
    except OSError:
        return ""
