import Analysis
import Formats
import Foundation
import Measurement
import Store
import StoreTestKit
import Testing

@testable import Report

/// Deliveries measured by a drifting clock behind asymmetric delays: in every report, from every notification and from
/// rollups, the true quantile lies in the interval.
@Suite struct DeliveryRangeTests {
  private struct Truth {
    var all: [Int64] = []
    var fresh: [Int64] = []
  }

  private static func fixture(seed: UInt64) throws -> (RecordedStore, Truth) {
    var generator = SeededGenerator(seed: seed)
    let fixture = try RecordedStore()
    let run = try fixture.begin(
      0, [TargetDescription(name: "a", provider: "fcm", receiptDeadline: 30_000_000, askedRate: 4)])
    var truth = Truth()
    let samples = (Int64(1)...5_000).map { number -> Sample in
      // Twice as long there as the estimate takes it for.
      let actual = Int64.random(in: 60_000...72_000, using: &generator)
      let arrival = actual + .random(in: 500...3_000, using: &generator)
      let error = Int64.random(in: 33_000...45_000, using: &generator)
      let estimate = actual - .random(in: 30_000...33_000, using: &generator)
      truth.all.append(actual)
      var sample = Sample.planned(run.targets[0].id, number).accepted(lag: 10, service: 500)
      switch number % 10 {
      case 0: sample = sample.delivered(after: actual)
      case 1:
        sample = sample.delivered(after: arrival, error: arrival)
        sample.deliveryHigh = arrival
      default:
        sample = sample.delivered(after: estimate, error: error)
        sample.deliveryHigh = min(estimate + error, arrival)
      }
      if number % 12 == 0 {
        truth.fresh.append(actual)
        sample.connection?.isFresh = true
      }
      return sample
    }
    try fixture.commit(run.run, samples)
    try fixture.end(run, after: 1250)
    return (fixture, truth)
  }

  private func check(_ values: ValueSummary, _ truths: [Int64], known: Int) throws {
    let exact = ExactQuantiles(truths)
    let found = values.figures.filter { $0.estimate.known != nil }
    // What looks like dependence may take one of them.
    #expect(found.count <= known && found.count >= known - 1)
    for figure in found {
      let truth = try #require(exact.value(figure.quantile))
      let estimate = try #require(figure.estimate.known)
      #expect(
        estimate.low <= truth && truth <= estimate.high,
        "\(figure.quantile.label) is \(truth), not in \(estimate.low)–\(estimate.high)")
    }
    let (maximum, range) = (try #require(truths.max()), try #require(values.maximumRange))
    #expect(range.contains(maximum))
  }

  private func check(_ report: SummaryReport, _ truth: Truth) throws {
    let group = try #require(report.runs.first?.targets.first?.groups.first)
    let delivery = try #require(group.metrics.last)
    #expect(delivery.metric == .delivery)
    try check(delivery.all, truth.all, known: 5)
    try check(try #require(delivery.fresh), truth.fresh, known: 4)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func everyQuantileHoldsTheTruth(seed: UInt64) throws {
    let (fixture, truth) = try Self.fixture(seed: seed)
    let exact = try SummaryReport(fixture.reader())
    try check(exact, truth)
    try check(try SummaryReport(fixture.reader(), method: .independent), truth)
    try fixture.rollUp()
    let rolledUp = try SummaryReport(fixture.reader(), .init(), depth: RollupThreshold(rows: 10))
    #expect(rolledUp.runs.first?.targets.first?.rolledUpTo != nil)
    try check(rolledUp, truth)

    // The table, the JSON and the text have the same interval.
    let figure = try #require(exact.runs.first?.targets.first?.groups.first?.metrics.last?.figures.first)
    let known = try #require(figure.estimate.known)
    let row = try #require(
      try fixture.rows(.summary).first { $0.contains(",delivery,") && $0.contains(",0.5,") })
    #expect(row.contains(",0.5,\(known.value),\(known.low),\(known.high),"))
    #expect(exact.json.text.contains("\"low_us\": \(known.low)"))
    #expect(exact.json.text.contains("\"maximum_high_us\": "))
    let line = try #require(exact.lines.first { $0.hasPrefix("  p50") })
    #expect(line.contains(FigureText.latency(known.value, from: known.low, to: known.high)))
  }

  @Test func samplesSayBetweenWhichEnds() throws {
    let (fixture, truth) = try Self.fixture(seed: 9)
    let header = ExportTable.samples.columns
    let places = try ["sequence", "delivery_low_us", "delivery_high_us"].map { name in
      try #require(header.firstIndex(of: name))
    }
    let rows = try fixture.rows(.samples)
    #expect(rows.count == 5_000)
    for row in rows {
      let fields = row.split(separator: ",", omittingEmptySubsequences: false)
      let numbers = try places.map { try #require(Int64(fields[$0])) }
      let actual = truth.all[Int(numbers[0]) - 1]
      #expect(numbers[1] <= actual && actual <= numbers[2])
      #expect((numbers[1] == numbers[2]) == (numbers[0] % 10 == 0))
    }
  }
}
