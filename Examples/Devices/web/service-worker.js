// A service worker that tells pushscope's collector when each notification reached the browser, was shown, and was tapped, and
// what state the browser was in.
//
// Serve it from the site whose page subscribed to push (index.html beside this file is such a page), and set the two
// constants. The collector's certificate must be one that the browser trusts.
//
// What cannot report: a browser that is not running (desktop browsers get what waited when they start: the delivery
// latency then includes that time, and a `ttl` of 0 is lost), and notifications without a right of the site to show
// them. Every push must show a notification; browsers withdraw the subscription of workers that do not.
//
// What no worker can know: provider_at_ms, priority and priority_sent (a PushEvent has the payload and nothing else), and idle,
// saver and bucket (there is no such interface for web pages).
const collector = "https://receipts.example.com:8443";
const device = "my-browser";

// Unix time as it was when the worker began, carried on by a clock that nobody sets. Nanoseconds do not fit into a
// JavaScript number, so they are BigInts, and JSON is written and read by hand where they occur. The clock goes in steps: what
// asks is cut down and what was answered is rounded up, so that the bound stays true.
const milliseconds = () => performance.timeOrigin + performance.now();
const cutDown = (time) => BigInt(Math.floor(time * 1000) - 2 * clockStep) * 1000n;
const roundUp = (time) => BigInt(Math.ceil(time * 1000) + 2 * clockStep) * 1000n;
// Browsers coarsen their clock on purpose and do not say by how much: Firefox shows whole milliseconds with jitter, so that a
// time is up to one early or late, Chrome steps of 100 µs. In microseconds, and twice: once for the stamp of an exchange, once
// for received_at_ms, whose error has no field of its own. (Firefox with resistFingerprinting: steps of 16.7 ms; the collector
// notices contradictions and widens the bound.)
const clockStep = 1000;

// A text/plain body needs no preflight; the collector reads JSON whatever it is called.
const post = (path, body) =>
  fetch(collector + path, { method: "POST", body, credentials: "omit", signal: AbortSignal.timeout(10_000) });

async function exchangeClocks() {
  const t1 = cutDown(milliseconds());
  const answer = await post("/v1/clock", `{"t1":${t1}}`);
  const arrived = milliseconds();
  const stamps = answer.ok ? (await answer.text()).match(/"t2":(\d+),"t3":(\d+)/) : null;
  if (!stamps) throw new Error(`/v1/clock answered ${answer.status}`);
  const [, t2, t3] = stamps;
  return `{"t1":${t1},"t2":${t2},"t3":${t3},"t4":${roundUp(arrived)},"device":${JSON.stringify(device)}}`;
}

const sleep = (seconds) => new Promise((wake) => setTimeout(wake, seconds * 1000));

// By what a browser calls itself (navigator.userAgent). An iPad says Macintosh.
const systems = [
  ["Android", /\bAndroid\b/], ["iOS", /\biPhone\b/], ["Windows", /\bWindows\b/], ["ChromeOS", /\bCrOS\b/],
  ["macOS", /\bMacintosh\b/], ["Linux", /\bLinux\b/],
];

// - app: whether one of the site's pages is visible (Clients.matchAll, WindowClient.visibilityState).
// - network: NetworkInformation.type. Browsers on Android and ChromeOS have it.
// - notifications: whether the site may show them (Notification.permission).
async function circumstances() {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const type = self.navigator.connection?.type;
  const isOnList = ["wifi", "cellular", "ethernet", "none"].includes(type);
  return {
    app: pages.some((page) => page.visibilityState === "visible") ? "foreground" : "background",
    network: !type || type === "unknown" ? undefined : isOnList ? type : "other",
    notifications: self.Notification.permission === "granted",
    os: systems.find(([, pattern]) => pattern.test(self.navigator.userAgent))?.[0],
  };
}

// Posted again while nobody answers; a receipt that comes twice counts once.
async function postReceipt(receipt, clock) {
  const body = `{"receipts":[${JSON.stringify(receipt)}],"clock":[${clock}]}`;
  for (const pause of [0, 1, 5, 20]) {
    await sleep(pause);
    const answer = await post("/v1/receipts", body).catch(() => null);
    if (answer && answer.status < 500 && answer.status !== 429) return;
  }
}

// shown and context: promises. A browser may take its time to show a notification: the receipt is posted again then.
async function report(receipt, shown, context) {
  // Three questions, since the one that took least tells most; the first one also pays for the connection. Without
  // any the receipt still says that the notification arrived, and no later than the receipt.
  const clock = [];
  for (let i = 0; i < 3; i++) {
    const exchange = await exchangeClocks().catch(() => null);
    if (exchange) clock.push(exchange);
  }
  const complete = { ...receipt, context: await Promise.race([context, sleep(1)]) };
  complete.shown_at_ms = await Promise.race([shown, sleep(1)]);
  await postReceipt(complete, clock);
  if (complete.shown_at_ms !== undefined) return;
  complete.shown_at_ms = await shown;
  if (complete.shown_at_ms !== undefined) await postReceipt(complete, []);
}

self.addEventListener("push", (event) => {
  const received = milliseconds();
  let probe = null;
  try {
    probe = event.data.json().pushscope;
  } catch {
    // Not one of ours.
  }
  const receipt = probe?.mac ? { id: probe.id, mac: probe.mac, device, received_at_ms: Math.floor(received) } : null;
  const context = circumstances().catch(() => undefined);
  const shown = self.registration.showNotification("pushscope", { body: "a probe arrived", tag: "pushscope", data: receipt })
    .then(() => Math.floor(milliseconds()), () => undefined);
  const told = receipt ? report(receipt, shown, context).catch(() => {}) : null;
  event.waitUntil(Promise.all([shown, told]));
});

self.addEventListener("notificationclick", (event) => {
  const opened = Math.floor(milliseconds());
  const receipt = event.notification.data;
  event.notification.close();
  if (receipt?.mac) event.waitUntil(postReceipt({ ...receipt, opened_at_ms: opened }, []));
});
