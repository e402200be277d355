import Foundation
import TestKit
import TestTraits
import Testing

/// The acceptance cases of docs/measurement.md with the real binary and two services: the loopback service, and one that
/// shares no code with this project. The checks do not depend on the machine's speed: times that the service read on its own
/// clock lie inside the measured intervals, and counts are exact. Timing figures belong to `make bench`.
@Suite("Acceptance", .ownThread, .serialized)
struct AcceptanceTests {
  private static let target = ["receipt_deadline: 20s", "timeout: 1m", "max_lag: 20s"]

  private func micros(_ figures: [String: Any], _ column: String, _ quantile: String) throws -> Int {
    try #require((figures[column] as? [String: Any])?[quantile] as? Int)
  }

  @Test("a freeze is measured in full, with parallel streams and one at a time", .timeLimit(.minutes(10)))
  func freeze() throws {
    for streams in [1000, 1] {
      let installation = try Installation(rate: "100/s", target: Self.target)
      let service = try PushService(
        installation,
        ["--max-streams", "\(streams)", "--freeze", "1000:1400", "--answer-delay", "constant:2"])
      let collector = try installation.collect(["--count", "400"])
      #expect(try collector.waitForExit() == 0, "\(collector.standardError)")
      try service.stop()
      let figures = try PushService.check(installation, script: service.script)
      #expect(try installation.states() == ["delivered": 400])
      // 4 s are planned: 1 % of the notifications were planned in the first 40 ms of the freeze.
      #expect(try micros(figures, "accept_us", "p99") >= 1_340_000)
      let slow = try installation.query("SELECT count(*) FROM sample_view WHERE service_us > 700000")
      let waited = try installation.query("SELECT count(*) FROM sample_view WHERE schedule_lag_us > 700000")
      if streams == 1 {
        #expect(slow == [["1"]], "only what was under way sees the freeze on the wire")
        #expect(Int(waited.first?.first ?? "") ?? 0 >= 60, "the others waited in our own queue")
      } else {
        #expect(Int(slow.first?.first ?? "") ?? 0 >= 69, "the wait is on the wire")
      }
      // Planned times are exactly 10 ms apart, also during the freeze.
      #expect(
        try installation.query(
          "SELECT max(planned_monotonic_us) - min(planned_monotonic_us) FROM sample") == [["3990000"]])
    }
  }

  @Test(
    "injected delays are found again, whatever their distribution",
    .timeLimit(.minutes(10)),
    arguments: [
      ("lognormal:12:0.6", 12_000.0, 12_000 * exp(0.6 * 1.281552)),
      ("bimodal:0.2:15:0.2:60:0.15", 15_944.0, 60_000.0),
      ("pareto:4:1.2", 4000 * pow(2.0, 1 / 1.2), 4000 * pow(10.0, 1 / 1.2)),
    ])
  func distribution(delay: String, median: Double, p90: Double) throws {
    let installation = try Installation(rate: "125/s", target: Self.target)
    let service = try PushService(installation, ["--answer-delay", delay, "--seed", "11"])
    let collector = try installation.collect(["--count", "1000"])
    #expect(try collector.waitForExit() == 0)
    try service.stop()
    try PushService.check(installation, script: service.script)

    // No latency is measured shorter than it was. Therefore no quantile is, nor either end of its interval.
    let summary = try run(
      Programs.pushscope, ["summary", "--json", "--exact", "--store", installation.store])
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(summary.output.utf8)) as? [String: Any])
    let injected = try String(contentsOfFile: service.script, encoding: .utf8).split(separator: "\n")
      .compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      .compactMap { $0["delay_ns"] as? Int }.map { $0 / 1000 }.sorted()
    #expect(injected.count == 1000)
    for (quantile, truth) in [(0.5, median), (0.9, p90)] {
      let figure = try #require(Self.figure(report, "service", quantile))
      #expect(figure.value >= injected[Int(quantile * 1000) - 1] - 50)
      #expect(Double(figure.high) >= truth * 0.98, "\(delay) \(quantile): \(figure) \(truth)")
      #expect(figure.low <= figure.value && figure.value <= figure.high)
    }
    #expect(Self.figure(report, "service", 0.999) == nil, "1000 values say nothing of p99.9")
  }

  @Test("losses, duplicates, reordering and rejections are counted exactly", .timeLimit(.minutes(10)))
  func loss() throws {
    let installation = try Installation(
      rate: "200/s", target: ["receipt_deadline: 10s", "timeout: 10s", "max_lag: 20s"])
    let service = try PushService(
      installation,
      [
        "--lost", "0.1", "--duplicated", "0.1", "--reordered", "0.05", "--rejected", "0.05", "--reset",
        "0.03",
        "--seed", "5",
      ])
    let collector = try installation.collect(["--count", "600"])
    #expect(try collector.waitForExit() == 0)
    try service.stop()
    try PushService.check(installation, script: service.script)
    let states = try installation.states()
    #expect(states.values.reduce(0, +) == 600)
    for state in ["lost", "rejected", "failed"] { #expect(states[state] ?? 0 > 5, "\(states)") }
    #expect(
      try installation.query("SELECT DISTINCT status, reason FROM sample_view WHERE state = 'rejected'")
        == [["410", "Unregistered"]])
  }

  @Test("the loopback service's own script agrees with a run", .timeLimit(.minutes(10)))
  func loopback() throws {
    let installation = try Installation(
      rate: "200/s", target: ["receipt_deadline: 10s", "timeout: 10s", "max_lag: 20s"])
    let script = installation.directory.file("script.jsonl")
    let service = try installation.startLoopback(
      scenario: """
        seed: 3
        answers:
          delay: { distribution: lognormal, median: 5ms, sigma: 0.5 }
          errors: [{ reason: BadDeviceToken, probability: 5% }]
        deliveries: { delay: 15ms, lost: 8%, duplicated: 8%, reordered: { probability: 5%, by: 60ms } }
        freeze: { from: 1s, for: 700ms }
        """, extra: ["--script", script])
    let collector = try installation.collect(["--count", "600"])
    #expect(try collector.waitForExit() == 0)
    try service.stop()
    let figures = try PushService.check(installation, script: script)
    #expect(try micros(figures, "accept_us", "p99") >= 650_000, "the freeze is in the figures")
  }

  @Test("killed at random moments, what the service saw is in the store", .timeLimit(.minutes(10)))
  func kill() throws {
    let installation = try Installation(rate: "300/s", target: ["receipt_deadline: 500ms", "timeout: 2s"])
    let service = try PushService(
      installation, ["--answer-delay", "lognormal:20:1", "--delivery-delay", "lognormal:30:1"])
    var moments = SystemRandomNumberGenerator()
    func sent() -> Int {
      let rows = try? installation.query("SELECT count(*) FROM sample_view WHERE sent_at IS NOT NULL")
      return (rows?.first?.first).flatMap { Int($0) } ?? 0
    }
    for round in 0..<8 {
      let before = sent()
      let collector = try installation.collect([])
      // Two rounds are killed before or while they begin, the others while they send.
      if round >= 2 {
        try eventually("round \(round) sends", seen: { collector.standardError }) { sent() > before }
      }
      _ = poll(nil, 0, Int32.random(in: round < 2 ? 5...250 : 50...900, using: &moments))
      try collector.kill()
    }
    let last = try installation.collect(["--count", "50"])
    #expect(try last.waitForExit() == 0, "\(last.standardError)")
    try service.stop()
    let figures = try PushService.check(installation, script: service.script, killed: true)
    #expect((figures["requests"] as? Int ?? 0) > 100)
    #expect(try installation.query("SELECT count(*) FROM run WHERE ended_at IS NULL") == [["0"]])
  }

  private static func figure(
    _ report: [String: Any], _ metric: String, _ quantile: Double
  ) -> (value: Int, low: Int, high: Int)? {
    let runs = report["runs"] as? [[String: Any]]
    let targets = runs?.first?["targets"] as? [[String: Any]]
    let variants = targets?.first?["variants"] as? [[String: Any]]
    let metrics = variants?.first?["metrics"] as? [[String: Any]]
    let quantiles = metrics?.first { $0["metric"] as? String == metric }?["quantiles"] as? [[String: Any]]
    guard let found = quantiles?.first(where: { $0["quantile"] as? Double == quantile }),
      let value = found["value_us"] as? Int
    else { return nil }
    // An end that the values do not determine is absent.
    return (value, found["low_us"] as? Int ?? 0, found["high_us"] as? Int ?? .max)
  }
}
