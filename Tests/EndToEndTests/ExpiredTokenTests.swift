import Foundation
import Testing

/// Tokens that a service believes in for seconds only: refusals are recorded, nothing is hammered, and where a new token
/// helps there is one.
@Suite("Expired tokens", .serialized, .enabled(if: Programs.has("sqlite3")), .timeLimit(.minutes(5)))
struct ExpiredTokenTests {
  @Test("each dialect says so in its own word, and each is answered as it should be")
  func everyDialect() throws {
    let station = try Station()
    let service = try station.startLoopback(
      scenario: """
        answers: { delay: 2ms }
        deliveries: { delay: 10ms }
        tokens: { lifetime: 3s }
        """)
    let collector = try RunningProcess(
      Programs.pushscope,
      [
        "collect", "--config", station.directory.file("loopback/loopback.yaml"), "--store", station.store,
        "--rate",
        "10/s", "--duration", "9s",
      ])
    #expect(try collector.waitForExit(within: .seconds(120)) == 0, "\(collector.standardError)")
    service.signal(SIGTERM)
    try service.waitForExit()
    func count(_ target: String, _ condition: String) throws -> Int {
      let rows = try station.query(
        "SELECT count(*) FROM sample_view WHERE target = '\(target)' AND \(condition)")
      return Int(rows[0][0]) ?? -1
    }
    // VAPID tokens are dated by their sender, and ntfy's is a password.
    for target in ["webpush", "ntfy"] {
      #expect(try count(target, "state = 'delivered'") > 45, "\(target)")
      #expect(try count(target, "state NOT IN ('delivered', 'missed')") == 0, "\(target)")
    }

    // An access token is fetched anew as soon as the old one is refused; what was under way is the price.
    #expect((1...9).contains(try count("fcm", "state = 'rejected'")))
    #expect(try count("fcm", "state = 'rejected' AND (status != 401 OR reason != 'UNAUTHENTICATED')") == 0)
    #expect(try count("fcm", "state = 'delivered'") > 45)
    #expect(try count("fcm", "state NOT IN ('delivered', 'rejected', 'missed')") == 0)
    let fetched = try station.query(
      "SELECT count(*) FROM event_view WHERE target = 'fcm' AND kind = 'token_refreshed' AND detail LIKE '%renewed in%'"
    )
    #expect((1...4).contains(Int(fetched[0][0]) ?? 0), "\(fetched)")

    // Apple takes no new token so soon: there is silence, and somebody is told to look at the clock.
    #expect((1...9).contains(try count("apns", "state = 'rejected'")))
    #expect(
      try count("apns", "state = 'rejected' AND (status != 403 OR reason != 'ExpiredProviderToken')") == 0)
    #expect(try count("apns", "state = 'missed' AND reason = 'credential'") > 30)
    let told = try station.query(
      "SELECT detail FROM event_view WHERE target = 'apns' AND kind = 'retry_after'")
    #expect(
      told.count == 1 && told[0][0].hasPrefix("403 ExpiredProviderToken") && told[0][0].contains("clock"),
      "\(told)")
    #expect(collector.standardError.contains("403 ExpiredProviderToken"))
  }
}
