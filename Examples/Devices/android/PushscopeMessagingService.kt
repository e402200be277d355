// A messaging service that tells pushscope's collector when each notification reached the phone, was shown, and was tapped, and
// what state the phone was in.
//
// Needs com.google.firebase:firebase-messaging, Android 8 (API 26), the permissions INTERNET, ACCESS_NETWORK_STATE and, from
// Android 13 on, POST_NOTIFICATIONS, which the app must ask for, and in the manifest:
//
//   <service android:name=".PushscopeMessagingService" android:exported="false">
//     <intent-filter><action android:name="com.google.firebase.MESSAGING_EVENT" /></intent-filter>
//   </service>
//   <receiver android:name=".NotificationOpened" android:exported="false" />
//
// The collector's certificate must be one that the phone trusts.
//
// What cannot report: an app that was force-stopped, or that the battery settings restrict to the foreground (Firebase does
// not start it), and a notification of `priority: normal` while the phone dozes (it comes with the next maintenance window,
// which is what is measured then). High priority without a visible notification is lowered by Google after a while, so this
// shows one.
package com.example.app

import android.app.ActivityManager
import android.app.ActivityManager.RunningAppProcessInfo
import android.app.KeyguardManager
import android.app.Notification
import android.app.NotificationChannel
import android.app.NotificationManager
import android.app.PendingIntent
import android.app.usage.UsageStatsManager
import android.content.BroadcastReceiver
import android.content.Context
import android.content.Intent
import android.net.ConnectivityManager
import android.net.NetworkCapabilities
import android.os.Build
import android.os.PowerManager
import android.os.Process
import android.os.SystemClock
import android.util.Log
import com.google.firebase.messaging.FirebaseMessagingService
import com.google.firebase.messaging.RemoteMessage
import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.concurrent.thread
import org.json.JSONArray
import org.json.JSONException
import org.json.JSONObject

private const val COLLECTOR = "https://receipts.example.com:8443"
private const val DEVICE = "my-android"
private const val CHANNEL = "pushscope"

/** Unix time as it was when the process began, carried on by a clock that nobody sets, in nanoseconds. */
private object DeviceTime {
    private val origin = System.currentTimeMillis() * 1_000_000 - SystemClock.elapsedRealtimeNanos()

    fun now(): Long = origin + SystemClock.elapsedRealtimeNanos()
}

class PushscopeMessagingService : FirebaseMessagingService() {
    /**
     * Called on a thread of Firebase's own, which may wait for the network for some seconds.
     *
     * received_at_ms: "Called when a message is received" (FirebaseMessagingService.onMessageReceived).
     * provider_at_ms: "the time in milliseconds from the Epoch that the message was sent", by Google's clock
     * (RemoteMessage.getSentTime; 0 where it is not set).
     */
    override fun onMessageReceived(message: RemoteMessage) {
        val received = DeviceTime.now()
        val id = message.data["id"] ?: return
        val mac = message.data["mac"] ?: return
        val receipt = JSONObject().put("id", id).put("mac", mac).put("device", DEVICE)
            .put("received_at_ms", received / 1_000_000) // cut, not rounded
            .put("context", Circumstances(this).context(message))
        if (message.sentTime > 0) receipt.put("provider_at_ms", message.sentTime)
        show(receipt)?.let { receipt.put("shown_at_ms", it / 1_000_000) }
        Receipts(this).post(receipt)
    }

    /**
     * Shows a notification in place of the one before.
     *
     * shown_at_ms: when the system had taken it "to be shown in the status bar" (NotificationManager.notify). Android does not tell an
     * app when it is drawn.
     *
     * @return `null` where the app may not show any.
     */
    private fun show(receipt: JSONObject): Long? {
        val manager = getSystemService(NotificationManager::class.java)
        if (!manager.mayShow()) return null
        val tap = Intent(this, NotificationOpened::class.java).putExtra("receipt", receipt.toString())
        val flags = PendingIntent.FLAG_UPDATE_CURRENT or PendingIntent.FLAG_IMMUTABLE
        val notification = Notification.Builder(this, CHANNEL)
            .setSmallIcon(android.R.drawable.ic_dialog_info)
            .setContentTitle("pushscope")
            .setAutoCancel(true)
            .setContentIntent(PendingIntent.getBroadcast(this, 0, tap, flags))
            .build()
        manager.notify(1, notification)
        return DeviceTime.now()
    }

