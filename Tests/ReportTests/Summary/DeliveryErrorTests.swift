import Formats
import Measurement
import Store
import StoreTestKit
import Testing

@testable import Report

/// A delivery latency is shown with what is known of it: a bound as large as the value is marked, in every report.
@Suite struct DeliveryErrorTests {
  /// 1 000 deliveries of 1…1000 ms: the first 400 on one clock, the next 500 within 5 ms, the slowest 100 known as upper
  /// limits only.
  private static func fixture() throws -> RecordedStore {
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0, [TargetDescription(name: "a", provider: "fcm", receiptDeadline: 30_000_000, askedRate: 4)])
    let samples = (1...1000).map { number -> Sample in
      let latency = Int64(number) * 1000
      let error: Int64 = number <= 400 ? 0 : number <= 900 ? 4000 + Int64(number) : latency
      return Sample.planned(run.targets[0].id, Int64(number)).accepted(lag: 10, service: 500)
        .delivered(after: latency, error: error)
    }
    try fixture.commit(run.run, samples)
    try fixture.end(run, after: 250)
    return fixture
  }

  private func check(_ report: SummaryReport) throws {
    let group = try #require(report.runs.first?.targets.first?.groups.first)
    let errors = try #require(group.deliveryErrors)
    #expect(errors.exact == 400)
    #expect(errors.bounded.share.counted == 500)
    #expect(errors.limits == 100)
    #expect(errors.deliveries == 1000)
    let delivery = try #require(group.metrics.last)
    let marked = delivery.figures.filter(\.restsOnLimits).map(\.quantile.label)
    // The interval of p90 reaches into them.
    #expect(marked == ["p90", "p95", "p99"])
    #expect(delivery.all.maximumIsLimit)
    for metric in group.metrics.dropLast() { #expect(metric.figures.allSatisfy { !$0.restsOnLimits }) }
  }

  @Test func reportsCountAndMarkWhatIsButAnUpperLimit() throws {
    let fixture = try Self.fixture()
    let report = try SummaryReport(fixture.reader())
    try check(report)
    let lines = report.lines
    for (label, isMarked) in [("p50", false), ("p90", true), ("p95", true), ("p99 ", true), ("max", true)] {
      let line = try #require(lines.first { $0.hasPrefix("  " + label) })
      #expect(line.hasSuffix(" †") == isMarked, "\(line)")
    }
    #expect(
      lines.contains {
        $0.hasPrefix("  delivery error: 400 none (one clock); 500 within ± p50 ")
          && $0.contains(", p99 ") && $0.hasSuffix("max 4.90 ms")
      })
    #expect(
      lines.contains(
        "  100 deliveries (10.0 %) have an error as large as the value; † marks what rests on any"))
    #expect(
      lines.contains(
        "  intervals of delivery reach from what it was at least to what it was at most, errors included"))
    // The slowest may have been as fast as anything; the slowest that is known well took 895 ms at least.
    #expect(lines.contains { $0.hasPrefix("  max") && $0.hasSuffix("1.00 s (895 ms to 1.00 s) †") })
    #expect(lines.allSatisfy { $0.count <= 120 })
  }

  @Test func rollupsTellItToo() throws {
    let fixture = try Self.fixture()
    try fixture.rollUp()
    let report = try SummaryReport(fixture.reader(), .init(), depth: RollupThreshold(rows: 10))
    #expect(report.runs.first?.targets.first?.rolledUpTo != nil)
    try check(report)
  }

  @Test func exportsMarkThemRowByRow() throws {
    let fixture = try Self.fixture()
    let rows = try fixture.rows(.samples).map { $0.split(separator: ",").dropLast(2).last.map(String.init) }
    #expect(rows.count { $0 == "exact" } == 400)
    #expect(rows.count { $0 == "bounded" } == 500)
    #expect(rows.count { $0 == "limit" } == 100)
    let summary = try fixture.rows(.summary).filter { $0.contains(",delivery,") }.map {
      $0.split(separator: ",", omittingEmptySubsequences: false).dropLast(2).joined(separator: ",")
    }
    #expect(summary.filter { $0.hasSuffix(",100,true,0") }.count == 3)
    #expect(summary.filter { $0.hasSuffix(",100,false,0") }.count == 1)
    #expect(summary.filter { $0.hasSuffix(",100,,0") }.count == 2)
    let histogram = try fixture.rows(.histogram).filter { $0.contains(",delivery,") }
    let limits = histogram.compactMap { $0.split(separator: ",").dropLast().last.flatMap { Int($0) } }
    #expect(limits.reduce(0, +) == 100)
    let json = try SummaryReport(fixture.reader()).json.text
    #expect(json.contains("\"upper_limits\": 100"))
    #expect(json.contains("\"rests_on_limits\": true"))
  }
}
