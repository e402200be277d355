import Measurement
import Testing

@Suite struct DeliveryCertaintyTests {
  @Test(
    arguments: [
      (80_000, 0, DeliveryCertainty.exact), (0, 0, .exact), (80_000, 1, .bounded), (80_000, 79_999, .bounded),
      (80_000, 80_000, .limit), (80_000, 90_000, .limit), (-5, 20, .limit), (0, 1, .limit),
    ] as [(Int64, Int64, DeliveryCertainty)])
  func aBoundAsLargeAsTheValueIsMarked(latency: Int64, error: Int64, expected: DeliveryCertainty) {
    #expect(DeliveryCertainty(latency: latency, error: error) == expected)
    #expect(DeliveryCertainty(latency: latency, error: error).isMarked == (expected == .limit))
  }

  @Test func withoutABoundNothingIsKnownButTheLimit() {
    #expect(DeliveryCertainty(latency: 10, error: nil) == .limit)
  }

  @Test func aSampleWithoutDeliveryHasNone() {
    var sample = Sample(
      id: SampleID(target: TargetID(rawValue: 1), sequence: 1), variant: .none,
      plannedAt: WallTime(microseconds: 0), plannedMonotonic: 0)
    #expect(sample.deliveryCertainty == nil)
    sample.deliveryLatency = 50
    sample.deliveryError = 60
    #expect(sample.deliveryCertainty == .limit)
  }

  @Test(
    arguments: [
      // On one clock; with an exchange, cut at the receipt's arrival; without an exchange.
      (80_000, 0, nil, 80_000, 80_000), (36_300, 41_000, 68_600, 0, 68_600),
      (80_000, 80_000, 80_000, 0, 80_000),
      // As version 3 recorded them.
      (36_300, 41_000, nil, 0, 77_300), (80_000, 20_000, nil, 60_000, 100_000),
      (80_000, 80_000, nil, 0, 80_000),
      (80_000, nil, nil, 0, 80_000), (-50, 20, nil, 0, 0), (-50, 0, nil, 0, 0),
    ] as [(Int64, Int64?, Int64?, Int64, Int64)])
  func whatIsCertainIsARange(latency: Int64, error: Int64?, recorded: Int64?, low: Int64, high: Int64) {
    let range = DeliveryRange(latency: latency, error: error, high: recorded)
    #expect(range.low == low && range.high == high)
    #expect(range.isExact == (low == high))
    var sample = Sample(
      id: SampleID(target: TargetID(rawValue: 1), sequence: 1), variant: .none,
      plannedAt: WallTime(microseconds: 0), plannedMonotonic: 0)
    #expect(sample.deliveryRange == nil)
    (sample.deliveryLatency, sample.deliveryError, sample.deliveryHigh) = (latency, error, recorded)
    #expect(sample.deliveryRange == range)
  }
}
