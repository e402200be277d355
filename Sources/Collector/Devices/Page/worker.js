// The service worker of a measured device: reports when each notification was received, shown and opened. What it knows is in
// IndexedDB, since browsers end workers at any time. The device's key leaves it only in the header of a request. The rules of
// stamps and exchanges are in docs/receipts.md.
"use strict";

const exchangeInterval = 60_000; // between exchanges of clocks, milliseconds: a bound grows by 0.5 ms each second
const exchangeLimit = 3_000; // for one question
const observationLimit = 200; // a receipt waits so long for whether a page is visible
const displayLimit = 1_000; // a receipt waits so long for its notification to be shown
const requestLimit = 10_000;
const retries = [0, 1_000, 5_000, 20_000]; // pauses before each attempt to post
const maximumPending = 500;
const maximumRecent = 20;
const maximumExchanges = 12;
const batchSize = 100; // receipts in one body

const sleep = (milliseconds) => new Promise((wake) => setTimeout(wake, milliseconds));

// ---- The clock: Unix time taken once, carried on by a clock that nobody sets.

// Some systems' monotonic clock stands still while they sleep. Then it is taken anew, and clocks are exchanged anew.
const clockTolerance = 50;
let origin = performance.timeOrigin;
const now = () => origin + performance.now();

function clockWasReset() {
  if (Math.abs(Date.now() - now()) <= clockTolerance) return false;
  origin = Date.now() - performance.now();
  return true;
}

// Browsers coarsen their clock on purpose and do not say by how much: up to 1 ms early or late is allowed for, in
// microseconds, and twice: once for the stamp of an exchange, once for received_at_ms, whose error has no field of its own.
const clockStep = 1000;
const cutDown = (time) => BigInt(Math.floor(time * 1000) - 2 * clockStep) * 1000n;
const roundUp = (time) => BigInt(Math.ceil(time * 1000) + 2 * clockStep) * 1000n;

// Nanoseconds do not fit into a JavaScript number: they are BigInts, and their JSON is written and read by hand.
async function exchange() {
  const began = origin;
  const t1 = cutDown(now());
  const answer = await request("POST", "/v1/clock", `{"t1":${t1}}`, null, exchangeLimit);
  const t4 = roundUp(now());
  const text = await answer.text();
  const [t2, t3] = ["t2", "t3"].map((name) => text.match(`"${name}"\\s*:\\s*(\\d+)`));
  if (!answer.ok || !t2 || !t3 || origin !== began) throw new Error("no exchange");
  return { t1, t2: BigInt(t2[1]), t3: BigInt(t3[1]), t4, isPosted: false };
}

let exchanging = null;

// Three questions where the last one is old: the one that took least tells most, the first also pays for the connection.
const exchangeClocks = () => (exchanging ??= exchangeIfDue().finally(() => (exchanging = null)));

async function exchangeIfDue() {
  const last = (await read()).exchanges.at(-1);
  const age = last && !last.isStale ? now() - Number(last.t4 / 1000n) / 1000 : Infinity; // negative: the clock was set back
  if (age >= -clockTolerance && age < exchangeInterval) return;
  const made = [];
  try {
    for (let i = 0; i < 3; i++) made.push(await exchange());
  } catch {
    // Without any the receipt still says that it arrived.
  }
  await change((state) => {
    state.hasClock = made.length > 0;
    state.exchanges = [...state.exchanges, ...made].slice(-maximumExchanges);
  });
}

// How long after `at`, on the collector's clock, the device's clock showed `time`; both bounds in milliseconds. Clocks
// are taken to differ in rate by 500 millionths at most.
function latency(at, time, exchanges) {
  let best = null;
  for (const { t1, t2, t3, t4, isStale } of exchanges) {
    if (isStale) continue;
    const [low, high] = [Number(t3 - t4) / 1e6, Number(t2 - t1) / 1e6];
    const distance = Math.abs(time - Number(t4 / 1000n) / 1000);
    const error = (high - low) / 2 + 1 + distance * 500e-6;
    if (!best || error < best.error) best = { offset: (low + high) / 2, error };
  }
  if (!best) return null;
  const middle = time + best.offset - at;
  // Nothing is received before it was planned.
  const [low, high] = [middle - best.error, middle + best.error].map((it) => Math.max(0, it));
  return { value: (low + high) / 2, error: (high - low) / 2 };
}

