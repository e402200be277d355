#!/usr/bin/env python3
"""A Firefox with a fresh profile that subscribes to push, driven by Marionette, for end-to-end tests.

usage: firefox.py FIREFOX CERTUTIL DIRECTORY PUSH_URL KEY COLLECTOR DEVICE CA_FILE… [--pref NAME=JSON]… [--leave]
       firefox.py --page INVITATION FIREFOX CERTUTIL DIRECTORY PUSH_URL CA_FILE… [--pref NAME=JSON]… [--leave]

Without `--page` it subscribes by Examples/Devices/web: the page and its worker are served from localhost with the application server's KEY,
the COLLECTOR's URL and the DEVICE's name put in. The certificate authorities are trusted as a user would have them: in the profile's database.
Prints one JSON object a line: what the page shows, then, for each SIGUSR1, what the page and the browser are by then:

    {"subscription": …} or {"refused": "…"}
    {"permission": "granted", "is_subscribed": true, "memory_mb": 430}

With `--page` it opens the URL of an invitation, that is the collector's own page, and presses its button. `page` is what the page shows.
SIGUSR2 presses Leave:

    {"joined": "reception", "page": …} or {"refused": "…", "page": …}
    {"permission": …, "is_subscribed": …, "memory_mb": …, "page": {"view": "device", "name": …, "state": …, "count": 3, "latest": …, "notes": …,
     "problem": "", "progress": "", "text": …}}
    {"left": true, "is_subscribed": false, "page": …}

`--leave` closes the page once it has subscribed, until it is asked: Firefox minds that nobody sees the worker's notifications only while no
page of the site is open. Ends the browser at SIGTERM, and waits for it.
"""

import argparse
import ctypes
import functools
import glob
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

LIMIT = 120
PR_SET_PDEATHSIG = 1
# Push is off with Marionette's own settings; without these it also works, but fetches what no test needs.
PREFS = {
    "remote.prefs.recommended": False,
    "permissions.default.desktop-notification": 1,
    "network.lna.blocking": False,
    "marionette.port": 0,
    "dom.ipc.processCount": 1,
    "dom.ipc.processPrelaunch.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.page": 0,
    "browser.aboutwelcome.enabled": False,
    "browser.newtabpage.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.safebrowsing.update.enabled": False,
    "browser.region.network.url": "",
    "browser.search.update": False,
    "browser.topsites.contile.enabled": False,
    "app.normandy.enabled": False,
    "app.update.enabled": False,
    "captivedetect.canonicalURL": "",
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "datareporting.healthreport.uploadEnabled": False,
    "extensions.update.enabled": False,
    "extensions.getAddons.cache.enabled": False,
    "extensions.systemAddon.update.enabled": False,
    "media.gmp-manager.updateEnabled": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "toolkit.telemetry.enabled": False,
    "toolkit.telemetry.unified": False,
    "sidebar.revamp": False,
}


def say(**fields):
    print(json.dumps(fields), flush=True)


def until(found, what):
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        result = found()
        if result:
            return result
        time.sleep(0.05)
    sys.exit(f"{what}: not within {LIMIT} s")


