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
        installation.store,
        "--rate",
        "10/s", "--duration", "9s",
      ])
    #expect(try collector.waitForExit(within: .seconds(120)) == 0, "\(collector.standardError)")
    try service.stop()
    func count(_ target: String, _ condition: String) throws -> Int {
      let rows = try installation.query(
        "SELECT count(*) FROM sample_view WHERE target = '\(target)' AND \(condition)")
      return Int(rows[0][0]) ?? -1
    }
    // The sender sets the expiration of VAPID tokens; ntfy's token is a password.
    for target in ["webpush", "ntfy"] {
      #expect(try count(target, "state = 'delivered'") > 45, "\(target)")
      #expect(try count(target, "state NOT IN ('delivered', 'missed')") == 0, "\(target)")
    }

    // A new access token is fetched as soon as the old one is refused; only requests in flight are rejected. On a loaded machine
    // these are more.
    let rejected = try count("fcm", "state = 'rejected'")
    #expect(rejected >= 1)
    #expect(try count("fcm", "state = 'rejected' AND (status != 401 OR reason != 'UNAUTHENTICATED')") == 0)
    #expect(try count("fcm", "state = 'delivered'") > rejected)
    #expect(try count("fcm", "state NOT IN ('delivered', 'rejected', 'missed')") == 0)
    let fetched = try installation.query(
      "SELECT count(*) FROM event_view WHERE target = 'fcm' AND kind = 'token_refreshed' AND detail LIKE '%renewed in%'"
    )
    #expect((1...4).contains(Int(fetched[0][0]) ?? 0), "\(fetched)")

    // Apple accepts no new token so soon: sending pauses, and the log advises to check the clock.
    let refused = try count("apns", "state = 'rejected'")
    let paused = try count("apns", "state = 'missed' AND reason = 'credential'")
    #expect(refused >= 1 && refused < paused, "\(refused) of \(paused)")
    #expect(
      try count("apns", "state = 'rejected' AND (status != 403 OR reason != 'ExpiredProviderToken')") == 0)
    #expect(paused > 20)
    let told = try installation.query(
      "SELECT detail FROM event_view WHERE target = 'apns' AND kind = 'retry_after'")
    #expect(
      told.count == 1 && told[0][0].hasPrefix("403 ExpiredProviderToken") && told[0][0].contains("clock"),
      "\(told)")
    #expect(collector.standardError.contains("403 ExpiredProviderToken"))
  }
}
