import Foundation
import Glibc
import TestKit
import TestTraits
import Testing

/// Verdicts moved by corrections are the rows settled since the start, to the last notification.
@Suite("metrics agree with the store", .ownThread, .serialized)
struct MetricsIdentityTests {
  private static let states = [
    "accepted": 2, "delivered": 3, "late": 4, "lost": 5, "rejected": 6, "failed": 7, "missed": 8,
    "interrupted": 9,
  ]

  /// Losses, refusals, duplicates, and receipts after the deadline: verdicts of every kind, and corrections.
  private static let scenario = """
    answers:
      delay: 2ms
      errors:
        - { reason: ServiceUnavailable, probability: 3%, delivered: true }
        - { reason: Unregistered, probability: 3% }
    deliveries:
      delay: { distribution: uniform, from: 20ms, to: 2500ms }
      lost: 5%
      duplicated: 5%

    """

  /// What the metrics say settled in each state.
  private func settled(_ metrics: Exposition) -> [String: Int] {
    var counts: [String: Int] = [:]
    for state in Self.states.keys {
      counts[state] =
        metrics.sum("pushscope_notifications_\(state)_total")
        + metrics.sum("pushscope_notifications_corrections_total", ["to": state])
        - metrics.sum("pushscope_notifications_corrections_total", ["from": state])
    }
    return counts
  }

  /// What the store says settled in each state.
  /// - Parameter before: a copy of the store as the collector found it.
  private func stored(_ installation: Installation, before: String? = nil) throws -> [String: Int] {
    let settled = "s.state NOT IN (0, 1)"
    let sql =
      before.map {
        """
        ATTACH '\($0)' AS old; SELECT s.state, count(*) FROM main.sample s WHERE \(settled)
        AND NOT EXISTS (SELECT 1 FROM old.sample o WHERE o.id = s.id AND o.state NOT IN (0, 1)) GROUP BY s.state
        """
      } ?? "SELECT s.state, count(*) FROM sample s WHERE \(settled) GROUP BY s.state"
    var counts = Self.states.mapValues { _ in 0 }
    for row in try installation.query(sql) where row.count == 2 {
      guard let state = Self.states.first(where: { "\($0.value)" == row[0] })?.key else { continue }
      counts[state] = Int(row[1])
    }
    return counts
  }

  @Test("through late receipts, reload, kill -9 and restart", .timeLimit(.minutes(10)))
  func identity() throws {
    let monitored = try MonitoredInstallation(rate: "40/s", target: ["receipt_deadline: 600ms"])
    let installation = monitored.installation
    let service = try installation.startLoopback(scenario: Self.scenario)
    let first = try installation.collect([])
    try monitored.waitUntilReady(first)
    try eventually("arrivals, losses, refusals, duplicates and corrections", seen: { first.standardError }) {
      let metrics = try monitored.scrape()
      let (lost, rejected, delivered, late) = (
        metrics.sum("pushscope_notifications_lost_total"),
        metrics.sum("pushscope_notifications_rejected_total"),
        metrics.sum("pushscope_notifications_delivered_total"),
        metrics.sum("pushscope_notifications_late_total")
      )
      // On a loaded machine all that arrive are late.
      return lost > 0 && rejected > 0 && delivered + late > 0
        && metrics.sum("pushscope_notifications_corrections_total", ["from": "lost", "to": "late"]) > 20
        && metrics.sum("pushscope_notifications_corrections_total", ["from": "rejected"]) > 0
        && metrics.sum("pushscope_notifications_duplicates_total") > 0
    }
    first.signal(SIGKILL)
    _ = try first.waitForExit()
    let copy = installation.directory.file("before.sqlite")
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: installation.store + suffix) {
      try FileManager.default.copyItem(atPath: installation.store + suffix, toPath: copy + suffix)
    }

    let second = try installation.collect([])
    try monitored.waitUntilReady(second)
    try eventually("receipts for what recovery settled", seen: { second.standardError }) {
      let metrics = try monitored.scrape()
      return metrics.sum("pushscope_notifications_corrections_total", ["from": "interrupted"]) > 0
        && metrics.sum("pushscope_notifications_corrections_total", ["from": "lost"]) > 20
    }
    // Another deadline and another rate: the target goes on as something else.
    let text = try String(contentsOfFile: installation.configuration, encoding: .utf8)
    try installation.directory.write(
      "pushscope.yaml", text.replacing("600ms", with: "900ms").replacing("40/s", with: "60/s"))
    second.signal(SIGHUP)
    try eventually("the reload is taken, and it goes on", seen: { second.standardError }) {
      try installation.query("SELECT count(*) FROM former_target") == [["1"]]
        && monitored.scrape().sum("pushscope_rate_asked") == 60 ? true : nil
    }
    // On a loaded machine they are late.
    func arrived() throws -> Int {
      let metrics = try monitored.scrape()
      return metrics.sum("pushscope_notifications_delivered_total")
        + metrics.sum("pushscope_notifications_late_total")
    }
    let before = try arrived()
    try eventually("more arrive", seen: { second.standardError }) {
      try arrived() > before + 100 ? true : nil
    }
    try monitored.stopRun()
    // The collector is idle: nothing changes between the two readings.
    let metrics = try monitored.scrape()
    #expect(try settled(metrics) == stored(installation, before: copy))
    #expect(metrics.sum("pushscope_notifications_interrupted_total") > 0)
    #expect(metrics.sum("pushscope_ready") == 0)
    #expect(try monitored.ask("/-/ready").status == 503)
    #expect(try monitored.ask("/-/healthy").status == 200)