// ---- What is kept.

const initial = () => ({
  name: null, key: null, token: null, state: null, endpoint: null, applicationServerKey: null, os: null,
  hasClock: true, isReporting: true, count: 0, pending: [], exchanges: [], recent: [],
});

const pages = new BroadcastChannel("pushscope-device");

// Notifications whose exchange of clocks is not over: pages are not told yet.
const unmeasured = new Set();
const measured = (recent) => recent.filter((it) => !unmeasured.has(it.key));

const view = ({ name, token, state, hasClock, isReporting, count, pending, recent }) => ({
  name, token, state, hasClock, count, unreported: isReporting ? 0 : pending.length,
  recent: measured(recent).map(({ receivedAt, shownAt, latency }) => ({ receivedAt, shownAt, latency })),
});

const openDatabase = () =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open("pushscope", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("device");
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });

// Reads the state and, where there is something to edit, writes it in the same transaction and tells open pages.
async function change(edit) {
  const database = await openDatabase();
  try {
    const state = await new Promise((resolve, reject) => {
      const transaction = database.transaction("device", edit ? "readwrite" : "readonly");
      const store = transaction.objectStore("device");
      const reading = store.get("state");
      let state = null;
      reading.onsuccess = () => {
        state = { ...initial(), ...reading.result };
        if (!edit) return;
        edit(state);
        for (const it of measured(state.recent)) it.latency ??= latency(it.at, it.received, state.exchanges);
        store.put(state, "state");
      };
      transaction.oncomplete = () => resolve(state);
      transaction.onabort = () => reject(transaction.error ?? new Error("nothing can be stored"));
    });
    if (edit) pages.postMessage(view(state));
    return state;
  } finally {
    database.close();
  }
}

const read = () => change(null);

// ---- Receipts.

function request(method, path, body, key, limit = requestLimit) {
  const headers = { "content-type": "application/json" };
  if (key) headers.authorization = `Bearer ${key}`;
  const signal = AbortSignal.timeout(limit);
  return fetch(path, { method, headers, body, signal, credentials: "omit", cache: "no-store" });
}

// Receipts whose notification may be shown at any moment; they are stored, and not posted yet.
const held = new Set();

// Puts a receipt, with the stages that are known, in place of what waits of it.
function enqueue(state, entry, isNew) {
  const { id, mac, receivedAt, shownAt, openedAt, context } = entry;
  const text = JSON.stringify({
    id, mac, device: state.name, received_at_ms: receivedAt, shown_at_ms: shownAt, opened_at_ms: openedAt, context,
  });
  const earlier = state.pending.find((it) => it.entry === entry.key);
  const waiting = { entry: entry.key, text, isNew: isNew || (earlier?.isNew ?? false) };
  state.pending = [...state.pending.filter((it) => it !== earlier), waiting].slice(-maximumPending);
}

const setStage = (key, stage, time) =>
  change((state) => {
    const entry = state.recent.find((it) => it.key === key);
    if (!entry || !time || entry[stage] !== undefined) return;
    entry[stage] = Math.max(Math.floor(time), entry.receivedAt);
    enqueue(state, entry, false);
  });

let posting = Promise.resolve();
let retryAt = 0;

// Posts one after the other what waits; false if something is left that should be tried again.
const post = () => (posting = posting.then(postPending).catch(() => false));