    /**
     * Firebase gives the app another token when it is restored or its data is cleared; the old one ends as UNREGISTERED.
     * Put the new one into the file that `device_token_file` names. It is a secret: an app in real use sends it to its
     * own server and does not log it.
     */
    override fun onNewToken(token: String) {
        Log.i("pushscope", "registration token: $token")
    }
}

/**
 * Whether a notification would be shown: "whether notifications from the calling package are enabled"
 * (NotificationManager.areNotificationsEnabled), and the channel is not blocked (IMPORTANCE_NONE: "does not show in the shade").
 * A channel that exists keeps what the user made of it (NotificationManager.createNotificationChannel).
 */
private fun NotificationManager.mayShow(): Boolean {
    createNotificationChannel(NotificationChannel(CHANNEL, "pushscope", NotificationManager.IMPORTANCE_DEFAULT))
    return areNotificationsEnabled() && getNotificationChannel(CHANNEL)?.importance != NotificationManager.IMPORTANCE_NONE
}

/**
 * The state that the phone and the app are in: `context` of a receipt (docs/receipts.md). What Android does not tell is left out.
 */
private class Circumstances(private val context: Context) {
    fun context(message: RemoteMessage): JSONObject {
        val power = context.getSystemService(PowerManager::class.java)
        return JSONObject()
            .put("app", app())
            // "the priority of message as delivered", which "may be lower than the priority originally requested", and that one
            // (RemoteMessage.getPriority, getOriginalPriority).
            .put("priority", priority(message.priority))
            .put("priority_sent", priority(message.originalPriority))
            // Doze with its restrictions in force; not in a maintenance window, and not the lighter Doze of a phone that moves
            // (PowerManager.isDeviceIdleMode).
            .put("idle", power.isDeviceIdleMode)
            // Battery saver (PowerManager.isPowerSaveMode).
            .put("saver", power.isPowerSaveMode)
            .put("bucket", bucket())
            .put("network", network())
            .put("notifications", context.getSystemService(NotificationManager::class.java).mayShow())
            .put("os", "Android ${Build.VERSION.RELEASE}")
    }

    /** `null`, which JSONObject.put leaves out, for PRIORITY_UNKNOWN. */
    private fun priority(priority: Int): String? = when (priority) {
        RemoteMessage.PRIORITY_HIGH -> "high"
        RemoteMessage.PRIORITY_NORMAL -> "normal"
        else -> null
    }

    /**
     * Whether the app is on the screen: its process is "running the foreground UI" (IMPORTANCE_FOREGROUND, from
     * ActivityManager.getMyMemoryState) and the screen is not locked (KeyguardManager.isKeyguardLocked). Firebase's own
     * DisplayNotification decides so, too.
     *
     * `stopped`: no process of the app ran. Android does not say so before API 35 (ApplicationStartInfo); here it is the first
     * message of a process that is less than 10 s old (Process.getStartElapsedRealtime) and has nothing on the screen.
     */
    private fun app(): String {
        val isFirst = isFirstMessage.getAndSet(false)
        val process = RunningAppProcessInfo()
        ActivityManager.getMyMemoryState(process)
        val isLocked = context.getSystemService(KeyguardManager::class.java).isKeyguardLocked
        if (process.importance == RunningAppProcessInfo.IMPORTANCE_FOREGROUND && !isLocked) return "foreground"
        val age = SystemClock.elapsedRealtime() - Process.getStartElapsedRealtime()
        return if (isFirst && age < 10_000) "stopped" else "background"
    }

    /**
     * "the current standby bucket of the calling app" (UsageStatsManager.getAppStandbyBucket, from Android 9 on). Buckets up to
     * STANDBY_BUCKET_ACTIVE "have no standby restrictions imposed".
     */
    private fun bucket(): String? {
        if (Build.VERSION.SDK_INT < Build.VERSION_CODES.P) return null
        val bucket = context.getSystemService(UsageStatsManager::class.java).appStandbyBucket
        return when {
            bucket <= UsageStatsManager.STANDBY_BUCKET_ACTIVE -> "active"
            bucket == UsageStatsManager.STANDBY_BUCKET_WORKING_SET -> "working_set"
            bucket == UsageStatsManager.STANDBY_BUCKET_FREQUENT -> "frequent"
            bucket == UsageStatsManager.STANDBY_BUCKET_RARE -> "rare"
            bucket == UsageStatsManager.STANDBY_BUCKET_RESTRICTED -> "restricted"
            else -> null
        }
    }

