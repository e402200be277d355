import Analysis
import Findings
import Formats
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import Report

@Suite struct SummaryReportTests {
  /// 1000 notifications: 900 delivered with service times 1…900 ms in a shuffled order, 60 lost, 40 missed.
  private static func fixture(variants: [String] = []) throws -> RecordedStore {
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0, name: "bench\u{1B}[2J",
      [
        TargetDescription(
          name: "loopback", provider: "loopback", receiptDeadline: 30_000_000, askedRate: 4,
          variants: variants)
      ])
    let target = run.targets[0]
    let numbered = target.variants.isEmpty ? [VariantID.none] : target.variants
    let samples = (1...1000).map { sequence -> Sample in
      let number = Int64(sequence * 7 % 1000)
      let planned = Sample.planned(
        target.id, Int64(sequence), variant: numbered[sequence % numbered.count])
      switch number {
      case 0..<900:
        return planned.accepted(lag: 100, service: (number + 1) * 1000).delivered(after: (number + 1) * 2000)
      case 900..<960: return planned.accepted(lag: 100, service: 1_000_000).ended(.lost, status: 200)
      default: return planned.ended(.missed, reason: "lag")
      }
    }
    try fixture.commit(run.run, samples)
    try fixture.end(run, after: 250)
    return fixture
  }

  @Test func statesAndSharesAddUp() throws {
    let report = try SummaryReport(Self.fixture().reader())
    let target = try #require(report.runs.first?.targets.first)
    let group = try #require(target.groups.first)
    #expect(group.counts.planned == 1000)
    #expect(group.counts[.delivered] == 900)
    #expect(group.counts[.lost] == 60)
    #expect(group.counts[.missed] == 40)
    #expect(group.counts.sent == 960)
    #expect(group.counts.acceptedByProvider == 960)
    #expect(group.metrics.map(\.share) == [960, 960, 900].map { ShareOfPlanned(counted: $0, planned: 1000) })
    #expect(group.metrics.map(\.maximum) == [1_000_000, 1_000_100, 1_800_000])
    #expect(target.counts == group.counts)
  }

  /// A reload made other variants of the same target: what the first ones said before is what they say ever after.
  @Test func aVariantSaysTheSameHoweverLongOthersAreSent() throws {
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0,
      [
        TargetDescription(
          name: "ios", provider: "loopback", receiptDeadline: 30_000_000, askedRate: 4, variants: ["a", "b"])
      ])
    let target = run.targets[0]
    try fixture.commit(
      run.run,
      (1...1200).map { sequence in
        Sample.planned(target.id, Int64(sequence), variant: target.variants[sequence <= 160 ? 0 : 1])
          .accepted(lag: 100, service: 2_000).delivered(after: 40_000 + Int64(sequence * 7919 % 1000) * 40)
      })
    try fixture.end(run, after: 301)
    let reader = try fixture.reader()
    let whole = try #require(try SummaryReport(reader).runs.first?.targets.first?.groups.first)
    let until = try #require(try SeriesReader(reader).window(of: [target.id])).time.lowerBound
      .advanced(byMicroseconds: 40_000_000)
    let before = try #require(
      try SummaryReport(reader, RowSelection(until: until)).runs.first?.targets.first?.groups.first)
    #expect(whole.counts[.delivered] > 150 && whole.variant == before.variant)
    let figures = [whole, before].map { $0.metrics.last?.figures.first { $0.quantile == .p50 }?.interval }
    #expect((figures[0]?.effectiveCount ?? 0) > 30)
    #expect(abs((figures[0]?.effectiveCount ?? 0) - (figures[1]?.effectiveCount ?? 1)) < 5, "\(figures)")
  }

  /// Where there is any; a target without has no empty column.
  @Test func pathStandsBesideService() throws {
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0,
      ["a", "b"].map {
        TargetDescription(name: $0, provider: "http", receiptDeadline: nil, askedRate: 4)
      })
    let samples = run.targets.flatMap { target in
      (Int64(1)...100).map { sequence -> Sample in
        var sample = Sample.planned(target.id, sequence).accepted(lag: 100, service: 200_000 + sequence)
        if target.name == "a", sequence > 10 { sample.path = 42_000 + sequence }
        return sample
      }
    }
    try fixture.commit(run.run, samples)
    try fixture.end(run, after: 250)
    let report = try SummaryReport(fixture.reader())
    let targets = try #require(report.runs.first?.targets)
    #expect(targets[0].groups[0].metrics.map(\.metric) == [.service, .path, .accept])
    #expect(targets[1].groups[0].metrics.map(\.metric) == [.service, .accept])
    let path = targets[0].groups[0].metrics[1]
    #expect(path.share == ShareOfPlanned(counted: 90, planned: 100))
    #expect(path.minimum == 42_011 && path.maximum == 42_100)
    let heading = try #require(report.lines.first { $0.contains("service") })
    #expect(heading.split(separator: " ") == ["lag", "service", "path", "accept"])
    #expect(report.lines.contains { $0.hasPrefix("path: round trip of a PING") })
    #expect(report.json.text.contains("\"metric\": \"path\""))
    #expect(try fixture.rows(.summary).count { $0.contains(",path,") } == Quantile.standard.count)
    #expect(try fixture.rows(.histogram).contains { $0.contains(",path,") })
    // None at all: nothing of it anywhere.
    let without = try SummaryReport(fixture.reader(), RowSelection(targets: ["b"]))
    #expect(!without.lines.contains { $0.contains("path") })
  }

  @Test func objectivesAreThoseOfTheSelectedTargets() throws {
    let fixture = try Self.fixture()
    var changes = ObjectiveChanges()
    changes.objectives = ["loopback", "other"].map {
      var record = ObjectiveRecord(
        name: "fast \($0)", position: 0, target: $0, evaluatedAt: fixture.clock.wallNow())
      record.silence = 60_000_000
      return record
    }
    try #require(fixture.collector).save(changes)
    let reader = try fixture.reader()
    #expect(try SummaryReport(reader).objectives.map(\.target).sorted() == ["loopback", "other"])
    let selected = try SummaryReport(reader, RowSelection(targets: ["loopback"]))
    #expect(selected.objectives.map(\.target) == ["loopback"])
    #expect(!selected.lines.contains { $0.contains("fast other") })
  }

  @Test func quantilesAreThoseOfTheSortedValuesInsideTheirIntervals() throws {
    let reader = try Self.fixture().reader()
    let report = try SummaryReport(reader, method: .independent)
    let delivery = try #require(report.runs.first?.targets.first?.groups.first?.metrics.last)
    #expect(delivery.isExact)
    let exact = ExactQuantiles((1...900).map { Int64($0) * 2000 })
    for figure in delivery.figures {
      #expect(figure.estimate == exact.estimate(figure.quantile))
      if case .known(let value, let low, let high) = figure.estimate {
        #expect(low <= value && value <= high)
      }
    }
    let median = try #require(delivery.figures.first?.estimate.known)
    #expect(abs(median.value - 900_000) <= 2000)
    #expect(delivery.figures.first { $0.quantile == .p999 }?.estimate == .tooFew(needs: 3688))
  }

  /// The latencies rise for half a minute and fall back: neighbors are alike.
  @Test func intervalsAllowForNeighborsThatAreAlike() throws {
    let reader = try Self.fixture().reader()
    let reports = [try SummaryReport(reader), try SummaryReport(reader, method: .independent)]
    let metrics = try reports.map { try #require($0.runs.first?.targets.first?.groups.first?.metrics.last) }
    for (new, old) in zip(metrics[0].figures, metrics[1].figures) {
      #expect(new.quantile == old.quantile)
      #expect(new.interval?.value == old.interval?.value)
      #expect(new.interval?.count == 900 && new.usesHistory == false)
      #expect(old.usesHistory == nil && old.effectiveCount == nil)
      let effective = try #require(new.effectiveCount)
      #expect(effective <= 900)
      if let low = new.interval?.low, let other = old.interval?.low { #expect(low <= other + 2_000) }
      if let high = new.interval?.high, let other = old.interval?.high { #expect(high >= other - 2_000) }
    }
    #expect(try #require(metrics[0].figures.first?.effectiveCount) < 300)
    let lost = try #require(reports[0].runs.first?.targets.first?.groups.first?.shares.first)
    #expect(lost.share == .lost && lost.interval.events == 60 && lost.interval.count == 960)
    #expect(lost.interval.low < 0.0625 && lost.interval.high > 0.0625)
    #expect(reports[0].lines.contains { $0.hasPrefix("  lost 6.3 % (") && $0.hasSuffix(") of accepted") })
    #expect(reports[0].lines.contains { $0.contains("from this window alone") })
    #expect(!reports[1].lines.contains { $0.contains("from this window alone") })
  }

  @Test func tooManyValuesGoIntoAHistogramOfThreeDigits() throws {
    let fixture = try Self.fixture()
    try fixture.rollUp()
    let reader = try fixture.reader()
    let exact = try SummaryReport(reader, .init(), depth: RollupThreshold(rows: 10_000), method: .independent)
    let rough = try SummaryReport(reader, .init(), depth: RollupThreshold(rows: 100), method: .independent)
    let metrics = zip(
      try #require(exact.runs.first?.targets.first?.groups.first?.metrics),
      try #require(rough.runs.first?.targets.first?.groups.first?.metrics))
    var methods: [Bool] = []
    for (exact, rough) in metrics {
      methods.append(rough.isExact)
      #expect(exact.share == rough.share)
      let maximum = try #require(exact.maximum)
      #expect(rough.maximum.map { $0 >= maximum && $0 - maximum <= maximum / 1000 } == true)
      for (a, b) in zip(exact.figures, rough.figures) {
        guard let known = a.estimate.known else {
          #expect(a.estimate == b.estimate)
          continue
        }
        let other = try #require(b.estimate.known)
        #expect(abs(known.value - other.value) <= known.value / 500)
      }
    }
    #expect(methods.contains(false))
    #expect(rough.lines.last?.contains("3 significant digits") == true)
    #expect(exact.lines.last?.contains("exact") == true)
  }

  @Test func ratesComeFromThePlanNotFromTheClock() throws {
    let rates = try #require(try SummaryReport(Self.fixture().reader()).runs.first?.targets.first?.rates)
    #expect(abs(rates.planned - 4) < 1e-9)
    #expect(abs(rates.sent - 3.84) < 1e-9)
    #expect(abs(rates.missed - 0.16) < 1e-9)
  }

  @Test func eachVariantIsAGroup() throws {
    let fixture = try Self.fixture(variants: ["priority=10", "priority=5"])
    let target = try #require(try SummaryReport(fixture.reader()).runs.first?.targets.first)
    #expect(target.groups.map(\.variant).sorted() == ["priority=10", "priority=5"])
    #expect(target.groups.map(\.counts.planned) == [500, 500])
    #expect(target.counts.planned == 1000)
  }

  @Test func aTargetWithoutRowsIsNotForgotten() throws {
    let fixture = try RecordedStore()
    _ = try fixture.begin(
      0, [TargetDescription(name: "a", provider: "http", receiptDeadline: nil, askedRate: 1)])
    let report = try SummaryReport(fixture.reader())
    #expect(report.runs.first?.targets.first?.groups.isEmpty == true)
    #expect(report.lines.contains("  nothing planned"))
    #expect(try SummaryReport(RecordedStore().reader()).lines == ["no runs here"])
  }

  @Test func withoutReceiptsThereIsNoDelivery() throws {
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0, [TargetDescription(name: "a", provider: "http", receiptDeadline: nil, askedRate: 1)])
    try fixture.commit(run.run, [Sample.planned(run.targets[0].id, 1).accepted(lag: 1, service: 2)])
    let group = try #require(try SummaryReport(fixture.reader()).runs.first?.targets.first?.groups.first)
    #expect(group.metrics.map(\.metric) == [.service, .accept])
  }

  @Test func theTextSaysWhatIsKnownAndWhatIsNot() throws {
    let lines = try SummaryReport(Self.fixture().reader()).lines
    #expect(lines[0].hasSuffix(" \"bench␛[2J\", 2026-03-01 12:00:00 UTC, 4 min 10 s, stopped"))
    #expect(lines[2] == "loopback (loopback): asked 4/s, planned 4/s, achieved 3.84/s, missed 0.16/s")
    #expect(
      lines[3]
        == "  1000 planned, 960 sent, 960 accepted; 900 delivered (90.0 %), 60 lost (6.0 %), 40 missed (4.0 %)"
    )
    #expect(lines[4].split(separator: " ") == ["lag", "service", "accept", "delivery"])
    let median = try #require(lines.first { $0.hasPrefix("  p50") })
    #expect(median.contains(" ms (") && median.contains("900 ms ("))
    // What no column has values enough for is one line, and no row of its own.
    #expect(lines.contains("  n too small; needed for p99.9: 3688, p99.99: 36 887"))
    #expect(!lines.contains { $0.hasPrefix("  p99.9") })
    #expect(
      lines.contains {
        $0.hasPrefix("  speaks for") && $0.contains("960 (96.0 %)") && $0.contains("900 (90.0 %)")
      })
    #expect(lines.allSatisfy { line in line.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
    #expect(lines.allSatisfy { $0.count <= 120 })
  }
}