async function postPending() {
  for (;;) {
    const { key, state, pending, exchanges, name } = await read();
    const batch = pending.filter((it) => !held.has(it.entry)).slice(0, batchSize);
    if (!key || state === "removed" || batch.length === 0) return true;
    // The collector takes exchanges beside a receipt that is new to it.
    const clock = batch.some((it) => it.isNew) ? exchanges.filter((it) => !it.isPosted) : [];
    const device = JSON.stringify(name);
    const stamps = clock.map(({ t1, t2, t3, t4 }) => `{"t1":${t1},"t2":${t2},"t3":${t3},"t4":${t4},"device":${device}}`);
    const body = `{"receipts":[${batch.map((it) => it.text)}],"clock":[${stamps}]}`;
    const answer = await request("POST", "/v1/receipts", body, key).catch(() => null);
    if (!answer || answer.status >= 500 || answer.status === 429) {
      await change((state) => { state.isReporting = false; });
      retryAt = Date.now() + 1000 * (Number(answer?.headers.get("retry-after")) || 0);
      return false;
    }
    await change((state) => {
      state.isReporting = true;
      // A receipt that got a further stage meanwhile stays.
      state.pending = state.pending.filter((it) => !batch.some((done) => done.text === it.text));
      for (const it of state.pending) if (batch.some((done) => done.entry === it.entry)) it.isNew = false;
      for (const it of state.exchanges) if (clock.some((done) => done.t1 === it.t1)) it.isPosted = true;
    });
    if (answer.status === 401) await updateSelf("GET");
  }
}

async function deliver() {
  for (const pause of retries) {
    const wait = Math.max(pause, retryAt - Date.now());
    if (wait > retries.at(-1)) return;
    if (wait > 0) await sleep(wait);
    if (await post()) return;
  }
}

// ---- Notifications.

function readProbe(data) {
  try {
    const { id, mac, at } = data.json().pushscope;
    return typeof id === "string" && typeof mac === "string" ? { id, mac, at: Number(at) } : null;
  } catch {
    return null; // not one of ours
  }
}

const openPages = async () =>
  (await self.clients.matchAll({ type: "window", includeUncontrolled: true }))
    .filter((it) => it.url.startsWith(self.registration.scope));

// Browsers on Android and ChromeOS tell the type of the network; others do not.
function network() {
  const type = self.navigator.connection?.type;
  if (!type || type === "unknown") return undefined;
  return ["wifi", "cellular", "ethernet", "none"].includes(type) ? type : "other";
}

// In what state the device is, as far as a worker is told.
async function observe() {
  const notifications = self.Notification && self.Notification.permission === "granted";
  const context = { network: network(), notifications };
  const visible = openPages().then((all) => all.some((it) => it.visibilityState === "visible"), () => undefined);
  const isVisible = await Promise.race([visible, sleep(observationLimit)]);
  if (isVisible !== undefined) context.app = isVisible ? "foreground" : "background";
  return context;
}

// Resolves with when the notification was shown, or null where it could not be.
async function display(key, received) {
  try {
    await self.registration.showNotification("pushscope", {
      body: `A notification was received at ${new Date(received).toLocaleTimeString()}.`,
      tag: "pushscope", icon: "icon.png", data: { key, received },
    });
  } catch {
    return null;
  }
  const shown = now();
  // Not every browser replaces a notification of the same tag. Only earlier ones: one stays visible.
  self.registration.getNotifications().then(
    (all) => { for (const it of all) if (it.data?.received < received) it.close(); },
    () => {});
  return shown;
}

async function receive(probe, received, clockWasReset) {
  const receivedAt = Math.floor(received);
  const key = probe ? `${probe.id} ${receivedAt}` : null;
  const observed = observe();
  const displayed = display(key, received);
  if (!probe) return displayed;
  held.add(key);
  unmeasured.add(key);
  try {
    const context = await observed;
    await change((state) => {
      if (clockWasReset) for (const it of state.exchanges) it.isStale = true;
      const entry = { ...probe, key, received, receivedAt, latency: null };
      entry.context = { ...context, os: state.os ?? undefined };
      state.count += 1;
      state.recent = [entry, ...state.recent].slice(0, maximumRecent);
      enqueue(state, entry, true);
    });
    const [shown] = await Promise.all([Promise.race([displayed, sleep(displayLimit)]), exchangeClocks().catch(() => {})]);
    unmeasured.delete(key);
    await setStage(key, "shownAt", shown);
    held.delete(key);
    const delivered = deliver();
    if (shown === undefined) {
      await setStage(key, "shownAt", await displayed);
      await deliver();
    }
    await delivered;
  } finally {
    held.delete(key);
    unmeasured.delete(key);
  }
}

self.addEventListener("push", (event) => {
  const wasReset = clockWasReset();
  const received = now();
  event.waitUntil(receive(readProbe(event.data), received, wasReset));
});

