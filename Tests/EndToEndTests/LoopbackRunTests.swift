import Foundation
import TestKit
import TestTraits
import Testing

@Suite("A run against the loopback service", .ownThread, .serialized)
struct LoopbackRunTests {
  @Test("every planned notification is accounted for, and the columns add up", .timeLimit(.minutes(10)))
  func wholeRoad() throws {
    let installation = try Installation(target: ["receipt_deadline: 20s"])
    let service = try installation.startLoopback(
      scenario: """
        seed: 7
        deliveries: { delay: 20ms }
        """)
    let collector = try installation.collect(["--count", "200"])
    #expect(try collector.waitForExit() == 0)
    #expect(collector.standardOutput.isEmpty, "stdout carries data only")

    #expect(try installation.states() == ["delivered": 200])
    let sums = try installation.query(
      """
      SELECT count(*), min(sequence), max(sequence), sum(accept_us = schedule_lag_us + service_us),
        sum(delivery_us >= 20000), sum(delivery_error_us = 0), count(DISTINCT notification_id), sum(http_version = '2'),
        count(DISTINCT connection_id), sum(fresh_connection = 'true')
      FROM sample_view
      """)
    #expect(sums == [["200", "1", "200", "200", "200", "200", "200", "200", "1", "1"]])
    #expect(try installation.query("SELECT count(*) FROM event_view WHERE kind = 'connected'") == [["1"]])
    let runs = try run(Programs.pushscope, ["export", "runs", "--store", installation.store]).output
    #expect(runs.contains(",completed,loopback,200,200,200,200,0,0,0,0,0,0\r\n"))
    #expect(try service.stop() == 0)
  }

