import Measurement
import Testing

@testable import Collector
@testable import Transport

@Suite struct RecorderInboxTests {
  private static let many = (1...500).map {
    Observation.missed(
      SampleID(target: TargetID(rawValue: 1), sequence: $0), reason: .lag, at: MonotonicTime(nanoseconds: $0))
  }

  private func room(_ observations: [Observation]) -> UnsafeRawPointer? {
    observations.withUnsafeBytes { $0.baseAddress }
  }

  /// Or the timing thread would allocate what the recorder frees, and wait for it.
  @Test func whatWasDoneWithIsRoomForMore() throws {
    let inbox = try RecorderInbox()
    inbox.post(Self.many)
    var first = inbox.drain()
    let address = room(first.observations)
    #expect(first.observations.count == 500)
    inbox.reuse(&first.observations)
    #expect(inbox.drain().observations.isEmpty)
    inbox.post(Array(Self.many.prefix(400)))
    let second = inbox.drain()
    #expect(second.observations.count == 400)
    #expect(room(second.observations) == address)
  }

  @Test func roomForAFloodIsGivenBack() throws {
    let inbox = try RecorderInbox()
    for _ in 0..<40 { inbox.post(Self.many) }
    var flood = inbox.drain()
    #expect(flood.observations.count == 20_000)
    inbox.reuse(&flood.observations)
    _ = inbox.drain()
    inbox.post(Array(Self.many.prefix(1)))
    #expect(inbox.drain().observations.capacity < 1_000)
  }
}
