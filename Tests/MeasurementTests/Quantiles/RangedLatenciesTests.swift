import Measurement
import Testing

/// Whatever the true values are within their ranges, the true quantiles lie in the intervals.
@Suite struct RangedLatenciesTests {
  /// Truths of which the measurement knows a range and, somewhere in it, an estimate; `exact` of them are known exactly.
  private struct Group {
    var truths: [Int64] = []
    var ranged = RangedLatencies<[Int64]>([])
    var histogram = RangedLatencies(LatencyHistogram())

    init(count: Int, exact: Double, around center: Int64, _ generator: inout SeededGenerator) {
      for _ in 0..<count {
        let truth = Int64.random(in: center / 2...center * 3, using: &generator)
        truths.append(truth)
        var value = RangedLatencies(truth)
        if generator.unit() >= exact {
          let low = truth - .random(in: 0...truth, using: &generator)
          let high = truth + .random(in: 0...center * 4, using: &generator)
          value = RangedLatencies(.random(in: low...high, using: &generator), lows: low, highs: high)
        }
        ranged.combine(value) { $0.append($1) }
        histogram.combine(value) { $0.record($1) }
      }
    }
  }

  private func check(_ estimate: QuantileEstimate, _ truth: Int64, _ comment: Comment) throws {
    guard case .known(let value, let low, let high) = estimate else {
      Issue.record("not known, \(comment)")
      return
    }
    #expect(low <= truth && truth <= high, comment)
    #expect(low <= value && value <= high, comment)
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func everyIntervalHoldsTheTruth(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let exact = [0, 0.3, 0.97, 1][Int(seed % 4)]
    let groups = [500, 900].map { Group(count: $0, exact: exact, around: 30_000, &generator) }
    for group in groups { #expect(group.ranged.isExact == (exact == 1)) }
    for quantile in [Quantile.p50, .p90, .p95, .p99] {
      let truths = try groups.map { try #require(ExactQuantiles($0.truths).value(quantile)) }
      for (group, truth) in zip(groups, truths) {
        let sorted = group.ranged.map { ExactQuantiles($0) }
        try check(sorted.estimate { $0.estimate(quantile) }, truth, "\(quantile.label), all values")
        try check(group.histogram.estimate { $0.estimate(quantile) }, truth, "\(quantile.label), histogram")
      }
    }
  }

  @Test func whatIsExactCostsNothingMore() {
    var sum = RangedLatencies(LatencyHistogram())
    func add(_ value: RangedLatencies<Int64>) { sum.combine(value) { $0.record($1) } }
    add(RangedLatencies(5))
    #expect(sum.isExact && sum.lows == sum.values && sum.highs == sum.values)
    add(RangedLatencies(9, lows: 2, highs: 20))
    #expect(!sum.isExact)
    add(RangedLatencies(7))
    #expect(sum.values.buckets.map(\.lower) == [5, 7, 9])
    #expect(sum.lows.buckets.map(\.lower) == [2, 5, 7])
    #expect(sum.highs.buckets.map(\.lower) == [5, 7, 20])
    let packed = PackedLatencies([5, 7])
    #expect(RangedLatencies(counted: packed, lows: packed, highs: packed).isExact)
    #expect(!RangedLatencies(counted: packed, lows: packed, highs: PackedLatencies([5, 9])).isExact)
  }

  @Test func tooFewStayTooFew() {
    let few = RangedLatencies([1, 2, 3] as [Int64], lows: [0, 0, 0], highs: [9, 9, 9])
    #expect(few.map { ExactQuantiles($0) }.estimate { $0.estimate(.p50) } == .tooFew(needs: 6))
  }
}
