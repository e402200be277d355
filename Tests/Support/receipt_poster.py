"""The part of a device that tells a collector what arrived, for the devices of these tests: docs/receipts.md by http.client
and json. It shares no code with ours."""

import http.client
import json
import queue
import ssl
import threading
import time
import urllib.parse

BOOT_ID = open("/proc/sys/kernel/random/boot_id").read().strip()


class ReceiptPoster(threading.Thread):
    """Posts receipts over one connection, in the order in which they are left here; a batch that was not taken is posted
    again as it is.

    With `heard`, a file to write to, each notification is a line in it before its receipt goes anywhere:

        {"entry": "heard", "id": …, "received": CLOCK_MONOTONIC in ns}

    and each batch that was taken, with the collector's answer:

        {"entry": "posted", "ids": […], "accepted": …, "duplicate": …, "unknown": …, "refused": …}
    """

    def __init__(self, url, authority, device, heard=None):
        super().__init__(daemon=True)
        self.receipts = queue.Queue()
        self.address = urllib.parse.urlsplit(url)
        self.context = ssl.create_default_context(cafile=authority)
        self.device = device
        self.heard = open(heard, "w") if heard else None
        self.lock = threading.Lock()
        self.posted = 0
        self.connection = None

    def write(self, **entry):
        if self.heard:
            with self.lock:
                self.heard.write(json.dumps(entry) + "\n")
                self.heard.flush()

    def arrived(self, member, received=None):
        """Takes the payload's `pushscope` member; `received` is CLOCK_MONOTONIC in ns, now if it is not given."""
        received = received or time.monotonic_ns()
        self.write(entry="heard", id=member.get("id"), received=received)
        self.receipts.put(
            {
                "id": member.get("id"),
                "mac": member.get("mac"),
                "received_at_ms": time.time_ns() // 1_000_000,
                "device": self.device,
                "boot_id": BOOT_ID,
                "monotonic_ns": received,
            }
        )

    def run(self):
        while True:
            batch = [self.receipts.get()]
            while len(batch) < 100 and not self.receipts.empty():
                batch.append(self.receipts.get())
            self.post(batch)
            self.posted += len(batch)

    def post(self, batch):
        body = json.dumps({"receipts": batch})
        for attempt in range(200):
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPSConnection(
                        self.address.hostname, self.address.port, context=self.context, timeout=10
                    )
                self.connection.request("POST", "/v1/receipts", body, {"content-type": "application/json"})
                answer = self.connection.getresponse()
                text = answer.read()
                if answer.status == 202:
                    self.write(entry="posted", ids=[receipt["id"] for receipt in batch], **json.loads(text))
                    return
            except (OSError, http.client.HTTPException):
                self.connection = None
            time.sleep(0.05)
