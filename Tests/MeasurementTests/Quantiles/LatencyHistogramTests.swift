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
    #expect(histogram.minimum == values.min())
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
    let mean = try #require(histogram.mean)
    let exactMean = Double(values.reduce(0, +)) / Double(values.count)
    #expect(abs(mean - exactMean) <= exactMean / 1_000)
  }

  @Test func mergesWithoutLoss() {
    let (a, b) = (Self.spread(500, seed: 1), Self.spread(900, seed: 2) + [1 << 40])
    var merged = Self.filled(a)
    merged.merge(Self.filled(b))
    let whole = Self.filled(a + b)
    #expect(Array(merged.buckets) == Array(whole.buckets))
    #expect(merged.maximum == 1 << 40)
    var none = LatencyHistogram()
    none.merge(LatencyHistogram())
    #expect(none.isEmpty)
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
    #expect(histogram.minimum == nil)
    #expect(histogram.maximum == nil)
    #expect(histogram.mean == nil)
    #expect(histogram.value(.p50) == nil)
    #expect(Array(histogram.buckets).isEmpty)
    #expect(histogram.estimate(.p99) == .tooFew(needs: 368))
  }

  @Test func countsWhatIsBelowZeroAsZero() {
    let histogram = Self.filled([-5, 0, 3])
    #expect(histogram.minimum == 0)
    #expect(Array(histogram.buckets).map(\.count) == [2, 1])
  }

  /// Clocks that are off by lifetimes must not stop the process.
  @Test func bearsAbsurdValues() throws {
    var histogram = LatencyHistogram()
    histogram.record(.max, count: 1_000)
    histogram.record(.max / 3, count: 1_000)
    histogram.record(1, count: 0)
    #expect(histogram.count == 2_000)
    #expect(histogram.maximum == .max)
    #expect(histogram.value(.p99) == .max)
    #expect(try #require(histogram.mean) > 1e18)
    #expect(Array(histogram.buckets).map(\.count) == [1_000, 1_000])
  }
}
