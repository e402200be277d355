import Measurement
import Testing

@testable import Transport

@Suite struct LagHistogramTests {
  @Test func quantilesAreWithinABucket() {
    var histogram = LagHistogram()
    #expect(histogram.quantile(0.99) == 0)
    for value in 1...10_000 { histogram.record(Int64(value)) }
    #expect(histogram.count == 10_000 && histogram.maximum == 10_000)
    for share in [0.01, 0.1, 0.5, 0.9, 0.99, 1] {
      let exact = share * 10_000
      let found = Double(histogram.quantile(share))
      #expect(found >= exact && found <= exact * 1.13 + 1)
    }
  }

  @Test func takesAnyValue() {
    var histogram = LagHistogram()
    var random = SeededGenerator(seed: 1)
    for shift in 0..<63 { histogram.record(Int64(bitPattern: random.next() >> 1) >> Int64(shift)) }
    histogram.record(-5)
    histogram.record(.max)
    #expect(histogram.quantile(1) == .max)
    #expect(histogram.quantile(0) == 0)
  }
}
