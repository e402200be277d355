import Foundation
import TestKit
import TestTraits
import Testing

@Suite(
  "A Web Push target that subscribes, against the loopback service", .ownThread, .serialized,
  .enabled(if: Programs.has("openssl", "sqlite3")), .timeLimit(.minutes(10)))
struct SubscribingTests {
  private let installation: Installation

  init() throws {
    installation = try Installation()
    try configure()
  }

  private func configure(_ more: [String] = [], rate: Int = 20) throws {
    let lines =
      [
        "targets:", "  - name: own", "    provider: webpush",
        "    subscribe: wss://localhost:\(installation.loopbackPort)/", "    ca_file: loopback/ca.pem",
        "    schedule: { arrivals: constant, rate: \(rate)/s }",
        "    credentials: { vapid_key_file: loopback/vapid.pem, subject: mailto:ops@example.com }",
      ] + more.map { "    " + $0 }
    try installation.directory.write("pushscope.yaml", lines.joined(separator: "\n") + "\n")
  }

  private var identity: String { installation.store + "-own.subscription.json" }

  private func events(_ kind: String) throws -> [String] {
    try installation.query("SELECT detail FROM event WHERE kind = '\(kind)' AND detail LIKE 'subscription%'")
      .map {
        $0[0]
      }
  }