async function openPage() {
  const [page] = await openPages();
  await (page ? page.focus() : self.clients.openWindow(self.registration.scope)).catch(() => {});
}

self.addEventListener("notificationclick", (event) => {
  clockWasReset();
  const opened = now();
  const key = event.notification.data?.key;
  event.notification.close();
  const told = key ? setStage(key, "openedAt", opened).then(deliver) : null;
  event.waitUntil(Promise.all([openPage(), told]));
});

// ---- The device at the collector.

// Asks the collector about this device, or changes it. The status, 0 where nobody answers.
async function updateSelf(method, body) {
  const { key } = await read();
  const answer = await request(method, "/v1/devices/self", body, key).catch(() => null);
  const told = answer?.ok ? await answer.json().catch(() => ({})) : {};
  await change((state) => {
    state.name = told.name ?? state.name;
    state.state = answer?.status === 401 ? "removed" : (told.state ?? state.state);
  });
  return answer?.status ?? 0;
}

const encode = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

let renewing = null;

// Tells the collector a subscription that it does not have yet. The status, or 200 where there is nothing to tell.
const renewSubscription = () => (renewing ??= renew().finally(() => (renewing = null)));

async function renew() {
  const { applicationServerKey, endpoint, state } = await read();
  const manager = self.registration.pushManager;
  let subscription = await manager.getSubscription();
  const usedKey = subscription?.options?.applicationServerKey;
  // Of a device that is gone the push service has forgotten the subscription, whatever the browser says.
  if (subscription && (state === "gone" || (usedKey && encode(usedKey) !== applicationServerKey))) {
    await subscription.unsubscribe();
    subscription = null;
  }
  subscription ??= await manager.subscribe({ userVisibleOnly: true, applicationServerKey });
  if (subscription.endpoint === endpoint && state !== "gone") return 200;
  const status = await updateSelf("PUT", JSON.stringify({ subscription }));
  if (status === 200) await change((state) => { state.endpoint = subscription.endpoint; });
  return status;
}

self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil(read().then(({ key }) => (key ? renewSubscription() : null)));
});

const calls = {
  view: async () => ({}),

  async open({ applicationServerKey, os }) {
    const { key } = await change((state) => { if (state.key) Object.assign(state, { applicationServerKey, os }); });
    if (!key) return {};
    const status = await updateSelf("GET");
    if (status !== 200) return { status };
    const renewed = await renewSubscription().then((status) => ({ status }), (error) => ({ subscriptionError: error.message }));
    await exchangeClocks();
    await post();
    return renewed;
  },

  async join({ token, platform, os, subscription, applicationServerKey }) {
    const body = JSON.stringify({ token, subscription, platform });
    const answer = await request("POST", "/v1/devices", body).catch(() => null);
    const told = await answer?.json().catch(() => ({}));
    if (answer?.status !== 201) {
      return { status: answer?.status ?? 0, retryAfter: answer?.headers.get("retry-after"), error: told?.error };
    }
    await change((state) => {
      const joined = { name: told.name, key: told.device_key, token, state: "active", applicationServerKey, os };
      Object.assign(state, initial(), joined, { endpoint: subscription.endpoint });
    });
    await exchangeClocks();
    return { status: 201 };
  },

  async pause({ isPaused }) {
    return { status: await updateSelf("PUT", JSON.stringify({ paused: isPaused })) };
  },

  // A device that the collector does not know has left already.
  async leave() {
    await post();
    const status = await updateSelf("DELETE");
    if (status !== 204 && status !== 401) return { status };
    await (await self.registration.pushManager.getSubscription())?.unsubscribe().catch(() => {});
    for (const it of await self.registration.getNotifications()) it.close();
    await change((state) => Object.assign(state, initial()));
    return { status: 204 };
  },
};

// A page asks {call, …} and gets {…, view} on the port that it sent.
self.addEventListener("message", (event) => {
  const [port] = event.ports;
  const run = async () => {
    try {
      port.postMessage({ ...(await calls[event.data.call](event.data)), view: view(await read()) });
    } catch (error) {
      port.postMessage({ failed: error.message });
    }
  };
  if (port && Object.hasOwn(calls, event.data?.call)) event.waitUntil(run());
});

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
