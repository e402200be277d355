import Analysis
import Findings
import Formats
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import Report

/// A report from rollups says what one from every notification says: counts exactly, quantiles to three digits.
@Suite struct RolledUpSummaryTests {
  private static func fixture(seed: UInt64) throws -> RecordedStore {
    var generator = SeededGenerator(seed: seed)
    let fixture = try RecordedStore()
    for number in 0..<2 {
      let run = try fixture.begin(
        number,
        [
          TargetDescription(
            name: "a", provider: "apns", receiptDeadline: 3_000_000, askedRate: 4,
            variants: ["priority=10", "priority=5"]),
          TargetDescription(name: "b", provider: "http", receiptDeadline: nil, askedRate: 4),
        ])
      for target in run.targets {
        let variants = target.variants.isEmpty ? [.none] : target.variants
        let samples = (1...9_000).map { sequence -> Sample in
          var sample = Sample.random(
            target.id, Int64(sequence), variants: variants, reasons: ["x"], using: &generator)
          sample.deliveryError = sample.deliveryLatency.map { latency in
            [0, latency / 3, latency, 4_000_000].randomElement(using: &generator) ?? 0
          }
          // Rollups with open or missed ones are read one by one: let most have none.
          if sequence / 4 % 5 > 0, !sample.state.isSettled || sample.state == .missed {
            sample = Sample.planned(target.id, Int64(sequence), variant: sample.variant)
              .accepted(
                lag: .random(in: 0...5_000_000, using: &generator),
                service: .random(in: 0...5_000_000, using: &generator)
              )
              .ended(.lost, status: 200)
          }
          return sample
        }
        try fixture.commit(run.run, samples)
      }
      try fixture.end(run, after: 3000)
    }
    return fixture
  }

  private func compare(_ exact: SummaryReport, _ rough: SummaryReport) throws {
    #expect(exact.runs.map(\.record.id) == rough.runs.map(\.record.id))
    for (a, b) in zip(exact.runs.flatMap(\.targets), rough.runs.flatMap(\.targets)) {
      #expect(a.rates == b.rates)
      #expect(a.rolledUpTo == nil)
      #expect(a.groups.map(\.variant) == b.groups.map(\.variant))
      for (a, b) in zip(a.groups, b.groups) {
        #expect(a.counts == b.counts)
        #expect(a.duplicates == b.duplicates)
        #expect(a.outOfOrder == b.outOfOrder)
        #expect(a.onFreshConnections == b.onFreshConnections)
        #expect(a.metrics.map(\.metric) == b.metrics.map(\.metric))
        #expect(a.deliveryErrors?.exact == b.deliveryErrors?.exact)
        #expect(a.deliveryErrors?.limits == b.deliveryErrors?.limits)
        var pairs = [(a.scheduleLag, b.scheduleLag)]
        for (a, b) in zip(a.metrics, b.metrics) {
          pairs.append((a.all, b.all))
          #expect((a.fresh == nil) == (b.fresh == nil))
          if let a = a.fresh, let b = b.fresh { pairs.append((a, b)) }
        }
        if let a = a.deliveryErrors, let b = b.deliveryErrors { pairs.append((a.bounded, b.bounded)) }
        for (a, b) in pairs { try compare(a, b) }
      }
    }
  }