  @Test("every notification is delivered on one clock, and the next run goes on with the same subscription")
  func delivers() throws {
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    let collector = try installation.collect(["--count", "60"])
    #expect(try collector.waitForExit() == 0, "\(collector.standardError)")
    let rows = try installation.query(
      """
      SELECT count(*), sum(state = 'delivered'), sum(delivery_us > schedule_lag_us), sum(delivery_error_us = 0),
        sum(delivery_certainty = 'exact'), sum(duplicates)
      FROM sample_view
      """)
    #expect(rows == [["60", "60", "60", "60", "60", "0"]])
    #expect(
      try installation.query("SELECT count(*), sum(same_clock) FROM receipt WHERE device = 'own'") == [
        ["60", "60"]
      ])
    let kept = try String(contentsOfFile: identity, encoding: .utf8)
    #expect(try FileManager.default.attributesOfItem(atPath: identity)[.posixPermissions] as? Int == 0o600)
    let second = try installation.collect(["--count", "20"])
    #expect(try second.waitForExit() == 0, "\(second.standardError)")
    #expect(try String(contentsOfFile: identity, encoding: .utf8) == kept)
    #expect(try installation.states() == ["delivered": 80])
    // What is secret in it is nowhere else.
    struct Identity: Decodable { var uaid, channelID, endpoint, privateKey, auth: String }
    let own = try JSONDecoder().decode(Identity.self, from: Data(kept.utf8))
    let token = String(own.endpoint.suffix(60))
    let dump = try run("sqlite3", ["-readonly", installation.store, ".dump"]).output
    for secret in [own.uaid, own.channelID, token, own.privateKey, own.auth] {
      for text in [collector.standardError, collector.standardOutput, second.standardError, dump] {
        #expect(!text.contains(secret))
      }
    }
    try service.stop()
  }

  @Test("a connection that the service closes costs nothing, and is told") func closed() throws {
    let service = try installation.startLoopback(
      scenario: "deliveries: { delay: 5ms }\nwebpush: { close_after: 1s, close_code: 1001 }\n")
    let collector = try installation.collect(["--count", "60"])
    #expect(try collector.waitForExit() == 0, "\(collector.standardError)")
    #expect(try installation.states() == ["delivered": 60], "\(collector.standardError)")
    #expect(try events("connected").count >= 2)
    #expect(try events("disconnected").contains { $0.contains("closed the connection with 1001") })
    #expect(try installation.query("SELECT sum(duplicates) FROM sample_view") == [["0"]])
    try service.stop()
  }

  @Test("a service that forgets the user agent gets another hello, and gives another subscription")
  func forgotten() throws {
    // Ten notifications are refused before there is another subscription, which is itself forgotten before a pause of 10 s would
    // be over.
    try configure(rate: 100)
    let service = try installation.startLoopback(
      scenario: "deliveries: { delay: 5ms }\nwebpush: { forget_after: 5s }\n")
    let collector = try installation.collect([])
    // How many are refused meanwhile depends on how fast this host is.
    try eventually("something is delivered again", seen: { collector.standardError }) {
      try installation.states()["rejected"] != nil
        && installation.query(
          """
          SELECT (SELECT max(planned_at) FROM sample_view WHERE state = 'delivered')
            > (SELECT min(planned_at) FROM sample_view WHERE state = 'rejected')
          """) == [["1"]]
    }
    #expect(try collector.stop() == 0)
    #expect(try events("disconnected").contains { $0.contains("does not know the endpoint any more") })
    let log = try installation.query("SELECT message FROM log WHERE label = 'subscription'").map { $0[0] }
    #expect(log.contains { $0.contains("the subscription is a new one") }, "\(log)")
    try service.stop()
  }

  @Test("a service that goes silent on an open connection loses what it accepts") func muted() throws {
    try configure(["receipt_deadline: 3s"])
    let service = try installation.startLoopback(
      scenario: "deliveries: { delay: 5ms }\nwebpush: { mute_after: 1s }\n")
    let collector = try installation.collect(["--count", "60"])
    #expect(try collector.waitForExit() == 0, "\(collector.standardError)")
    let states = try installation.states()
    #expect(states["delivered", default: 0] > 0 && states["lost", default: 0] > 0, "\(states)")
    #expect(Set(states.keys).isSubset(of: ["delivered", "lost", "missed"]), "\(states)")
    #expect(
      try installation.query("SELECT count(*) FROM sample_view WHERE state = 'missed' AND reason <> 'lag'")
        == [["0"]])
    try service.stop()
  }

  @Test("what a killed collector has not acknowledged comes again, and counts once") func killed() throws {
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 200ms }\n")
    for round in 1...3 {
      let collector = try installation.collect([])
      try installation.waitFor("delivered", over: 20 * round, by: collector)
      try collector.kill()
    }
    let last = try installation.collect(["--count", "20"])
    #expect(try last.waitForExit() == 0, "\(last.standardError)")
    #expect(
      try installation.query("SELECT sum(duplicates), sum(state = 'lost') FROM sample_view") == [["0", "0"]])
    let twice = try installation.query(
      "SELECT count(*) FROM receipt GROUP BY sample_id HAVING count(*) > 1 AND max(duplicate) > 0")
    #expect(twice.isEmpty, "\(twice)")
    // Some had been accepted and not delivered when their collector was killed; they came to the next one.
    let late = try installation.query(
      """
      SELECT count(*) FROM receipt r JOIN target t ON t.id = r.sample_id >> 40 JOIN run n ON n.id = t.run_id + 1
      WHERE r.arrived_at > n.started_at
      """)
    #expect(late != [["0"]])
    try service.stop()
  }

  @Test("sending begins once the service has told where to", .timeLimit(.minutes(3))) func away() throws {
    // Makes the credentials.
    try installation.startLoopback().stop()
    let collector = try installation.collect(["--count", "40"])
    try collector.waitFor(error: "sending begins once these are available")
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    #expect(try collector.waitForExit() == 0, "\(collector.standardError)")
    #expect(try installation.states() == ["delivered": 40])
    try service.stop()
  }

  @Test("what is asked of somebody else's service too often is refused") func tooOften() throws {
    try installation.startLoopback().stop()
    let text = try String(contentsOfFile: installation.configuration, encoding: .utf8)
    try installation.directory.write(
      "pushscope.yaml",
      text.replacing("wss://localhost:\(installation.loopbackPort)/", with: "wss://push.example.net/"))
    let collector = try installation.collect(["--count", "5"])
    #expect(try collector.waitForExit() == 78)
    #expect(collector.standardError.contains("no more than one notification each 15 s"))
    #expect(collector.standardError.contains("--allow-above-provider-limit"))
  }
}
