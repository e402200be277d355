// A browser's parts for the service worker of a measured device (Sources/Collector/Devices/Page/worker.js), and the collector that
// it talks to, on a clock of their own: nothing waits in real time. device_worker.js uses it.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const vm = require("node:vm");

const source = fs.readFileSync(process.argv[2], "utf8");
const turn = () => new Promise((wake) => setImmediate(wake));
const deviceKey = "the-key-of-the-device";
const start = 1_790_000_000_000;
const offset = 90_000; // the device's clock is so far ahead of the collector's

// A browser with one worker, the collector that it talks to, and time, which passes only while everybody waits.
class Browser {
  time = 0; // milliseconds that passed
  wall = 0; // what somebody added to the device's Date
  timers = [];
  stored = undefined; // IndexedDB's one value
  told = []; // what pages were told
  requests = []; // {method, path, body, key, at}
  notifications = [];
  opened = [];
  windows = [];
  clients = async () => this.windows;
  network = undefined; // navigator.connection.type
  permission = "granted";
  display = async () => {};
  endpoint = null;
  usedKey = null;
  subscriptions = 0;
  answers = {}; // path to a function that answers in place of the collector
  self = { name: "reception", state: "active" };

  constructor() {
    this.restart();
  }

  after(delay, work) {
    this.timers.push({ at: this.time + delay, work });
    this.timers.sort((a, b) => a.at - b.at);
  }

  // Begins the worker, as a browser does for an event when none runs.
  restart() {
    const browser = this;
    const listeners = {};
    const began = this.time;
    this.listeners = listeners;
    this.timers = [];
    class DeviceDate extends Date {
      static now() {
        return Math.floor(start + offset + browser.time + browser.wall);
      }
    }
    const context = {
      self: {
        addEventListener: (name, listener) => { listeners[name] = listener; },
        registration: this.registration(),
        clients: {
          matchAll: () => this.clients(),
          openWindow: async (url) => { this.opened.push(url); },
        },
        navigator: this.network ? { connection: { type: this.network } } : {},
        Notification: { permission: this.permission },
      },
      performance: { timeOrigin: start + offset + began + this.wall, now: () => this.time - began },
      Date: DeviceDate,
      setTimeout: (work, delay) => this.after(delay, work),
      AbortSignal: { timeout: (limit) => ({ limit }) },
      BroadcastChannel: class { postMessage(message) { browser.told.push(JSON.stringify(message)); } },
      indexedDB: { open: () => this.database() },
      fetch: (path, options) => this.fetch(path, options),
      btoa,
    };
    vm.runInContext(source, vm.createContext(context));
  }

  registration() {
    return {
      scope: "https://push.example.com/device/",
      showNotification: async (title, options) => {
        await this.display();
        this.notifications = this.notifications.filter((it) => it.tag !== options.tag);
        this.notifications.push({ ...options, close: () => {} });
      },
      getNotifications: async () => this.notifications,
      pushManager: {
        getSubscription: async () => (this.endpoint ? this.subscription() : null),
        subscribe: async ({ applicationServerKey, userVisibleOnly }) => {
          assert.ok(userVisibleOnly);
          this.usedKey = applicationServerKey;
          this.endpoint = `https://push.example.net/${++this.subscriptions}`;
          return this.subscription();
        },
      },
    };
  }

  subscription() {
    return {
      endpoint: this.endpoint,
      options: { applicationServerKey: Buffer.from(this.usedKey, "base64url") },
      toJSON: () => ({ endpoint: this.endpoint, keys: {} }),
      unsubscribe: async () => { this.endpoint = null; },
    };
  }

