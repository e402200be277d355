import ConstraintAnimation
import Findings
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import TUI

/// Deliveries that were measured by a clock behind asymmetric delays: every figure on the screen has an interval that the
/// true quantile lies in, whether it was read from notifications or from the store's sums.
@Suite struct DeliveryRangeTests {
  private static let seconds: Int64 = 300

  /// Two targets, of which the second takes 20 ms longer, and what is true of each.
  private static func recorded() throws -> (fixture: RecordedStore, truths: [[Int64]]) {
    var generator = SeededGenerator(seed: 12)
    let fixture = try RecordedStore()
    try fixture.begin(targets: ["a", "b"], rate: 10)
    var truths: [[Int64]] = [[], []]
    for second in 0..<seconds {
      var batch: [Sample] = []
      for target in 0..<2 {
        for index in Int64(0)..<10 {
          let actual = Int64.random(in: 60_000...72_000, using: &generator) + Int64(target) * 20_000
          var sample = fixture.delivered(
            second * 10 + index + 1, target: target, at: second * 1_000 + index * 100, after: actual)
          if index > 0 {
            let error = Int64.random(in: 33_000...45_000, using: &generator)
            sample.deliveryLatency = actual - .random(in: 30_000...33_000, using: &generator)
            sample.deliveryError = error
            sample.deliveryHigh = min((sample.deliveryLatency ?? 0) + error, actual + 2_000)
          }
          truths[target].append(actual)
          batch.append(sample)
        }
      }
      fixture.clock.advance(by: .milliseconds(750))
      try fixture.commit(inserted: batch)
    }
    fixture.clock.advance(by: .seconds(120))
    let store = try #require(fixture.collector)
    while try store.rollUp() {}
    try fixture.end()
    return (fixture, truths)
  }

  @Test(arguments: [true, false]) func everyFigureHoldsTheTruth(isSummedUp: Bool) throws {
    let (fixture, truths) = try Self.recorded()
    let window = TimeWindow(
      scale: TimeScale(columnAtLeast: .seconds(1)),
      firstColumn: fixture.sample(1).plannedAt.microseconds.flooringDivision(by: 1_000_000),
      columns: Int(Self.seconds) + 1)
    var source = SnapshotSource(
      place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID,
      capacity: isSummedUp ? 500 : 100_000)
    let request = ReadRequest(from: window.start, to: window.end, tick: .seconds(1))
    let read = source.poll(request)
    let snapshot = try #require(read)
    #expect((snapshot.density != nil) == isSummedUp)
    let order = FiguresOrder(places: (0..<2).map { FiguresOrder.Place(window, targets: [$0]) })
    let taken = source.figures(order)
    let figures = try #require(taken)
    let contents = (0..<2).map { target in
      var state = ViewState()
      state.target = target
      return PlotContent(
        snapshot: snapshot, state: state, columns: window.columns, place: window, previous: nil,
        figures: figures, at: .zero)
    }
    let comparison = ComparisonFigures(contents[0], contents[1])
    for (target, content) in contents.enumerated() {
      #expect(content.targets == [target] && content.summary.count == truths[target].count)
      let exact = ExactQuantiles(truths[target])
      for quantile in [Quantile.p50, .p90, .p99] {
        let truth = try #require(exact.value(quantile))
        for figure in [
          content.summary[quantile],
          comparison.rows.first { $0.quantile == quantile }.map { target == 0 ? $0.first : $0.second },
        ] {
          guard case .known(let interval) = try #require(figure), let low = interval.low,
            let high = interval.high
          else {
            Issue.record("\(quantile.label) is not known")
            continue
          }
          let value = interval.value
          #expect(low <= truth && truth <= high, "\(quantile.label) is \(truth), not in \(low)–\(high)")
          if quantile == .p50 { #expect(value < truth - 20_000, "what is measured is far off") }
        }
      }
    }
    for row in comparison.rows where row.quantile < .p999 {
      guard case .known(_, let low?, let high?) = row.difference else {
        Issue.record("\(row.quantile.label) is not compared")
        continue
      }
      let truth = try truths.map { try #require(ExactQuantiles($0).value(row.quantile)) }
      #expect(low <= truth[1] - truth[0] && truth[1] - truth[0] <= high)
    }
  }

  @Test func thePlainLineAndItsSummaryDoToo() throws {
    let (fixture, truths) = try Self.recorded()
    let truth = try #require(ExactQuantiles(truths[0]).value(.p50))
    var source = SnapshotSource(
      place: .store(fixture.path), subject: Subject(target: "a"), clock: fixture.clock, bootID: fixture.bootID
    )
    let read = source.poll(nil)
    let snapshot = try #require(read)
    let reader = try StoreReader.open(at: fixture.path)
    let summary = try PlainSummary(reader, snapshot: snapshot, zone: .utc)
    let line = try #require(summary.lines.first { $0.hasPrefix("a delivery n 3000 p50 ") })
    // `p50 36.1 ms (0.0 to 68.3 ms)`
    let words = line.split(separator: " ")
    let to = try #require(words.firstIndex(of: "to"))
    let bounds = [words[to - 1], words[to + 1]].compactMap {
      Double($0.replacing("(", with: ""))
    }
    #expect(
      bounds.count == 2 && bounds[0] * 1_000 <= Double(truth) && Double(truth) <= bounds[1] * 1_000 + 50)
  }

  @Test func aPointOfThePlotKnowsItsRange() {
    func point(_ latency: Int64, _ error: Int64?, _ high: Int64?) -> SamplePoint {
      SamplePoint(
        plannedAt: SampleRun.start, plannedMonotonic: 0, scheduleLag: 0, acceptLatency: 100,
        deliveryLatency: latency, state: .delivered, deliveryError: error, deliveryHigh: high, status: 599,
        isFreshConnection: true, isOutOfOrder: true)
    }
    let cases: [(Int64, Int64?, Int64?)] = [
      (80_000, 0, nil), (36_300, 41_000, 68_600), (80_000, 80_000, 80_000), (36_300, 41_000, nil),
      (80_000, nil, nil), (5_000_000_000, 5_000_000_000, 5_000_000_000),
      (5_000_000_000, 4_000, 5_000_003_000),
    ]
    for (latency, error, high) in cases {
      let point = point(latency, error, high)
      #expect(point.deliveryRange == DeliveryRange(latency: latency, error: error, high: high))
      #expect(point.isWithinError == DeliveryCertainty(latency: latency, error: error).isMarked)
      #expect(point.status == 599 && point.isFreshConnection && point.isOutOfOrder)
    }
    #expect(point(1, 0, nil).status == 599)
  }
}
