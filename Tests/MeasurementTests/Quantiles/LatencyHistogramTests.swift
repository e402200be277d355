import Measurement
import Testing

@Suite struct LatencyHistogramTests {
  private static func filled(_ values: [Int64]) -> LatencyHistogram {
    var histogram = LatencyHistogram()
    for value in values { histogram.record(value) }
    return histogram
  }

  private static func spread(_ count: Int, seed: UInt64) -> [Int64] {
    var generator = SeededGenerator(seed: seed)
    // Six decades.
    return (0..<count).map { _ in
      Int64.random(in: 1...9, using: &generator) << Int64.random(in: 0...20, using: &generator)
    }
  }

  @Test func isWithinAThousandthOfTheExactFigures() throws {
    let values = Self.spread(20_000, seed: 4)
    let histogram = Self.filled(values)
    let exact = ExactQuantiles(values)
    #expect(histogram.count == values.count)
    #expect(histogram.maximum == values.max())
    for quantile in Quantile.standard {
      let (rough, fine) = (try #require(histogram.value(quantile)), try #require(exact.value(quantile)))
      #expect(abs(Double(rough - fine)) <= Double(fine) / 1_000)
      switch (histogram.estimate(quantile), exact.estimate(quantile)) {
      case (.known(let value, let low, let high), .known(_, let exactLow, let exactHigh)):
        #expect(value == rough)
        #expect(low <= exactLow && Double(exactLow - low) <= Double(exactLow) / 1_000)
        #expect(high >= exactHigh && Double(high - exactHigh) <= Double(exactHigh) / 1_000)
      case (.tooFew(let needs), .tooFew(let exactNeeds)): #expect(needs == exactNeeds)
      default: Issue.record("they disagree on whether there are enough values")
      }
    }
  }

  @Test func bucketsHoldEveryValueOnce() {
    let values = Self.spread(3_000, seed: 9)
    let buckets = Array(Self.filled(values).buckets)
    #expect(buckets.reduce(0) { $0 + $1.count } == values.count)
    for (bucket, next) in zip(buckets, buckets.dropFirst()) { #expect(bucket.upper < next.lower) }
    for bucket in buckets {
      #expect(bucket.count == values.count { (bucket.lower...bucket.upper).contains($0) })
      #expect(
        bucket.lower <= 2_047
          ? bucket.upper == bucket.lower : bucket.upper - bucket.lower < bucket.lower / 1_000)
    }
  }

  @Test func hasNothingToSayOfNothing() {
    let histogram = LatencyHistogram()
    #expect(histogram.isEmpty)
    #expect(histogram.maximum == nil)
    #expect(histogram.value(.p50) == nil)
    #expect(Array(histogram.buckets).isEmpty)
    #expect(histogram.estimate(.p99) == .tooFew(needs: 368))
  }

  @Test func countsWhatIsBelowZeroAsZero() {
    let histogram = Self.filled([-5, 0, 3])
    #expect(histogram.buckets.first { _ in true }?.lower == 0)
    #expect(Array(histogram.buckets).map(\.count) == [2, 1])
  }

  /// Clocks that are off by lifetimes must not stop the process.
  @Test func bearsAbsurdValues() {
    var histogram = LatencyHistogram()
    histogram.record(.max, count: 1_000)
    histogram.record(.max / 3, count: 1_000)
    histogram.record(1, count: 0)
    #expect(histogram.count == 2_000)
    #expect(histogram.maximum == .max)
    #expect(histogram.value(.p99) == .max)
    #expect(Array(histogram.buckets).map(\.count) == [1_000, 1_000])
  }
}
