// The page of a measured device: asks for permission, subscribes, and shows what the service worker knows. Only the worker
// (worker.js) talks to the collector about the device and has its key; the page asks it by messages.
"use strict";

const element = (id) => document.getElementById(id);
const applicationServerKey = document.body.dataset.key;
const callLimit = 60_000;

// ---- Where this page runs.

const agent = navigator.userAgent;
const isIPad = /iPad/.test(agent) || (/Macintosh/.test(agent) && navigator.maxTouchPoints > 1);
const isIOS = isIPad || /iPhone|iPod/.test(agent);
const isOnHomeScreen = navigator.standalone === true || matchMedia("(display-mode: standalone)").matches;

const firstMatch = (names) => names.find(([, pattern]) => pattern.test(agent))?.[0];

const system = isIPad ? "iPad" : firstMatch([
  ["Android", /\bAndroid\b/], ["iPhone", /\biPhone\b/], ["Windows", /\bWindows\b/], ["ChromeOS", /\bCrOS\b/],
  ["macOS", /\bMacintosh\b/], ["Linux", /\bLinux\b/],
]);
// What receipts say; a worker cannot tell an iPad from a Mac.
const os = { iPad: "iPadOS", iPhone: "iOS" }[system] ?? system;

// As "Firefox on Linux": what the collector lists.
function platform() {
  const browser = firstMatch([
    ["Edge", /\bEdg(A|iOS)?\//], ["Opera", /\bOPR\//], ["Samsung Internet", /\bSamsungBrowser\//],
    ["Firefox", /\b(Firefox|FxiOS)\//], ["Chrome", /\b(HeadlessChrome|Chrome|CriOS)\//], ["Safari", /\bSafari\/|AppleWebKit\//],
  ]);
  return `${browser ?? "a browser"} on ${system ?? "an unknown system"}`;
}

const noun = isIPad ? "tablet" : /iPhone|Android.*Mobile/.test(agent) ? "phone" : "browser";

// ---- What is said where it cannot go on.

const texts = {
  insecure:
    "This page came over http from another host. Browsers give notifications to pages over https only, or over http from " +
    "this host itself (http://localhost). Open the invitation that pushscope invite prints.",
  homeScreen: "Notifications reach this page only when it is opened from the home screen.",
  noWorker:
    "This browser gives this page no service worker; private windows often have none. Open the invitation in a normal window.",
  noPush:
    "This browser has no push notifications for web pages, or not in a private window. Open the invitation in a normal " +
    "window of a current Chrome, Edge, Firefox or Safari.",
  denied:
    "Notifications are not allowed for this site. Allow them in the browser's settings for this site (and, in the system's " +
    "settings, for the browser), then load this page again. Private windows may refuse them always.",
  dismissed: "The browser's question was not answered. Press the button again, and allow notifications.",
  noClock:
    "The collector cannot be reached (no answer from /v1/clock). Is it running, and is this device in its network? Load " +
    "this page again later.",
  noInvitation: "Enter the invitation: the address that pushscope invite printed, or the part of it after #.",
  usedInvitation:
    "The collector does not accept this invitation: it is wrong, was used before, or has expired. Make another one with " +
    "pushscope invite.",
  tooLarge: "The collector does not accept this subscription: it is too large.",
  removed:
    "The collector does not know this device any more: it was removed there. Press Leave, then open another invitation.",
  otherInvitation: "This device has joined already. To use another invitation, press Leave first, then open it again.",
  unreachable: "The collector cannot be reached. What was measured is kept and reported later.",
  notLeft: "Not left: the collector cannot be reached. Try again, or withdraw this site's permission for notifications.",
  notPaused: "Not changed: the collector cannot be reached. Try again.",
};

const stateTexts = {
  active: "The collector sends notifications to this device.",
  paused: "Paused: the collector sends nothing until you resume.",
  gone: "The push service has given up this subscription. Load this page again to renew it.",
  shadowed: "Not measured: a target in the collector's configuration has the same name. Rename the device, or the target.",
  removed: "",
};

function say(id, text) {
  if (element(id).textContent !== text) element(id).textContent = text;
}

const complain = (text) => say("problem", text);

function whyImpossible() {
  if (!window.isSecureContext) return texts.insecure;
  if (isIOS && !isOnHomeScreen) return texts.homeScreen;
  if (!("serviceWorker" in navigator)) return texts.noWorker;
  if (!("PushManager" in window) || !("Notification" in window)) return texts.noPush;
  if (Notification.permission === "denied") return texts.denied;
  return "";
}

function whyNotJoined({ status, retryAfter, error }, subscription) {
  if (status === 0) return texts.noClock;
  if (status === 401) return texts.usedInvitation;
  if (status === 403) {
    const { host } = new URL(subscription.endpoint);
    return `The collector does not send to this browser's push service (${host}): "services" in its configuration says to which.`;
  }
  if (status === 413) return texts.tooLarge;
  if (status === 429 || status === 503) {
    const when = retryAfter ? `in ${retryAfter} s` : "in a minute";
    return `The collector takes no invitation just now${error ? ` (${error})` : ""}. Try again ${when}.`;
  }
  return `The collector refused: ${error ?? `status ${status}`}.`;
}

// ---- The invitation.

const tokenIn = (text) => text.trim().replace(/^.*#/s, "").match(/^[\w-]{16,64}$/)?.[0] ?? null;
let token = null;

function readAddress() {
  token = tokenIn(location.hash);
  element("invitation-field").hidden = token !== null;
}

function forgetInvitation() {
  token = null;
  history.replaceState(null, "", location.pathname);
  element("invitation-field").hidden = false;
}

// With the token in its start_url the web app on the home screen has the invitation, though its storage is another.
function linkManifest() {
  const link = document.createElement("link");
  link.rel = "manifest";
  const isForHomeScreen = isIOS && !isOnHomeScreen && token;
  link.href = `/device/manifest.webmanifest${isForHomeScreen ? `?token=${token}` : ""}`;
  document.head.append(link);
}

// ---- Asking the worker.

async function call(name, fields = {}) {
  const { active } = await navigator.serviceWorker.ready;
  const { port1, port2 } = new MessageChannel();
  const answer = await new Promise((resolve, reject) => {
    port1.onmessage = ({ data }) => resolve(data);
    setTimeout(() => reject(new Error("the service worker does not answer")), callLimit);
    active.postMessage({ call: name, ...fields }, [port2]);
  });
  if (answer.failed) throw new Error(answer.failed);
  show(answer.view);
  return answer;
}

async function clockAnswers() {
  const options = { method: "POST", headers: { "content-type": "application/json" }, body: '{"t1":1}', cache: "no-store" };
  const answer = await fetch("/v1/clock", { ...options, signal: AbortSignal.timeout(10_000) }).catch(() => null);
  return answer?.ok ?? false;
}

// ---- What is shown.

let current = { name: null };

function showView(name) {
  document.body.dataset.view = name;
  element("home-screen").hidden = name !== "home-screen";
  element("join").hidden = name !== "join";
  element("device").hidden = name !== "device";
}

const seconds = (milliseconds, error) => `${(milliseconds / 1000).toFixed(error < 10 ? 3 : 2)} s`;

// When a notification was received and shown, for the table and as a sentence.
function describe({ receivedAt, shownAt, latency }) {
  const display = shownAt === undefined ? null : shownAt - receivedAt;
  if (!latency) {
    const shown = display === null ? "not shown" : `${seconds(display, 100)} later`;
    const sentence = `Last notification: ${display === null ? shown : `shown ${shown} than received`}.`;
    return { received: "not known", shown, sentence };
  }
  const { value, error } = latency;
  const received = `${seconds(value, error)} (± ${seconds(error, error).replace(" s", "")})`;
  const shown = display === null ? "not shown" : seconds(value + display, error);
  const sentence = `Last notification: received after ${received}, ${display === null ? shown : `shown after ${shown}`}.`;
  return { received, shown, sentence };
}

function row(entry) {
  const { received, shown } = describe(entry);
  const line = document.createElement("tr");
  for (const text of [new Date(entry.receivedAt).toLocaleTimeString(), received, shown]) line.insertCell().textContent = text;
  return line;
}

function show(view) {
  current = view;
  if (!view.name) {
    if (document.body.dataset.view === "device") showView("join");
    return;
  }
  showView("device");
  say("name", view.name);
  say("state", stateTexts[view.state] ?? view.state);
  say("count", String(view.count));
  say("latest", view.recent.length ? describe(view.recent[0]).sentence : "Waiting for the first notification.");
  const notes = [];
  if (!view.hasClock) notes.push("No answer from /v1/clock: how long notifications took is not known.");
  if (view.unreported > 0) notes.push(`Not reported yet: ${view.unreported}; they are posted with the next notification.`);
  say("notes", notes.join(" "));
  say("pause", view.state === "paused" ? "Resume" : "Pause");
  element("pause").disabled = !["active", "paused"].includes(view.state);
  element("notifications").hidden = view.recent.length === 0;
  element("notifications").tBodies[0].replaceChildren(...view.recent.map(row));
}

// Runs what a button starts; the buttons wait meanwhile.
async function busy(text, work) {
  const buttons = [...document.querySelectorAll("button")].filter((it) => !it.disabled);
  for (const it of buttons) it.disabled = true;
  document.body.dataset.busy = "";
  complain("");
  say("progress", text);
  try {
    complain((await work()) ?? "");
  } catch (error) {
    complain(`Not done: ${error.message}`);
  }
  say("progress", "");
  for (const it of buttons) it.disabled = false;
  delete document.body.dataset.busy;
  if (current.name) show(current);
}

// ---- Joining. Each function returns what is wrong, or nothing.

// A browser keeps one subscription, and refuses another application server key while there is one.
async function subscribe(registration) {
  const manager = registration.pushManager;
  await (await manager.getSubscription())?.unsubscribe();
  return manager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

async function join(permission) {
  const invitation = token ?? tokenIn(element("invitation").value);
  if (!invitation) return texts.noInvitation;
  const answer = await permission;
  if (answer === "denied") return texts.denied;
  if (answer !== "granted") return texts.dismissed;
  if (!(await clockAnswers())) return texts.noClock;
  const scope = "/device/";
  const registered = navigator.serviceWorker.register("/device/worker.js", { scope, updateViaCache: "none" });
  try {
    await registered;
  } catch (error) {
    return (
      `The browser does not accept the service worker (${error.message}). It must trust the collector's certificate: one ` +
      "that was accepted by hand does not do. A private window may refuse, too.");
  }
  const registration = await navigator.serviceWorker.ready;
  say("progress", "Subscribing at the push service …");
  let subscription;
  try {
    subscription = await subscribe(registration);
  } catch (error) {
    return `The browser could not subscribe at its push service (${error.message}). Is it online, and has it one?`;
  }
  say("progress", "Joining …");
  const fields = { token: invitation, platform: platform(), os, subscription: subscription.toJSON(), applicationServerKey };
  const joined = await call("join", fields).catch((error) => ({ error: error.message }));
  if (joined.status === 201) {
    forgetInvitation();
    element("invitation").value = "";
    return "";
  }
  await subscription.unsubscribe().catch(() => {});
  if (joined.status === 401) forgetInvitation();
  return whyNotJoined(joined, subscription);
}

element("join").addEventListener("submit", (event) => {
  event.preventDefault();
  // Browsers ask only while a press is being handled: before anything else is awaited.
  const hasInvitation = token ?? tokenIn(element("invitation").value);
  const permission = hasInvitation ? Notification.requestPermission() : null;
  busy("Asking for permission …", () => join(permission));
});

element("copy").addEventListener("click", () =>
  busy("", () => navigator.clipboard.writeText(location.href).then(() => say("copy", "Copied"))));

// ---- A device that has joined.

async function open() {
  const { status, subscriptionError, view } = await call("open", { applicationServerKey, os });
  if (!view.name) return "";
  if (token && token !== view.token) return texts.otherInvitation;
  if (token) forgetInvitation();
  if (view.state === "removed") return texts.removed;
  if (Notification.permission !== "granted") return texts.denied;
  if (subscriptionError) return `The browser could not renew its subscription (${subscriptionError}). Is it online?`;
  if (status === 403) return "The collector does not send to this browser's push service any more.";
  return status === 200 ? "" : texts.unreachable;
}

element("pause").addEventListener("click", () =>
  busy("Asking the collector …", async () => {
    const { status, view } = await call("pause", { isPaused: current.state !== "paused" });
    if (view.state === "removed") return texts.removed;
    return status === 200 ? "" : texts.notPaused;
  }));

element("leave").addEventListener("click", async () => {
  await busy("Leaving …", async () => ((await call("leave")).status === 204 ? "" : texts.notLeft));
  if (current.name) return;
  say("progress", "Left: this browser is not measured any more.");
  element("invitation").focus();
});

// ---- The start.

async function start() {
  readAddress();
  linkManifest();
  new BroadcastChannel("pushscope-device").onmessage = ({ data }) => show(data);
  say("start", `Let this ${noun} be measured`);
  const impossible = whyImpossible();
  if (impossible === texts.homeScreen) {
    element("copy").hidden = !token;
    return showView("home-screen");
  }
  const registration = await navigator.serviceWorker?.getRegistration("/device/").catch(() => null);
  if (registration?.active) {
    await busy("", open);
    if (current.name) return;
  }
  showView("join");
  if (impossible) {
    element("start").disabled = true;
    return complain(impossible);
  }
  if (!(await clockAnswers())) complain(texts.noClock);
}

// The collector may have removed or renamed it meanwhile: asked when somebody looks, and once a minute while they do.
async function refresh() {
  if (document.hidden || !current.name || "busy" in document.body.dataset) return;
  const problem = await open().catch(() => null);
  if (problem === null || "busy" in document.body.dataset) return;
  complain(problem);
}

document.addEventListener("visibilitychange", refresh);
setInterval(refresh, 60_000);
window.addEventListener("hashchange", () => {
  readAddress();
  if (token && current.name) complain(texts.otherInvitation);
});
start();
