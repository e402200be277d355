import Foundation
import TestKit
import TestTraits
import Testing

/// Tokens that a service accepts for a few seconds only: rejections are recorded, requests are not repeated without a pause,
/// and a new token is made where one helps.
@Suite(
  "Expired tokens", .ownThread, .serialized, .enabled(if: Programs.has("sqlite3")), .timeLimit(.minutes(10)))
struct ExpiredTokenTests {
  @Test("each dialect has its own reason, and the collector reacts to each as documented")
  func everyDialect() throws {
    let installation = try Installation()
    let service = try installation.startLoopback(
      scenario: """
        answers: { delay: 2ms }
        deliveries: { delay: 10ms }
        tokens: { lifetime: 3s }
        """)
    let collector = try RunningProcess(
      Programs.pushscope,
      [
        "collect", "--config", installation.directory.file("loopback/loopback.yaml"), "--store",
        installation.store, "--rate", "10/s",
      ])
    func count(_ target: String, _ condition: String) throws -> Int {
      let rows = try installation.query(
        "SELECT count(*) FROM sample_view WHERE target = '\(target)' AND \(condition)")
      return Int(rows[0][0]) ?? -1
    }
    // How long that takes depends on the machine: each target waits for its credential first, and rejects what is in flight.
    try installation.waitFor("delivered", over: 100, by: collector)
    try eventually("each target has met its expired tokens", seen: { collector.standardError }) {
      let delivered = try ["webpush", "ntfy"].map { try count($0, "state = 'delivered'") }
      return try delivered.allSatisfy { $0 > 45 }
        && count("fcm", "state = 'delivered'") > max(30, count("fcm", "state = 'rejected'"))
        && count("fcm", "state = 'rejected'") > 0
        && count("apns", "state = 'missed' AND reason = 'credential'")
          > max(20, count("apns", "state = 'rejected'"))
    }
    #expect(try collector.stop() == 0, "\(collector.standardError)")
    try service.stop()
    // The sender sets the expiration of VAPID tokens; ntfy's token is a password.
    for target in ["webpush", "ntfy"] {
      #expect(try count(target, "state NOT IN ('delivered', 'missed')") == 0, "\(target)")
    }

    // A new access token is fetched as soon as the old one is refused; only requests in flight are rejected.
    #expect(try count("fcm", "state = 'rejected' AND (status != 401 OR reason != 'UNAUTHENTICATED')") == 0)
    #expect(try count("fcm", "state NOT IN ('delivered', 'rejected', 'missed')") == 0)
    let fetched = try installation.query(
      "SELECT count(*) FROM event_view WHERE target = 'fcm' AND kind = 'token_refreshed' AND detail LIKE '%renewed in%'"
    )
    let rejected = try count("fcm", "state = 'rejected'")
    #expect((1...rejected).contains(Int(fetched[0][0]) ?? 0), "\(fetched) of \(rejected)")

    // Apple accepts no new token so soon: sending pauses, and the log advises to check the clock.
    let refused = try count("apns", "state = 'rejected'")
    #expect(refused >= 1)
    #expect(
      try count("apns", "state = 'rejected' AND (status != 403 OR reason != 'ExpiredProviderToken')") == 0)
    let told = try installation.query(
      "SELECT detail FROM event_view WHERE target = 'apns' AND kind = 'retry_after'")
    // Once for each pause, however many were in flight.
    #expect((1...refused).contains(told.count) && told.count < 4, "\(told)")
    #expect(
      told.allSatisfy { $0[0].hasPrefix("403 ExpiredProviderToken") && $0[0].contains("clock") }, "\(told)")
    #expect(collector.standardError.contains("403 ExpiredProviderToken"))
  }
}