    /**
     * The transport of the default network (ConnectivityManager.getActiveNetwork, NetworkCapabilities.hasTransport).
     *
     * `null` where Android gives none: "when there is no default network, or when the default network is blocked" for the app, as
     * in Doze. The message has come over one, so this is not reported as `none`.
     */
    private fun network(): String? {
        val manager = context.getSystemService(ConnectivityManager::class.java)
        val network = manager.getNetworkCapabilities(manager.activeNetwork) ?: return null
        return when {
            network.hasTransport(NetworkCapabilities.TRANSPORT_WIFI) -> "wifi"
            network.hasTransport(NetworkCapabilities.TRANSPORT_CELLULAR) -> "cellular"
            network.hasTransport(NetworkCapabilities.TRANSPORT_ETHERNET) -> "ethernet"
            else -> "other"
        }
    }

    private companion object {
        val isFirstMessage = AtomicBoolean(true)
    }
}

/**
 * Posts the receipt again when the notification is tapped.
 *
 * opened_at_ms: the intent is sent "when the notification is clicked" (Notification.Builder.setContentIntent). A notification that
 * is swiped away was not opened.
 */
class NotificationOpened : BroadcastReceiver() {
    override fun onReceive(context: Context, intent: Intent) {
        val opened = DeviceTime.now()
        val receipt = intent.getStringExtra("receipt") ?: return
        val work = goAsync()
        thread {
            try {
                Receipts(context).post(JSONObject(receipt).put("opened_at_ms", opened / 1_000_000))
            } finally {
                work.finish()
            }
        }
    }
}

private class Receipts(context: Context) {
    private val preferences = context.getSharedPreferences("pushscope", Context.MODE_PRIVATE)

    /** Exchanges clocks, then posts this receipt and those that could not be posted before. */
    fun post(receipt: JSONObject) {
        // Kept first: the process may be ended at any moment. A receipt that comes twice counts once.
        val waiting = change { kept -> (kept + receipt).takeLast(100) }
        try {
            // Three questions, since the one that took least tells most; the first one also pays for the connection.
            // Without any the receipt still says that the notification arrived, and no later than the receipt.
            val clock = JSONArray()
            repeat(3) { exchangeClocks()?.let { exchange -> clock.put(exchange) } }
            val body = JSONObject().put("receipts", JSONArray(waiting)).put("clock", clock)
            val (status, _) = post("/v1/receipts", body)
            // 202: stored. 400, 401, 413: it will never be. Anything else, such as 429 or a portal's page: later.
            if (status !in setOf(202, 400, 401, 413)) return
            val done = waiting.map { it.toString() }.toSet()
            change { kept -> kept.filter { it.toString() !in done } }
        } catch (_: IOException) {
            // Later, with the next one.
        }
    }

    /** Changes what is kept. Only this is done one thread at a time; nobody waits here for somebody else's network. */
    private fun change(edit: (List<JSONObject>) -> List<JSONObject>): List<JSONObject> =
        synchronized(Receipts::class.java) {
            val kept = try {
                val array = JSONArray(preferences.getString("receipts", "[]"))
                (0 until array.length()).map { array.getJSONObject(it) }
            } catch (_: JSONException) {
                emptyList<JSONObject>()
            }
            val edited = edit(kept)
            preferences.edit().putString("receipts", JSONArray(edited).toString()).commit()
            edited
        }

    /** `null` where somebody else answers, such as a captive portal with its page. */
    private fun exchangeClocks(): JSONObject? {
        val t1 = DeviceTime.now()
        val (status, answer) = post("/v1/clock", JSONObject().put("t1", t1))
        val t4 = DeviceTime.now()
        if (status != 200) return null
        return try {
            val stamps = JSONObject(answer)
            JSONObject().put("t1", t1).put("t2", stamps.getLong("t2")).put("t3", stamps.getLong("t3"))
                .put("t4", t4).put("device", DEVICE)
        } catch (_: JSONException) {
            null
        }
    }

    private fun post(path: String, body: JSONObject): Pair<Int, String> {
        val connection = URL(COLLECTOR + path).openConnection() as HttpURLConnection
        connection.requestMethod = "POST"
        connection.setRequestProperty("content-type", "application/json")
        connection.instanceFollowRedirects = false
        connection.connectTimeout = 5_000
        connection.readTimeout = 5_000
        connection.doOutput = true
        connection.outputStream.use { it.write(body.toString().toByteArray()) }
        val status = connection.responseCode
        // Read to the end, so that the next request goes over the same connection.
        val stream = if (status < 400) connection.inputStream else connection.errorStream
        return status to (stream?.use { it.readBytes().toString(Charsets.UTF_8) } ?: "")
    }
}
