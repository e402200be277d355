import Measurement
import Testing

@testable import Collector

/// What a receipt says when the device had been away.
@Suite struct ReceiptLatencyTests {
  /// Nobody listened from 1 s to 3 s; all in ms.
  private func timing(planned: Int64, received: Int64) throws -> (latency: Int64, error: Int64) {
    var generator = SeededGenerator(seed: 1)
    let run = RunID(at: WallTime(microseconds: 0), using: &generator)
    let id = NotificationID(run: run, sample: SampleID(target: TargetID(rawValue: 1), sequence: 1))
    let at = MonotonicTime(microseconds: received * 1000)
    var receipt = ArrivedReceipt(
      id: id, device: "news", arrivedAt: at, receivedAt: WallTime(microseconds: 5), bootID: "this boot",
      receivedMonotonic: at)
    receipt.gap = ListeningGap(
      from: MonotonicTime(microseconds: 1_000_000), to: MonotonicTime(microseconds: 3_000_000))
    let timing = ReceiptLatency(
      of: receipt, planned: planned * 1000, sent: planned * 1000, plannedOnThisBoot: true, bootID: "this boot"
    )
    #expect(timing.isSameClock && timing.receivedAt == at)
    return (try #require(timing.latency) / 1000, try #require(timing.error) / 1000)
  }

  @Test func whatWaitedIsAnUpperLimit() throws {
    let timing = try timing(planned: 2_500, received: 3_010)
    #expect(timing == (510, 510))
    #expect(DeliveryCertainty(latency: timing.latency, error: timing.error) == .limit)
  }

  @Test func whatWasUnderWayMayHaveComeSinceNobodyListened() throws {
    let timing = try timing(planned: 900, received: 3_010)
    #expect(timing == (2_110, 2_010))
    #expect(DeliveryCertainty(latency: timing.latency, error: timing.error) == .bounded)
  }

  @Test func beforeAndAfterThereIsNoError() throws {
    #expect(try timing(planned: 3_000, received: 3_010) == (10, 0))
    #expect(try timing(planned: 900, received: 990) == (90, 0))
  }
}