  database() {
    const opening = {};
    const transaction = () => {
      const transaction = {};
      const get = () => {
        const reading = {};
        setImmediate(() => {
          reading.result = this.stored && structuredClone(this.stored);
          reading.onsuccess();
          setImmediate(() => transaction.oncomplete());
        });
        return reading;
      };
      const put = (value) => { this.stored = structuredClone(value); };
      return Object.assign(transaction, { objectStore: () => ({ get, put }) });
    };
    setImmediate(() => {
      opening.result = { createObjectStore() {}, transaction, close() {} };
      if (!this.stored) opening.onupgradeneeded();
      opening.onsuccess();
    });
    return opening;
  }

  // The collector: 10 ms to it, 30 ms back.
  fetch(path, { method, body, headers, signal }) {
    const key = headers.authorization?.replace("Bearer ", "");
    this.requests.push({ method, path, body, key, at: this.time });
    return new Promise((resolve, reject) => {
      this.after(signal.limit, () => reject(new Error("timed out")));
      this.after(10, () => {
        const { status, text = "", retryAfter = null } = (this.answers[path] ?? this.collector(path))({ method, body, key });
        if (status === 0) return reject(new Error("no network"));
        if (status === undefined) return; // hangs
        const answer = { status, ok: status < 300, headers: { get: () => retryAfter } };
        const read = async () => text;
        this.after(30, () => resolve({ ...answer, text: read, json: async () => JSON.parse(text) }));
      });
    });
  }

  collector(path) {
    const served = BigInt(Math.floor((start + this.time) * 1e6));
    return {
      "/v1/clock": ({ body }) => ({ status: 200, text: `${body.slice(0, -1)},"t2":${served},"t3":${served}}` }),
      "/v1/receipts": () => ({ status: 202 }),
      "/v1/devices": () => ({ status: 201, text: JSON.stringify({ name: "reception", device_key: deviceKey }) }),
      "/v1/devices/self": ({ method, body }) => {
        if (method === "PUT") this.self.state = JSON.parse(body).paused ? "paused" : "active";
        return method === "DELETE" ? { status: 204 } : { status: 200, text: JSON.stringify(this.self) };
      },
    }[path];
  }

  // Lets time pass until the work is done, or for as long as is said.
  async run(work, limit = Infinity) {
    let isDone = false;
    const end = this.time + limit;
    work.then(() => { isDone = true; }, () => { isDone = true; });
    for (;;) {
      for (let i = 0; i < 40 && !isDone; i++) await turn();
      if (isDone) return work;
      const next = this.timers[0];
      if (!next || next.at > end) {
        assert.ok(limit < Infinity, "nothing is left that could end it");
        this.time = end;
        return undefined;
      }
      this.timers.shift();
      this.time = Math.max(this.time, next.at);
      next.work();
    }
  }

  // Hands the worker an event; a promise of its end.
  send(name, event) {
    const works = [];
    this.listeners[name]({ ...event, waitUntil: (work) => works.push(work) });
    return Promise.all(works);
  }

  push(id, at = start + this.time - 500) {
    const payload = { pushscope: { v: 1, id, mac: `mac of ${id}`, at } };
    return this.send("push", { data: { json: () => payload } });
  }

  async call(name, fields = {}) {
    let answer;
    const port = { postMessage: (message) => { answer = message; } };
    await this.run(this.send("message", { data: { call: name, ...fields }, ports: [port] }));
    assert.equal(answer.failed, undefined);
    this.told.push(JSON.stringify(answer));
    return answer;
  }

  async join() {
    const applicationServerKey = Buffer.from("key").toString("base64url");
    this.usedKey = applicationServerKey;
    this.endpoint = "https://push.example.net/0";
    const subscription = { endpoint: this.endpoint };
    return this.call("join", { token: "token", platform: "Firefox on Linux", os: "Linux", subscription, applicationServerKey });
  }

  posts() {
    return this.requests.filter((it) => it.path === "/v1/receipts").map(({ body, key, at }) => ({ ...JSON.parse(body), key, at }));
  }

  count(path) {
    return this.requests.filter((it) => it.path === path).length;
  }
}

module.exports = { Browser, deviceKey, offset, start };