  /// The collector was not looking while session tickets, SETTINGS and the answer arrived.
  @Test("a first answer that arrives in one piece with session tickets is seen", .timeLimit(.minutes(10)))
  func gathered() throws {
    let installation = try Installation(rate: "5/s", target: ["timeout: 10s", "max_lag: 10s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    let port = try FreePort.take()
    let relay = try RunningProcess(
      Programs.python,
      [Programs.repository + "/Tests/Support/gathering_relay.py", "\(port)", "\(installation.loopbackPort)"])
    try relay.waitFor(output: "listening")
    let text = try String(contentsOfFile: installation.configuration, encoding: .utf8)
    try installation.directory.write(
      "pushscope.yaml", text.replacing("127.0.0.1:\(installation.loopbackPort)", with: "127.0.0.1:\(port)"))
    let collector = try installation.collect(["--count", "8"])
    #expect(try collector.waitForExit() == 0)
    #expect(try installation.states()["failed"] == nil)
    #expect(
      try installation.query("SELECT count(*), sum(connection_id) FROM sample_view WHERE accept_us > 0") == [
        ["8", "8"]
      ])
    // Tickets, SETTINGS and an answer.
    try relay.waitFor(output: "gathered")
    let bytes = relay.standardOutput.split(separator: "\n").last?.split(separator: " ").last.flatMap {
      Int($0)
    }
    #expect(bytes ?? 0 > 500, "\(relay.standardOutput)")
    try relay.kill()
    try service.stop()
  }

  @Test("the path is told apart from the service's own time", .timeLimit(.minutes(10)))
  func path() throws {
    let installation = try Installation(target: ["path_probe: 100ms"])
    let service = try installation.startLoopback(
      scenario: """
        seed: 3
        answers: { delay: 200ms }
        """)
    let collector = try installation.collect(["--count", "300"])
    #expect(try collector.waitForExit() == 0)
    // What is answered before the first PING has no path; times of the callback, without the kernel's stamp, may be late.
    #expect(
      try installation.query(
        """
        SELECT min(service_us) >= 200000, sum(path_us < service_us / 2) * 2 > count(path_us),
          min(ifnull(peer_ack_us, 0)) >= 0, (SELECT count(*) FROM sample
            WHERE path_us IS NULL AND timestamp_source = 0 AND planned_at + schedule_lag_us + service_us
              > (SELECT min(at) + 100000 FROM path WHERE path.connection_id = sample.connection_id))
        FROM sample_view
        """) == [["1", "1", "1", "0"]])
    // Each sample's is a stored one, of its own connection.
    #expect(
      try installation.query(
        """
        SELECT count(*) >= 5, min(round_trip_us) > 0, (SELECT count(*) FROM sample_view s WHERE path_us IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM path p WHERE p.round_trip_us = s.path_us AND p.connection_id = s.connection_id))
        FROM path
        """) == [["1", "1", "0"]])
    #expect(
      try installation.query("SELECT endpoint FROM target") == [
        ["https://127.0.0.1:\(installation.loopbackPort)"]
      ])
    let summary = try run(Programs.pushscope, ["summary", "--store", installation.store]).output
    #expect(summary.contains("path") && summary.contains("round trip of a PING"), "\(summary)")
    #expect(try service.stop() == 0)
  }

  @Test(
    "losses, duplicates and error answers are counted as the service caused them", .timeLimit(.minutes(10)))
  func script() throws {
    let installation = try Installation(rate: "200/s", target: ["receipt_deadline: 1s"])
    let service = try installation.startLoopback(
      scenario: """
        seed: 11
        answers:
          errors: [{ reason: BadDeviceToken, probability: 5% }]
        deliveries: { delay: 5ms, lost: 10%, duplicated: 10% }
        """, extra: ["--script", installation.directory.file("script.jsonl")])
    let collector = try installation.collect(["--count", "400"])
    #expect(try collector.waitForExit() == 0)
    try service.stop()

    let script = try String(contentsOfFile: installation.directory.file("script.jsonl"), encoding: .utf8)
      .split(separator: "\n").filter { $0.contains(#""entry":"request""#) }
    func count(_ text: String) -> Int { script.filter { $0.contains(text) }.count }
    let states = try installation.states()
    #expect(script.count == 400)
    #expect(states["rejected"] == count("BadDeviceToken"))
    #expect(states["lost"] == count(#""lost":true"#))
    #expect((states["lost"] ?? 0) > 10)
    #expect(states.values.reduce(0, +) == 400)
    let twice = script.filter {
      $0.range(of: #""deliveries_us":\[\d+,\d+\]"#, options: .regularExpression) != nil
    }
    #expect(twice.count > 10)
    #expect(try installation.query("SELECT sum(duplicates) FROM sample_view") == [["\(twice.count)"]])
  }

  @Test("the service is stopped and started again under a running collector", .timeLimit(.minutes(10)))
  func outage() throws {
    let installation = try Installation(target: ["receipt_deadline: 1s", "timeout: 2s"])
    let scenario = "deliveries: { delay: 1ms }\n"
    let first = try installation.startLoopback(scenario: scenario)
    let collector = try installation.collect([])
    try installation.waitFor("delivered", over: 20)
    try first.kill()
    try installation.waitFor("failed", over: 0)
    let before = try installation.states()["delivered"] ?? 0
    let second = try installation.startLoopback(scenario: scenario)
    try installation.waitFor("delivered", over: before + 20)
    #expect(try collector.stop() == 0)
    let reasons = try installation.query("SELECT DISTINCT reason FROM sample_view WHERE state = 'failed'")
      .joined()
    #expect(Set(reasons).isSubset(of: ["connect", "closed", "reset", "timeout", "goaway", "tls"]))
    #expect(try installation.query("SELECT count(*) FROM event_view WHERE kind = 'connected'") == [["2"]])
    #expect(
      try installation.query("SELECT count(*) FROM sample_view WHERE state IN ('planned', 'in_flight')") == [
        ["0"]
      ]
    )
    try second.stop()
  }

  @Test(
    "killed at any moment, every planned number has a state after the next start", .timeLimit(.minutes(10)))
  func killed() throws {
    let installation = try Installation(rate: "300/s", target: ["receipt_deadline: 500ms"])
    let service = try installation.startLoopback(
      scenario: "deliveries: { delay: { distribution: uniform, from: 1ms, to: 300ms } }\n")
    for round in 1...5 {
      let collector = try installation.collect([])
      let wanted = 100 + 67 * round
      try eventually("some were sent in round \(round)", seen: { collector.standardError }) {
        let sent = try? installation.query(
          """
          SELECT count(*) FROM sample_view WHERE sent_at IS NOT NULL
            AND run = (SELECT max(run) FROM sample_view) AND (SELECT count(*) FROM run) = \(round)
          """
        )
        return (sent?.first?.first).flatMap { Int($0) } ?? 0 > wanted ? true : nil
      }
      try collector.kill()
    }
    let last = try installation.collect(["--count", "10"])
    #expect(try last.waitForExit() == 0)
    try service.stop()

    #expect(try installation.query("PRAGMA integrity_check") == [["ok"]])
    let states = try installation.states()
    #expect(states["planned"] == nil)
    #expect(states["in_flight"] == nil)
    #expect((states["interrupted"] ?? 0) > 0)
    let gaps = try installation.query(
      "SELECT run, count(*), min(sequence), max(sequence) FROM sample_view GROUP BY run HAVING count(*) <> max(sequence) OR min(sequence) <> 1"
    )
    #expect(gaps.isEmpty, "sequences have no gaps")
    #expect(try installation.query("SELECT count(*) FROM run WHERE end_reason = 'interrupted'") == [["5"]])
  }

  @Test("a second collector on the same store is refused and names the first", .timeLimit(.minutes(10)))
  func secondCollector() throws {
    let installation = try Installation()
    let service = try installation.startLoopback()
    let first = try installation.collect([])
    try eventually("the first one runs") { try installation.states().isEmpty ? nil : true }
    let second = try installation.collect([])
    #expect(try second.waitForExit() == 73)
    #expect(second.standardError.contains("\(first.pid)"))
    #expect(second.standardError.hasPrefix("pushscope: "))
    #expect(try first.stop(SIGINT) == 0)
    try service.stop()
  }
}