  /// Design effects come from the same blocks, but from levels that differ by a bucket.
  private func compareLoosely(_ exact: SummaryReport, _ rough: SummaryReport) throws {
    func figures(_ report: SummaryReport) -> [ValueSummary.Figure] {
      report.runs.flatMap(\.targets).flatMap(\.groups).flatMap(\.metrics).flatMap(\.figures)
    }
    let pairs = zip(figures(exact), figures(rough))
    #expect(figures(exact).count == figures(rough).count)
    for (a, b) in pairs {
      #expect((a.interval == nil) == (b.interval == nil))
      guard let a = a.interval, let b = b.interval else { continue }
      #expect(a.count == b.count && a.usesHistory == b.usesHistory)
      #expect(abs(a.value - b.value) <= a.value / 1000 + 1)
      #expect((a.low == nil) == (b.low == nil))
      if let a = a.low, let b = b.low { #expect(abs(a - b) <= a / 20 + 5_000, "\(a) \(b)") }
      if let a = a.high, let b = b.high { #expect(abs(a - b) <= a / 20 + 5_000, "\(a) \(b)") }
    }
    func shares(_ report: SummaryReport) -> [ShareSummary] {
      report.runs.flatMap(\.targets).flatMap(\.groups).flatMap(\.shares)
    }
    #expect(shares(exact).count == shares(rough).count && shares(exact).contains { $0.share == .inTime })
    for (a, b) in zip(shares(exact), shares(rough)) {
      #expect(a.share == b.share)
      #expect(a.interval.events == b.interval.events && a.interval.count == b.interval.count)
      #expect(abs(a.interval.low - b.interval.low) <= 1e-6 && abs(a.interval.high - b.interval.high) <= 1e-6)
      #expect(abs(a.interval.effectiveCount - b.interval.effectiveCount) <= 1e-3 * a.interval.effectiveCount)
    }
  }

  private func compare(_ exact: ValueSummary, _ rough: ValueSummary) throws {
    #expect(exact.share == rough.share)
    for (a, b) in zip(exact.figures, rough.figures) {
      guard let a = a.estimate.known else {
        #expect(a.estimate == b.estimate)
        continue
      }
      let b = try #require(b.estimate.known)
      for (a, b) in [(a.value, b.value), (a.low, b.low), (a.high, b.high)] {
        #expect(abs(a - b) <= a / 1000 + 1, "\(a) and \(b)")
      }
      // Never narrower than the exact interval.
      #expect(b.low <= a.low && b.high >= a.high)
    }
    if let a = exact.maximum, let b = rough.maximum { #expect(b >= a && b - a <= a / 1000 + 1) }
    if let a = exact.minimum, let b = rough.minimum { #expect(b <= a && a - b <= a / 1000 + 1) }
  }

  @Test(arguments: TestLength.isLong ? [1, 2] : [1] as [UInt64])
  func saysTheSameAsAllNotifications(seed: UInt64) throws {
    let fixture = try Self.fixture(seed: seed)
    // The last run reaches past what is rolled up: its end is read one by one.
    try fixture.rollUp(after: 3600 + 1700)
    let reader = try fixture.reader()
    var generator = SeededGenerator(seed: seed &+ 7)
    for round in 0..<6 {
      let bounds = [0, 1].map { _ in
        RecordedStore.start.advanced(byMicroseconds: Int64.random(in: 0...2_250_000_000, using: &generator))
      }.sorted()
      let selection = RowSelection(
        since: round % 2 == 0 ? nil : bounds[0], until: round % 3 == 0 ? nil : bounds[1])
      let rough = try SummaryReport(
        reader, selection, depth: RollupThreshold(rows: 100), method: .independent)
      try compare(try SummaryReport(reader, selection, isExact: true, method: .independent), rough)
      try compareLoosely(
        try SummaryReport(reader, selection, isExact: true),
        try SummaryReport(reader, selection, depth: RollupThreshold(rows: 100)))
      if round == 0 {
        #expect(rough.runs.flatMap(\.targets).allSatisfy { $0.rolledUpTo != nil })
        #expect(
          rough.lines.contains { $0.hasPrefix("  from rollups up to 2026-03-01 ") && $0.contains("3 digits") }
        )
        #expect(rough.lines.last?.contains("--exact") == true)
      }
    }
  }

  @Test func withoutRollupsAllIsReadOneByOne() throws {
    let fixture = try Self.fixture(seed: 3)
    let report = try SummaryReport(fixture.reader(), .init(), depth: RollupThreshold(rows: 100))
    #expect(report.runs.flatMap(\.targets).allSatisfy { $0.rolledUpTo == nil })
  }

  @Test func theHistogramIsTheSame() throws {
    let fixture = try Self.fixture(seed: 4)
    let before = try fixture.rows(.histogram)
    try fixture.rollUp()
    let sink = MemorySink()
    try Exporter(reader: fixture.reader(), format: .csv, depth: RollupThreshold(rows: 10)).export(
      .histogram, to: sink)
    #expect(sink.text.split(separator: "\r\n").dropFirst().map(String.init) == before)
  }

  @Test func aRunShowsWhatItWasAskedForAndWhatItDid() throws {
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0, [TargetDescription(name: "a", provider: "http", receiptDeadline: nil, askedRate: 4)])
    #expect(try RatesReport.lines(of: run.run, in: fixture.reader()) == ["a: asked 4/s, nothing due yet"])
    let target = run.targets[0].id
    try fixture.commit(
      run.run,
      (1...40).map { (number: Int64) -> Sample in
        let sample = Sample.planned(target, number)
        return number % 10 == 0 ? sample.ended(.missed, reason: "lag") : sample.accepted(lag: 1, service: 2)
      })
    let line =
      "a: asked 4/s, achieved 3.6/s, missed 0.4/s (40 due, 36 sent, 36 accepted: "
      + "36 accepted, no receipt expected, 0 rejected, 0 failed, 4 missed)"
    #expect(try RatesReport.lines(of: run.run, in: fixture.reader()) == [line])
    let record = try #require(try fixture.reader().run(run.run))
    #expect(try RunsReport.show(record, in: fixture.reader(), at: SystemClock().wallNow()).contains(line))
    // While commits fail the rates go down: they are of what is recorded.
    let heartbeat = try #require(record.lastHeartbeat)
    #expect(
      try fixture.reader().unrecorded(of: run.run, at: heartbeat.advanced(byMicroseconds: 2_000_000)) == nil)
    let silence = try fixture.reader().unrecorded(
      of: run.run, at: heartbeat.advanced(byMicroseconds: 30_000_000))
    #expect(silence == .seconds(30))
    let stalled = try #require(
      try RatesReport.lines(of: run.run, in: fixture.reader(), unrecorded: silence).first)
    #expect(
      stalled.hasPrefix("a: asked 4/s, achieved 0.9/s, missed 0.1/s, nothing recorded for 30 s (40 due"))
  }

  /// A run in which nothing was answered well: each ending stands in the line, and behind the colon it adds up.
  @Test func aRunThatFailedShowsHow() throws {
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0, [TargetDescription(name: "a", provider: "http", receiptDeadline: 1000, askedRate: 4)])
    let target = run.targets[0].id
    let ends: [(Int, (Sample) -> Sample)] = [
      (60, { $0.ended(.failed, reason: "connect") }),
      (20, { $0.sent(lag: 1).ended(.rejected, status: 200) }),
      (9, { $0.sent(lag: 1).ended(.failed, reason: "reset") }),
      (5, { $0.accepted(lag: 1, service: 1).ended(.lost) }),
      (3, { $0.accepted(lag: 1, service: 1).delivered(after: 7) }),
      (2, { $0.ended(.missed, reason: "backoff") }), (1, { $0.sent(lag: 1).ended(.inFlight) }),
    ]
    var samples: [Sample] = []
    for (count, end) in ends {
      for _ in 0..<count { samples.append(end(Sample.planned(target, Int64(samples.count + 1)))) }
    }
    try fixture.commit(run.run, samples)
    let reader = try fixture.reader()
    #expect(
      try RatesReport.lines(of: run.run, in: reader)
        == [
          "a: asked 4/s, achieved 1.52/s, missed 4.8/min (100 due, 38 sent, 8 accepted, 3 received, "
            + "60 failed before sending: 3 delivered, 5 lost, 20 rejected, 69 failed, 2 missed, 1 in flight)"
        ])
    let counts = try #require(try reader.run(run.run)).counts
    #expect(counts.failedBeforeSending == 60)
    #expect(counts.sent + counts[.missed] + 60 == counts.planned)
    let summary = try SummaryReport(reader)
    #expect(
      summary.lines.contains { $0.contains("69 failed (69.0 %), 60 of these before sending") },
      "\(summary.lines)")
    #expect(summary.runs.first?.targets.first?.counts.failedBeforeSending == 60)
    #expect(summary.json.text.contains(#""failed_before_sending": 60"#))
  }
}
