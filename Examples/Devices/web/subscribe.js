// Subscribes this browser to push and shows what the collector needs. A subscription that was made with another key is
// given up first, since browsers refuse a second key.
async function subscribe(applicationServerKey) {
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) {
    throw new Error("this browser has no Web Push (on iOS: add the page to the home screen first)");
  }
  // Browsers ask only while a click is being handled.
  if ((await Notification.requestPermission()) !== "granted") throw new Error("notifications are not allowed here");
  await navigator.serviceWorker.register("service-worker.js");
  const registration = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey };
  const subscription = await registration.pushManager.subscribe(options).catch(async (error) => {
    const old = await registration.pushManager.getSubscription();
    if (!old) throw error;
    await old.unsubscribe();
    return registration.pushManager.subscribe(options);
  });
  return JSON.stringify(subscription);
}

const button = document.getElementById("subscribe");
button.addEventListener("click", async () => {
  const shown = document.getElementById("subscription");
  try {
    shown.textContent = await subscribe(button.dataset.key);
  } catch (error) {
    shown.textContent = `not subscribed: ${error.message}`;
  }
});
