import Formats
import Foundation
import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Report
@testable import Store

@Suite struct SlowestReportTests {
  private let fixture: RecordedStore

  init() throws { fixture = try RecordedStore() }

  private func begin(_ targets: (name: String, expectsReceipts: Bool)...) throws -> RunRegistration {
    try fixture.begin(
      0,
      targets.map {
        TargetDescription(
          name: $0.name, provider: "fcm", receiptDeadline: $0.expectsReceipts ? 30_000_000 : nil, askedRate: 4
        )
      })
  }

  private func report(
    _ selection: RowSelection = RowSelection(), metric: Metric? = nil, count: Int = 10
  ) throws -> SlowestReport {
    try SlowestReport(fixture.reader(), selection, metric: metric, count: count)
  }

  @Test("the slowest of all are kept in order, and equal ones in the order of their plans")
  func order() throws {
    let run = try begin(("ios", true))
    let id = try #require(run["ios"]).id
    var generator = SeededGenerator(seed: 4)
    let latencies = (0..<5_000).map { _ in Int64.random(in: 40_000...60_000, using: &generator) }
    try fixture.commit(
      run.run,
      latencies.enumerated().map {
        Sample.planned(id, Int64($0 + 1)).accepted(lag: 50, service: 2_000).delivered(after: $1)
      })
    let expected = latencies.enumerated().sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }
    for count in [1, 7, 300, 6_000] {
      let report = try report(count: count)
      #expect(
        report.notifications.map(\.sample.id.sequence) == expected.prefix(count).map { Int64($0.offset + 1) })
      #expect(report.notifications.map(\.latency.microseconds) == expected.prefix(count).map(\.element))
      #expect(report.counted == 5_000)
    }
  }

  @Test("a line each, with what it waited for, and what is not among them")
  func lines() throws {
    let run = try begin(("hook", false), ("ios", true))
    let (hook, ios) = (try #require(run["hook"]).id, try #require(run["ios"]).id)
    let accepted = Sample.planned(ios, 2).accepted(lag: 1_000, service: 40_000)
    try fixture.commit(
      run.run,
      [
        Sample.planned(hook, 1).accepted(lag: 50, service: 2_100_000),
        Sample.planned(hook, 2).accepted(lag: 50, service: 2_000),
        Sample.planned(ios, 1).accepted(lag: 1_000, service: 40_000).delivered(after: 40_041_000),
        accepted.ended(.lost, status: 200), Sample.planned(ios, 3).sent(lag: 10),
        Sample.planned(ios, 4).ended(.missed, reason: "lag"),
      ])
    let report = try report(count: 2)
    #expect(
      report.lines() == [
        "  took  notification  planned (UTC)            why",
        "40.0 s  ios #1        2026-03-01 12:00:00.000  arrived 40.0 s after it was accepted; lag 1.00 ms, service 40.0 ms, transit 40.0 s; connection #1, open for 1.5 s, 2 in flight",
        "2.10 s  hook #1       2026-03-01 12:00:00.000  fcm took 2.10 s to answer; lag 50 µs, service 2.10 s; connection #1, open for 1.5 s, 2 in flight",
        "", "2 of 3 notifications with a latency", "without one: 1 lost, 1 missed",
      ])
    #expect(try self.report(metric: .service).notifications.map(\.target) == ["hook", "ios", "ios", "hook"])
    #expect(try self.report(metric: .delivery).notifications.map(\.target) == ["ios"])
    #expect(
      try self.report(RowSelection(targets: ["hook"]), metric: .delivery).lines() == [
        "no notification has a latency of delivery", "without one: 2 accepted, no receipt expected",
      ])
  }

  @Test("each names the finding in whose time it was planned")
  func findings() throws {
    let run = try begin(("ios", true))
    let id = try #require(run["ios"]).id
    try fixture.commit(
      run.run,
      (1...400).map {
        Sample.planned(id, $0).accepted(lag: 50, service: 2_000).delivered(after: 1_000_000 - $0)
      })
    func finding(_ id: String, _ seconds: Range<Int64>, _ metric: SeriesMetric, _ kind: FindingKind)
      -> FindingRecord
    {
      let start = RecordedStore.start
      var record = FindingRecord(
        id: id, incident: id, run: run.run, target: "ios", variant: "", provider: "fcm", endpoint: "",
        device: "ios", metric: metric, kind: kind, status: .closed,
        startedAt: start.advanced(byMicroseconds: seconds.lowerBound * 1_000_000),
        detectedAt: start.advanced(byMicroseconds: seconds.upperBound * 1_000_000),
        seenUntil: start.advanced(byMicroseconds: seconds.upperBound * 1_000_000))
      record.endedAt = record.seenUntil
      return record
    }
    try fixture.save([
      finding("aaaa1111", 0..<10, .accept, .slower), finding("bbbb2222", 5..<20, .delivery, .slower),
      finding("cccc3333", 30..<60, .delivery, .faster), finding("dddd4444", 60..<70, .failed, .failing),
    ])
    let report = try report(count: 400)
    let found = Dictionary(
      uniqueKeysWithValues: report.notifications.map { ($0.sample.id.sequence, $0.finding?.id) })
    // Planned each 250 ms.
    #expect(found[1] == "aaaa1111" && found[20] == "aaaa1111")
    #expect(found[21] == "bbbb2222" && found[80] == "bbbb2222")
    #expect(found[81] == .some(nil) && found[130] == .some(nil) && found[250] == .some(nil))
    let lines = report.lines()
    #expect(lines.count { $0.hasPrefix("finding aaaa1111: fcm answered slower for ios") } == 1)
    #expect(lines.contains { $0.contains("; finding bbbb2222") })
    #expect(lines.allSatisfy { !$0.contains("cccc3333") })
  }

  @Test("a part of which only the upper end is known says so, as the sentence does")
  func upperLimit() throws {
    let run = try begin(("ios", true))
    let id = try #require(run["ios"]).id
    try fixture.commit(
      run.run,
      [
        Sample.planned(id, 1).accepted(lag: 1_000, service: 40_000).delivered(
          after: 4_041_000, error: 4_041_000)
      ])
    let line = try #require(try report().lines().first { $0.contains("ios #1") })
    #expect(line.contains("arrived at most 4.00 s after it was accepted"), "\(line)")
    #expect(line.contains("transit ≤ 4.00 s") && line.contains("service 40.0 ms"), "\(line)")
  }

  @Test("JSON has the columns of samples, the parts and the sentence", .enabled(if: Python.isUsable))
  func json() throws {
    let run = try begin(("ios\u{1B}", true))
    let id = try #require(run["ios\u{1B}"]).id
    try fixture.commit(
      run.run,
      [
        Sample.planned(id, 1).accepted(lag: 1_000, service: 40_000).delivered(
          after: 4_041_000, error: 200_000)
      ])
    let text = try report().json.text
    #expect(!text.contains("\u{1B}"))
    let script = """
      import json, sys
      report = json.load(open(sys.argv[1]))
      one = report["notifications"][0]
      print(report["metric"], report["counted"], report["pruned_to"], one["metric"], one["value_us"], one["state"], one["sent_at"])
      print([(leg["leg"], leg["us"], leg["low_us"], leg["high_us"]) for leg in one["legs"]])
      print(one["sentence"], one["finding"], one["fresh_connection"], one["http_version"])
      """
    #expect(
      try Python.run(script, input: Array(text.utf8)) == """
        None 1 None delivery 4041000 delivered 2026-03-01T12:00:00.001000Z
        [('lag', 1000, 1000, 1000), ('service', 40000, 40000, 40000), ('transit', 4000000, 3800000, 4200000)]
        arrived 4.00 s (3.80 to 4.20 s) after it was accepted None False 2

        """)
  }

  @Test("what retention has deleted is said")
  func pruned() throws {
    let store = try StoreFixture(
      clock: SteppedHostClock(wall: WallTime(microseconds: 1_772_366_400_000_000)))
    let start = store.clock.wallNow()
    let plans = store.plans(store.alpha, count: 1_000, interval: 10_000_000)
    try store.commit(inserted: plans.enumerated().map { $1.asDelivered(Int64(900_000 - $0)) })
    store.clock.advance(by: .seconds(11_000))
    while try store.store.rollUp() {}
    func report(_ selection: RowSelection = RowSelection()) throws -> SlowestReport {
      try SlowestReport(store.reader(), selection)
    }
    #expect(try report().prunedTo == nil && report().notifications.first?.sample.id.sequence == 1)
    while try store.store.prune(
      RetentionPolicy(ages: [.samples: .seconds(3_600)]), within: .seconds(5)
    ).isMore {}
    let left = try report()
    #expect(left.counted > 0 && left.counted < 1_000)
    #expect(left.prunedTo != nil)
    #expect(
      left.lines().last?.hasSuffix("are deleted (retention): slower ones may have been among them") == true)
    #expect(left.json.text.contains("\"pruned_to\": \"2026-03-01T"))
    // What is left is whole where only it is asked for.
    #expect(try report(RowSelection(since: start.advanced(byMicroseconds: 9_000_000_000))).prunedTo == nil)
  }
}
