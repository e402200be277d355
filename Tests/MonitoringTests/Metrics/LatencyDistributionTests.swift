import Foundation
import Measurement
import Testing

@testable import Monitoring

@Suite struct LatencyDistributionTests {
  @Test func bucketsAreOneTwoFiveAndTheLimits() {
    let bounds = LatencyBuckets.standard
    #expect(bounds.prefix(5) == [100, 200, 500, 1000, 2000])
    #expect(bounds.suffix(3) == [1_000_000_000, 2_000_000_000, 3_600_000_000])
    #expect(bounds == bounds.sorted())
    let buckets = LatencyBuckets(limits: [250_000, 1000])
    #expect(buckets.bounds.count == bounds.count + 1)
    #expect(buckets.bounds.contains(250_000))
  }

  /// A value that equals an upper end is in that bucket, as `le` says.
  @Test(
    arguments: [(0, 0), (100, 0), (101, 1), (200, 1), (3_600_000_000, 23), (3_600_000_001, 24)]
      as [(Int64, Int)])
  func upperEndsAreInclusive(value: Int64, index: Int) {
    #expect(LatencyBuckets().index(of: value) == index)
  }

  /// 2^((i-1)/32) < value ≤ 2^(i/32), by arithmetic of another kind than the search.
  @Test func nativeIndexHoldsItsValue() {
    var value: Int64 = 1
    while value < 4_000_000_000 {
      let index = NativeHistogram.index(ofMicroseconds: value)
      let seconds = Double(value) / 1e6
      #expect(seconds <= pow(2, Double(index) / 32) * (1 + 1e-14), "\(value)")
      #expect(seconds > pow(2, Double(index - 1) / 32) * (1 - 1e-14), "\(value)")
      value += max(1, value / 97)
    }
    // Powers of two are upper ends, exactly.
    #expect(NativeHistogram.index(ofMicroseconds: 1_000_000) == 0)
    #expect(NativeHistogram.index(ofMicroseconds: 2_000_000) == 32)
    #expect(NativeHistogram.index(ofMicroseconds: 500_000) == -32)
    #expect(NativeHistogram.index(ofMicroseconds: 1_000_001) == 1)
  }

  @Test func spansSkipWhatIsEmpty() {
    let (spans, deltas) = NativeHistogram.spans([-3: 2, -2: 5, 4: 1])
    #expect(
      spans == [
        NativeHistogram.Span(offset: -3, length: 2), NativeHistogram.Span(offset: 5, length: 1),
      ])
    #expect(deltas == [2, 3, -4])
    #expect(NativeHistogram.spans([:]).spans.isEmpty)
  }

  @Test func everyValueIsCountedInBoth() {
    var distribution = LatencyDistribution(LatencyBuckets())
    for value in [-4, 0, 99, 1_000, 1_000, 7_200_000_000] as [Int64] { distribution.record(value) }
    #expect(distribution.count == 6)
    #expect(distribution.counts.reduce(0, +) == 6)
    #expect(distribution.native.values.reduce(0, +) + distribution.zeros == 6)
    #expect(distribution.zeros == 2)
    #expect(distribution.counts.last == 1)
    #expect(distribution.sum == 7_200_002_099)
  }
}
