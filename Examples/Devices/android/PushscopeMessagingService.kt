// A messaging service that tells pushscope's collector when each notification reached the phone.
//
// Needs com.google.firebase:firebase-messaging and the INTERNET permission, and in the manifest:
//
//   <service android:name=".PushscopeMessagingService" android:exported="false">
//     <intent-filter><action android:name="com.google.firebase.MESSAGING_EVENT" /></intent-filter>
//   </service>
//
// The collector's certificate must be one that the phone trusts.
package com.example.app

import android.content.Context
import android.os.SystemClock
import com.google.firebase.messaging.FirebaseMessagingService
import com.google.firebase.messaging.RemoteMessage
import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL
import org.json.JSONArray
import org.json.JSONObject

private const val COLLECTOR = "https://receipts.example.com:8443"
private const val DEVICE = "my-android"

/** Unix time as it was when the process began, carried on by a clock that nobody sets, in nanoseconds. */
private object DeviceTime {
    private val origin = System.currentTimeMillis() * 1_000_000 - SystemClock.elapsedRealtimeNanos()

    fun now(): Long = origin + SystemClock.elapsedRealtimeNanos()
}

class PushscopeMessagingService : FirebaseMessagingService() {
    /** Called on a thread of Firebase's own, which may wait for the network for some seconds. */
    override fun onMessageReceived(message: RemoteMessage) {
        val received = DeviceTime.now()
        val id = message.data["id"] ?: return
        val mac = message.data["mac"] ?: return
        val receipt = JSONObject().put("id", id).put("mac", mac).put("device", DEVICE)
            .put("received_at_ms", received / 1_000_000) // cut, not rounded
        Receipts(this).post(receipt)
    }
}

private class Receipts(context: Context) {
    private val kept = context.getSharedPreferences("pushscope", Context.MODE_PRIVATE)

    /** Exchanges clocks, then posts this receipt and those that could not be posted before. */
    fun post(receipt: JSONObject) = synchronized(Receipts::class.java) {
        val waiting = JSONArray(kept.getString("receipts", "[]"))
        while (waiting.length() > 99) waiting.remove(0)
        waiting.put(receipt)
        // Kept first: the process may be ended at any moment. A receipt that comes twice counts once.
        kept.edit().putString("receipts", waiting.toString()).commit()
        try {
            // Three questions, since the one that took least tells most; the first one also pays for the connection.
            val clock = JSONArray()
            repeat(3) { clock.put(exchangeClocks()) }
            val (status, _) = post("/v1/receipts", JSONObject().put("receipts", waiting).put("clock", clock))
            // 202: stored. 400, 401, 413: it will never be. Anything else, such as 429: later.
            if (status in setOf(202, 400, 401, 413)) kept.edit().remove("receipts").commit()
        } catch (_: IOException) {
            // Later, with the next one.
        }
    }

    private fun exchangeClocks(): JSONObject {
        val t1 = DeviceTime.now()
        val (status, answer) = post("/v1/clock", JSONObject().put("t1", t1))
        val t4 = DeviceTime.now()
        if (status != 200) throw IOException("the collector answered $status")
        return JSONObject(answer).put("t4", t4).put("device", DEVICE)
    }

    private fun post(path: String, body: JSONObject): Pair<Int, String> {
        val connection = URL(COLLECTOR + path).openConnection() as HttpURLConnection
        connection.requestMethod = "POST"
        connection.setRequestProperty("content-type", "application/json")
        connection.connectTimeout = 5_000
        connection.readTimeout = 5_000
        connection.doOutput = true
        connection.outputStream.use { it.write(body.toString().toByteArray()) }
        val status = connection.responseCode
        // Read to the end, so that the next request goes over the same connection.
        val stream = if (status < 400) connection.inputStream else connection.errorStream
        return status to (stream?.use { it.readBytes().decodeToString() } ?: "")
    }
}
