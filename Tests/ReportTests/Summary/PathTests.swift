import Findings
import Formats
import Measurement
import Store
import StoreTestKit
import Testing

@testable import Report

/// A notification carries the newest round trip of PING, and many carry the same one: figures of the path count each once.
@Suite struct PathTests {
  private static let variants = ["priority=10", "priority=5"]

  /// 4000 notifications in 1000 s, and a PING each 10 s that they carry until the next one.
  private func fixture(pingsFrom first: Int64 = 0) throws -> (RecordedStore, TargetID) {
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0,
      [
        TargetDescription(
          name: "ios", provider: "apns", receiptDeadline: nil, askedRate: 4, variants: Self.variants)
      ])
    let target = run.targets[0]
    let samples = (1...4000).map { (number: Int64) -> Sample in
      var sample = Sample.planned(target.id, number, variant: target.variants[Int(number) % 2])
        .accepted(lag: 100, service: 50_000)
      sample.path = Self.roundTrip((number - 1) / 40)
      return sample
    }
    let pings = (first..<100).map { number in
      PingAnswer(
        target: target.id, connectionID: 1,
        at: RecordedStore.start.advanced(byMicroseconds: number * 10_000_000),
        roundTrip: Self.roundTrip(number))
    }
    try fixture.commit(run.run, samples, pings: pings)
    try fixture.end(run, after: 1000)
    return (fixture, target.id)
  }

  /// Of the PINGs from 0 to 99, all different.
  private static func roundTrip(_ number: Int64) -> Int64 { 20_000 + number * 37 % 100 }

  private func path(_ report: SummaryReport) throws -> [MetricSummary] {
    let groups = try #require(report.runs.first?.targets.first?.groups)
    return try groups.map { try #require($0.metrics.first { $0.metric == .path }) }
  }

  @Test(arguments: [true, false])
  func eachPingCountsOnce(isRolledUp: Bool) throws {
    let (fixture, _) = try fixture()
    if isRolledUp { try fixture.rollUp() }
    let reader = try fixture.reader()
    let report = try SummaryReport(
      reader, RowSelection(), depth: RollupThreshold(rows: isRolledUp ? 100 : .max))
    #expect(report.runs.first?.targets.first?.rolledUpTo == nil ? !isRolledUp : isRolledUp)
    // Connections are the target's: each variant has the same.
    for path in try path(report) {
      #expect(path.countsPings && path.fresh == nil)
      #expect(path.share == ShareOfPlanned(counted: 100, planned: 2000))
      #expect(path.minimum == 20_000 && path.maximum == 20_099)
      let median = try #require(path.figures.first?.interval)
      #expect(median.value == 20_049 && median.count == 100 && median.effectiveCount <= 100)
    }
    #expect(report.lines.contains { $0.contains("100 PINGs") })
    let counts = try fixture.rows(.histogram).filter { $0.contains(",path,") }.compactMap {
      Int($0.split(separator: ",", omittingEmptySubsequences: false)[6])
    }
    #expect(counts.reduce(0, +) == 2 * 100)
    let exported = try fixture.rows(.summary).filter { $0.contains(",path,") }
    #expect(exported.count == 2 * Quantile.standard.count)
    #expect(exported.allSatisfy { $0.contains(",path,2000,100,") })
  }

  @Test func aPartOfTheTimeHasItsOwn() throws {
    let (fixture, _) = try fixture()
    let start = RecordedStore.start
    let selection = RowSelection(
      since: start.advanced(byMicroseconds: 205_000_000), until: start.advanced(byMicroseconds: 305_000_000))
    let report = try SummaryReport(fixture.reader(), selection)
    #expect(try path(report).map(\.share.counted) == [10, 10])
  }

  @Test func comparisonsAndGatesCountTheSame() throws {
    let (fixture, _) = try fixture()
    let reader = try fixture.reader()
    let plan = ComparisonPlan(metrics: [.path], shares: [], quantiles: [.p50])
    let comparison = try ComparisonReport(
      ComparisonSide("latest/ios/priority=10", in: reader),
      ComparisonSide("latest/ios/priority=5", in: reader),
      plan, in: reader)
    let row = try #require(comparison.pairs.first?.latencies.first)
    #expect(row.comparison.before.count == 100 && row.comparison.after.count == 100)
    #expect(row.comparison.ratio == 1 && comparison.pairs.first?.isPaired == false)
    let gate = try GateReport([Gate(parsing: "path.p50<1s")], reader, RowSelection())
    guard case .quantile(let figure?) = try #require(gate.results.first).figure else {
      Issue.record("no figure")
      return
    }
    #expect(figure.count == 100 && gate.decision == .met)
  }

  /// Retention may have removed the oldest PINGs, or all: what notifications carry is still in rows and rollups.
  @Test(arguments: [50, 100] as [Int64])
  func wherePingsAreGoneNotificationsSpeak(from first: Int64) throws {
    let (fixture, _) = try fixture(pingsFrom: first)
    for path in try path(SummaryReport(fixture.reader())) {
      #expect(!path.countsPings)
      #expect(path.share == ShareOfPlanned(counted: 2000, planned: 2000))
    }
  }
}