class Marionette:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
        self.number = 0
        self.read()

    def read(self):
        length = b""
        while not length.endswith(b":"):
            byte = self.socket.recv(1)
            if not byte:
                sys.exit("Firefox has closed Marionette's connection")
            length += byte
        data = b""
        while len(data) < int(length[:-1]):
            data += self.socket.recv(int(length[:-1]) - len(data))
        return json.loads(data)

    def ask(self, command, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self.read()
        if error:
            sys.exit(f"{command}: {error['message']}")
        return result

    def script(self, text):
        return self.ask("WebDriver:ExecuteScript", script=text, args=[])["value"]

    def asynchronous(self, text):
        return self.ask("WebDriver:ExecuteAsyncScript", script=text, args=[])["value"]


class Pages(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def serve(directory, options):
    """The example as its documentation says to adapt it."""
    site = directory / "site"
    shutil.copytree(pathlib.Path(__file__).parents[2] / "Examples/Devices/web", site)
    for name, old, new in [
        ("index.html", "PUBLIC KEY", options.key),
        ("service-worker.js", "https://receipts.example.com:8443", options.collector),
        ("service-worker.js", "my-browser", options.device),
    ]:
        text = (site / name).read_text()
        if old not in text:
            sys.exit(f"{name} has no {old}")
        (site / name).write_text(text.replace(old, new))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Pages, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://localhost:{server.server_port}/index.html"


def prepare(profile, options):
    profile.mkdir()
    chosen = PREFS | {"dom.push.serverURL": options.push_url}
    for text in options.pref:
        name, value = text.split("=", 1)
        chosen[name] = json.loads(value)
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in chosen.items()]
    (profile / "user.js").write_text("\n".join(lines) + "\n")
    subprocess.run([options.certutil, "-N", "-d", f"sql:{profile}", "--empty-password"], check=True)
    for number, file in enumerate(options.ca_file):
        subprocess.run(
            [options.certutil, "-A", "-d", f"sql:{profile}", "-n", f"ca{number}", "-t", "C,,", "-i", file], check=True)


def memory(group):
    """Proportional memory of a process group, in MB."""
    total = 0
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            if os.getpgid(int(folder[6:])) != group:
                continue
            for line in open(f"{folder}/smaps_rollup"):
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
        except (OSError, ProcessLookupError):
            pass
    return total // 1024


# What the collector's page shows.
SHOWN = """
const text = (id) => document.getElementById(id)?.textContent ?? "";
const { view, busy } = document.body.dataset;
const isSettled = busy === undefined && view !== undefined && view !== "loading";
const fields = Object.fromEntries(["name", "state", "latest", "notes", "problem", "progress"].map((id) => [id, text(id)]));
return isSettled && { view, ...fields, count: Number(text("count")), text: document.body.innerText };
"""
IS_SUBSCRIBED = """
const done = arguments[0];
navigator.serviceWorker.getRegistration()
  .then((it) => it?.pushManager.getSubscription())
  .then((it) => done(Boolean(it)));
"""


def press(marionette, button):
    found = marionette.ask("WebDriver:FindElement", using="css selector", value=f"#{button}")["value"]
    marionette.ask("WebDriver:ElementClick", id=next(iter(found.values())))


def subscribe_by_example(marionette):
    press(marionette, "subscribe")
    shown = until(
        lambda: marionette.script("return document.getElementById('subscription').textContent"), "the page subscribes")
    return {"subscription": json.loads(shown)} if shown.startswith("{") else {"refused": shown}


def settled(marionette):
    """What the page shows once it waits for nobody."""
    return until(lambda: marionette.script(SHOWN), "the page settles")


def join(marionette):
    page = settled(marionette)
    if page["view"] == "join" and not page["problem"]:
        press(marionette, "start")
        page = settled(marionette)
    return {"joined": page["name"], "page": page} if page["name"] else {"refused": page["problem"], "page": page}


def leave(marionette):
    press(marionette, "leave")
    page = settled(marionette)
    return {"left": page["view"] == "join", "is_subscribed": marionette.asynchronous(IS_SUBSCRIBED), "page": page}


parser = argparse.ArgumentParser()
parser.add_argument("--page")
is_page = parser.parse_known_args()[0].page is not None
names = ["firefox", "certutil", "directory", "push_url"] + ([] if is_page else ["key", "collector", "device"])
for name in names:
    parser.add_argument(name)
parser.add_argument("ca_file", nargs="+")
parser.add_argument("--pref", action="append", default=[])
parser.add_argument("--leave", action="store_true")
options = parser.parse_args()
directory = pathlib.Path(options.directory).resolve()
directory.mkdir()
page = options.page or serve(directory, options)
profile = directory / "profile"
prepare(profile, options)
environment = os.environ | {
    "HOME": str(directory), "XDG_RUNTIME_DIR": str(directory), "MOZ_HEADLESS": "1", "MOZ_CRASHREPORTER_DISABLE": "1"}
log = open(directory / "firefox.log", "w")
browser = subprocess.Popen(
    [options.firefox, "--headless", "--no-remote", "--marionette", "--profile", str(profile)],
    env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
    preexec_fn=lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
# A test that is given up ends this program so; the browser must not outlive it, however this program ends.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
asked, asking = os.pipe()
signal.signal(signal.SIGUSR1, lambda *_: os.write(asking, b"?"))
signal.signal(signal.SIGUSR2, lambda *_: os.write(asking, b"L"))
try:
    file = profile / "MarionetteActivePort"

    def port():
        if browser.poll() is not None:
            sys.exit("Firefox has ended: " + (directory / "firefox.log").read_text()[-2000:])
        return int(file.read_text() or "0") if file.exists() else 0

    marionette = Marionette(until(port, "Firefox listens"))
    marionette.ask("WebDriver:NewSession", capabilities={"alwaysMatch": {}})
    marionette.ask("WebDriver:SetTimeouts", script=LIMIT * 1000)
    marionette.ask("WebDriver:Navigate", url=page)
    first = join(marionette) if is_page else subscribe_by_example(marionette)
    if options.leave:
        marionette.ask("WebDriver:Navigate", url="about:blank")
    say(**first)
    # The invitation was used.
    page = page.partition("#")[0]
    while question := os.read(asked, 1):
        if options.leave:
            marionette.ask("WebDriver:Navigate", url=page)
        shown = {"page": settled(marionette)} if is_page else {}
        if question == b"L":
            say(**leave(marionette))
            continue
        say(
            permission=marionette.script("return Notification.permission"),
            is_subscribed=marionette.asynchronous(IS_SUBSCRIBED),
            memory_mb=memory(browser.pid), **shown)
finally:
    try:
        os.killpg(browser.pid, signal.SIGTERM)
        browser.wait(20)
    except (ProcessLookupError, subprocess.TimeoutExpired):
        pass
    try:
        os.killpg(browser.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    browser.wait()
