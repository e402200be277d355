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
}
