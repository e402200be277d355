// Checks the service worker of a measured device in a browser that is played (device_browser.js).
//
// usage: node device_worker.js WORKER      prints a line for each case; status 1 where one fails
"use strict";

const assert = require("node:assert/strict");
const { Browser, deviceKey, offset, start } = require("./device_browser.js");

async function joined() {
  const browser = new Browser();
  assert.equal((await browser.join()).status, 201);
  return browser;
}

const unavailable = (retryAfter) => () => ({ status: 503, retryAfter });
const unreachable = () => ({ status: 0 });

const cases = {
  "one receipt with both stages, beside three exchanges": async () => {
    const browser = await joined();
    browser.display = () => new Promise((wake) => browser.after(120, wake));
    const began = start + offset + browser.time;
    await browser.run(browser.push("a"));
    const [post, ...others] = browser.posts();
    assert.equal(others.length, 0);
    assert.deepEqual(post.receipts, [
      {
        id: "a", mac: "mac of a", device: "reception", received_at_ms: began, shown_at_ms: began + 120,
        context: { app: "background", notifications: true, os: "Linux" },
      },
    ]);
    assert.equal(post.key, deviceKey);
    assert.equal(post.clock.length, 3);
    assert.equal(post.clock[0].device, "reception");
  },

  "the stamps of an exchange hold the offset, and are whole nanoseconds": async () => {
    const browser = await joined();
    await browser.run(browser.push("a"));
    const { body } = browser.requests.find((it) => it.path === "/v1/receipts");
    const stamps = [...body.matchAll(/\{"t1":(\d+),"t2":(\d+),"t3":(\d+),"t4":(\d+),/g)];
    assert.equal(stamps.length, 3);
    for (const [, t1, t2, t3, t4] of stamps.map((it) => it.map((text, i) => (i ? BigInt(text) : text)))) {
      const ahead = BigInt(offset) * 1_000_000n;
      assert.ok(t1 - ahead <= t2 - 10_000_000n && t4 - ahead >= t3 + 30_000_000n, "the clock's steps are allowed for");
      assert.ok(t4 - t1 < 50_000_000n);
    }
  },

  "the page is told the latency with a bound that holds": async () => {
    const browser = await joined();
    await browser.run(browser.push("a"));
    const { view } = await browser.call("view");
    const { value, error } = view.recent[0].latency;
    assert.ok(Math.abs(value - 500) <= error && error < 30, `${value} ± ${error}`);
    assert.equal(view.count, 1);
    assert.equal(view.unreported, 0);
  },

  "a notification whose display hangs is reported at once, and its stage later": async () => {
    const browser = await joined();
    browser.display = () => new Promise((wake) => browser.after(7_000, wake));
    const began = browser.time;
    await browser.run(browser.push("a"));
    const [first, second, ...others] = browser.posts();
    assert.equal(others.length, 0);
    assert.ok(first.at - began <= 1_100 && !("shown_at_ms" in first.receipts[0]));
    assert.deepEqual(second.receipts, [{ ...first.receipts[0], shown_at_ms: first.receipts[0].received_at_ms + 7_000 }]);
    assert.equal(first.clock.length, 3);
    assert.equal(second.clock.length, 0);
  },

  "the context is what a worker is told, as it was when the notification came": async () => {
    const page = { url: "https://push.example.com/device/", visibilityState: "visible" };
    const shown = { notifications: true, os: "Linux" };
    const hidden = { ...page, visibilityState: "hidden" };
    const other = { ...page, url: "https://push.example.com/other/" };
    for (const [windows, network, permission, context] of [
      [[page], "wifi", "granted", { app: "foreground", network: "wifi", ...shown }],
      [[hidden], "cellular", "granted", { app: "background", network: "cellular", ...shown }],
      [[other], "wimax", "granted", { app: "background", network: "other", ...shown }],
      [[], "unknown", "denied", { app: "background", ...shown, notifications: false }],
    ]) {
      const browser = await joined();
      Object.assign(browser, { windows, network, permission });
      browser.restart();
      browser.display = () => new Promise((wake) => browser.after(7_000, wake));
      const work = browser.push("a");
      await browser.run(work, 2_000);
      browser.windows = [];
      await browser.run(work);
      assert.deepEqual(browser.posts().map((it) => it.receipts[0].context), [context, context]);
    }
  },

  "a device that joined before the system was kept tells it once its page was opened": async () => {
    const browser = await joined();
    browser.stored.os = undefined;
    await browser.run(browser.push("a"));
    await browser.call("open", { applicationServerKey: browser.usedKey, os: "iPadOS" });
    await browser.run(browser.push("b"));
    assert.deepEqual(browser.posts().map((it) => it.receipts[0].context.os), [undefined, "iPadOS"]);
  },

  "without an answer about its pages the receipt is posted": async () => {
    for (const clients of [() => new Promise(() => {}), async () => { throw new Error("no clients"); }]) {
      const browser = await joined();
      browser.clients = clients;
      const began = browser.time;
      await browser.run(browser.push("a"));
      assert.deepEqual(browser.posts().map((it) => it.receipts[0].context), [{ notifications: true, os: "Linux" }]);
      assert.ok(browser.posts()[0].at - began <= 300);
    }
  },

  "a notification that cannot be shown is received": async () => {
    const browser = await joined();
    browser.display = async () => { throw new Error("not allowed"); };
    await browser.run(browser.push("a"));
    assert.deepEqual(browser.posts().map((it) => "shown_at_ms" in it.receipts[0]), [false]);
  },

  "what the network did not take is posted with the next notification": async () => {
    const browser = await joined();
    browser.answers["/v1/receipts"] = unreachable;
    await browser.run(browser.push("a"));
    assert.equal(browser.posts().length, 4, "it was tried again");
    assert.equal((await browser.call("view")).view.unreported, 1);
    browser.answers = {};
    browser.restart();
    await browser.run(browser.push("b"));
    assert.deepEqual(browser.posts().at(-1).receipts.map((it) => it.id), ["a", "b"]);
    assert.equal((await browser.call("view")).view.unreported, 0);
  },

  "a worker that ends before it posts loses nothing": async () => {
    const browser = await joined();
    browser.display = () => new Promise(() => {});
    await browser.run(browser.push("a"), 500);
    assert.equal(browser.posts().length, 0);
    browser.restart();
    await browser.call("open", { applicationServerKey: browser.usedKey });
    assert.deepEqual(browser.posts().map((it) => it.receipts[0].id), ["a"]);
  },

  "it waits as long as retry-after says, and keeps what it cannot wait for": async () => {
    const browser = await joined();
    browser.answers["/v1/receipts"] = unavailable("3");
    const work = browser.push("a");
    await browser.run(work, 2_000);
    assert.equal(browser.posts().length, 1);
    browser.answers["/v1/receipts"] = () => ({ status: 429, retryAfter: "600" });
    await browser.run(work);
    assert.equal(browser.posts().length, 2);
    assert.equal((await browser.call("view")).view.unreported, 1);
  },

  "what is refused is not posted again": async () => {
    const browser = await joined();
    browser.answers["/v1/receipts"] = () => ({ status: 400 });
    await browser.run(browser.push("a"));
    assert.equal(browser.posts().length, 1);
    assert.equal((await browser.call("view")).view.unreported, 0);
  },

  "at most 500 receipts are kept, the newest, and posted a hundred at a time": async () => {
    const browser = await joined();
    browser.answers["/v1/receipts"] = unavailable("600");
    for (let i = 0; i < 510; i++) await browser.run(browser.push(`n${i}`));
    assert.equal((await browser.call("view")).view.unreported, 500);
    browser.answers = {};
    browser.restart();
    const before = browser.posts().length;
    await browser.call("open", { applicationServerKey: browser.usedKey });
    const posts = browser.posts().slice(before);
    assert.deepEqual(posts.map((it) => it.receipts.length), [100, 100, 100, 100, 100]);
    assert.equal(posts[0].receipts[0].id, "n10");
  },

  "notifications at the same time are each reported once": async () => {
    const browser = await joined();
    await browser.run(Promise.all(["a", "b", "c"].map((id) => browser.push(id))));
    assert.deepEqual(browser.posts().flatMap((it) => it.receipts.map(({ id }) => id)).sort(), ["a", "b", "c"]);
    assert.equal(browser.posts().reduce((sum, it) => sum + it.clock.length, 0), 3);
  },

  "without a clock the receipt is posted, and the page is told": async () => {
    const browser = new Browser();
    browser.answers["/v1/clock"] = () => ({ status: 404, text: "<html>not here</html>" });
    await browser.join();
    await browser.run(browser.push("a"));
    assert.deepEqual(browser.posts().map((it) => it.clock.length), [0]);
    const { view } = await browser.call("view");
    assert.equal(view.hasClock, false);
    assert.equal(view.recent[0].latency, null);
  },

  "a clock that does not answer holds a receipt up for 3 s at most": async () => {
    const browser = new Browser();
    browser.answers["/v1/clock"] = () => ({});
    await browser.join();
    const began = browser.time;
    await browser.run(browser.push("a"));
    assert.ok(browser.posts()[0].at - began <= 3_000);
  },

  "clocks are exchanged again after a minute, by whichever worker": async () => {
    const browser = await joined();
    for (const [seconds, exchanges] of [[0, 3], [54, 3], [12, 6], [6, 6]]) {
      browser.time += seconds * 1000;
      browser.restart();
      await browser.run(browser.push("a"));
      assert.equal(browser.count("/v1/clock"), exchanges);
    }
    assert.deepEqual(browser.posts().map((it) => it.clock.length), [3, 0, 3, 0]);
  },

  "after the system slept, or its clock was set, clocks are exchanged anew": async () => {
    const browser = await joined();
    browser.wall += 30_000; // the monotonic clock stood still
    browser.time += 60_000;
    await browser.run(browser.push("a"));
    assert.equal(browser.count("/v1/clock"), 6);
    const { receipts } = browser.posts()[0];
    assert.ok(receipts[0].received_at_ms >= start + offset + 30_000 + 60_000);
    const { value, error } = (await browser.call("view")).view.recent[0].latency;
    assert.ok(Math.abs(value - 500) <= error && error < 40, `${value} ± ${error}`);
  },

  "a click is a stage of the same receipt, and shows the page": async () => {
    const browser = await joined();
    await browser.run(browser.push("a"));
    const [first] = browser.posts();
    browser.time += 4_000;
    const click = async () => {
      const notification = { data: browser.notifications[0].data, close() {} };
      await browser.run(browser.send("notificationclick", { notification }));
    };
    const opened = start + offset + browser.time;
    await click();
    assert.deepEqual(browser.posts()[1].receipts, [{ ...first.receipts[0], opened_at_ms: opened }]);
    assert.deepEqual(browser.opened, ["https://push.example.com/device/"]);
    let isFocused = false;
    browser.windows = [{ url: "https://push.example.com/device/", focus: async () => { isFocused = true; } }];
    await click();
    assert.ok(isFocused);
    assert.equal(browser.posts().length, 2, "a stage is reported once");
  },

  "a push that is not a collector's is shown and not reported": async () => {
    const browser = await joined();
    await browser.run(browser.send("push", { data: null }));
    await browser.run(browser.send("push", { data: { json: () => ({ pushscope: { id: 3 } }) } }));
    assert.equal(browser.notifications.length, 1);
    assert.equal(browser.posts().length, 0);
  },

  "a changed subscription is told to the collector": async () => {
    const browser = await joined();
    browser.endpoint = null;
    await browser.run(Promise.all([1, 2].map(() => browser.send("pushsubscriptionchange", {}))));
    const { method, body, key } = browser.requests.at(-1);
    assert.deepEqual([method, JSON.parse(body).subscription.endpoint, key], ["PUT", "https://push.example.net/1", deviceKey]);
    await browser.call("open", { applicationServerKey: browser.usedKey });
    assert.equal(browser.requests.filter((it) => it.method === "PUT").length, 1, "once");
  },

  "opening the page renews the subscription of a device that is gone, or of another key": async () => {
    const browser = await joined();
    browser.self.state = "gone";
    const { view } = await browser.call("open", { applicationServerKey: browser.usedKey });
    assert.equal(view.state, "active");
    assert.equal(browser.endpoint, "https://push.example.net/1");
    const other = Buffer.from("other").toString("base64url");
    assert.equal((await browser.call("open", { applicationServerKey: other })).status, 200);
    assert.deepEqual([browser.endpoint, browser.usedKey], ["https://push.example.net/2", other]);
    assert.equal(browser.requests.filter((it) => it.method === "PUT").length, 2);
  },

  "a wrong invitation leaves nothing behind": async () => {
    const browser = new Browser();
    browser.answers["/v1/devices"] = () => ({ status: 401, text: '{"error":"used"}' });
    const { status, view } = await browser.join();
    assert.deepEqual([status, view.name], [401, null]);
    await browser.run(browser.push("a"));
    assert.equal(browser.posts().length, 0);
  },

  "a device that was removed says so, reports nothing, and can leave": async () => {
    const browser = await joined();
    browser.answers["/v1/devices/self"] = browser.answers["/v1/receipts"] = () => ({ status: 401 });
    await browser.run(browser.push("a"));
    await browser.run(browser.push("b"));
    assert.equal(browser.posts().length, 1);
    assert.equal((await browser.call("view")).view.state, "removed");
    const { status, view } = await browser.call("leave");
    assert.deepEqual([status, view.name, browser.endpoint], [204, null, null]);
  },

  "pause, resume and leave": async () => {
    const browser = await joined();
    assert.equal((await browser.call("pause", { isPaused: true })).view.state, "paused");
    assert.equal((await browser.call("pause", { isPaused: false })).view.state, "active");
    browser.answers["/v1/devices/self"] = unreachable;
    assert.equal((await browser.call("leave")).view.name, "reception", "the collector could not be told");
    browser.answers = {};
    assert.equal((await browser.call("leave")).view.name, null);
    assert.equal(browser.endpoint, null);
    assert.equal(JSON.stringify(browser.stored).includes(deviceKey), false);
  },

  "the key is told to no page": async () => {
    const browser = await joined();
    await browser.run(browser.push("a"));
    await browser.call("open", { applicationServerKey: browser.usedKey });
    assert.ok(browser.told.length > 3);
    for (const message of browser.told) assert.ok(!message.includes(deviceKey));
  },
};

(async () => {
  for (const [name, run] of Object.entries(cases)) {
    try {
      await run();
      console.log(`ok: ${name}`);
    } catch (error) {
      console.log(`failed: ${name}`);
      console.error(error);
      process.exitCode = 1;
    }
  }
})();