    // Of the second run alone, which this collector has seen whole.
    let run = "target_id IN (SELECT t.id FROM target t WHERE t.run_id = (SELECT max(id) FROM run))"
    let sums = try installation.query(
      "SELECT sum(planned + in_flight + accepted + delivered + late + lost + rejected + failed + missed + interrupted), sum(sent) "
        + "FROM tally WHERE \(run)")
    // Reload and stop took plans back, which are in neither. What recovery settled that had not been sent is of the first run.
    let recovered = try installation.query(
      "SELECT sum(interrupted) FROM tally WHERE target_id IN "
        + "(SELECT t.id FROM target t WHERE t.run_id = (SELECT min(id) FROM run))")
    let planned = metrics.sum("pushscope_notifications_planned_total") - (Int(sums[0][0]) ?? .max)
    // Some of it was delivered since.
    let interrupted =
      (Int(recovered[0][0]) ?? 0)
      + metrics.sum("pushscope_notifications_corrections_total", ["from": "interrupted"])
    #expect((0...interrupted).contains(planned), "\(planned)")
    #expect(metrics.sum("pushscope_notifications_sent_total") == Int(sums[0][1]))
    second.signal(SIGTERM)
    #expect(try second.waitForExit() == 0)
    service.signal(SIGTERM)
  }

  /// Rows that are gone are counted by the store's counters, which stay.
  @Test("through pruning while late receipts come in", .timeLimit(.minutes(10)))
  func pruned() throws {
    let monitored = try MonitoredInstallation(rate: "40/s", target: ["receipt_deadline: 600ms"])
    let installation = monitored.installation
    let service = try installation.startLoopback(
      scenario: Self.scenario.replacing("to: 2500ms", with: "to: 2m"))
    let first = try installation.collect([])
    try monitored.waitUntilReady(first)
    try eventually("some are lost", seen: { first.standardError }) {
      try monitored.scrape().sum("pushscope_notifications_lost_total") > 200 ? true : nil
    }
    first.signal(SIGKILL)
    _ = try first.waitForExit()
    try installation.age(hours: 3)
    let sum =
      "SELECT sum(accepted + delivered + late + lost + rejected + failed + missed + interrupted) FROM tally"
    let before = try #require(Int(try installation.query(sum)[0][0]))

    let second = try installation.collect([])
    try monitored.waitUntilReady(second)
    let old = "SELECT count(*) FROM sample WHERE target_id IN (SELECT id FROM target WHERE run_id = 1)"
      .replacing("target_id", with: "id >> 40")
    try eventually("late receipts for the former run", seen: { second.standardError }) {
      try monitored.scrape().sum("pushscope_notifications_corrections_total", ["from": "interrupted"]) > 5
        ? true : nil
    }
    let deleted = try run(
      Programs.pushscope, ["store", "prune", "--before", "-1h", "--store", installation.store])
    #expect(deleted.status == 0, "\(deleted.error)")
    #expect(try installation.query(old) == [["0"]])
    let corrected = try monitored.scrape().sum("pushscope_notifications_corrections_total")
    try eventually("late receipts, also for what is gone", seen: { second.standardError }) {
      try monitored.scrape().sum("pushscope_notifications_corrections_total") > corrected + 100 ? true : nil
    }
    // Those are counted, and the count is written with the run's end at the latest.
    try monitored.stopRun()
    #expect(try installation.query("SELECT count(*) FROM event_view WHERE kind = 'pruned'") != [["0"]])
    let metrics = try monitored.scrape()
    let after = try #require(Int(try installation.query(sum)[0][0]))
    #expect(settled(metrics).values.reduce(0, +) == after - before)
    #expect(metrics.sum("pushscope_notifications_interrupted_total") > 0)
    second.signal(SIGTERM)
    #expect(try second.waitForExit() == 0)
    service.signal(SIGTERM)
  }

  @Test("a run that is recorded from begin to end is counted as the store has it", .timeLimit(.minutes(10)))
  func wholeRun() throws {
    let monitored = try MonitoredInstallation(rate: "40/s", target: ["receipt_deadline: 500ms"])
    let service = try monitored.installation.startLoopback(scenario: Self.scenario)
    let collector = try monitored.installation.collect([])
    try monitored.waitUntilReady(collector)
    try eventually("corrections", seen: { collector.standardError }) {
      try monitored.scrape().sum("pushscope_notifications_corrections_total") > 50 ? true : nil
    }
    try monitored.stopRun()
    let metrics = try monitored.scrape()
    #expect(try settled(metrics) == stored(monitored.installation))
    for (metric, column) in [
      ("delivery", "delivery_us"), ("accept", "accept_us"), ("schedule_lag", "schedule_lag_us"),
      ("path", "path_us"),
    ] {
      let row = try monitored.installation.query(
        "SELECT count(\(column)), ifnull(sum(\(column)), 0) FROM sample")[
          0]
      #expect(metrics.sum("pushscope_\(metric)_seconds_count") == Int(row[0]), "\(metric)")
      let sum = metrics.lines.first { $0.name == "pushscope_\(metric)_seconds_sum" }?.value ?? -1
      #expect(abs(sum - (Double(row[1]) ?? 0) / 1e6) < 1e-6, "\(metric)")
    }
    // Buckets against a count of the store's own.
    let below = try monitored.installation.query("SELECT count(*) FROM sample WHERE delivery_us <= 1000000")[
      0][0]
    #expect(metrics.sum("pushscope_delivery_seconds_bucket", ["le": "1"]) == Int(below))
    collector.signal(SIGTERM)
    #expect(try collector.waitForExit() == 0)
    service.signal(SIGTERM)
  }
}
