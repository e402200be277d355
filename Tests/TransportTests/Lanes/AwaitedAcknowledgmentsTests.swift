import Measurement
import Providers
import Testing

@testable import Transport

@Suite struct AwaitedAcknowledgmentsTests {
  private func request(_ sequence: Int64, sentAt sent: Int64 = 1_000, after failure: RequestFailure? = nil)
    throws
    -> OutgoingRequest
  {
    let url = try #require(RequestURL("https://push.example/"))
    let request = OutgoingRequest(
      PlannedNotification(sequence: sequence, planned: .zero),
      PushRequest(url: "https://push.example/", body: []),
      url: url, after: failure)
    request.sent = at(sent)
    return request
  }

  private func at(_ microseconds: Int64) -> MonotonicTime { MonotonicTime(microseconds: microseconds) }

  @Test func eachWriteHasItsOwn() throws {
    var awaited = AwaitedAcknowledgments()
    let requests = try (1...4).map { try request($0) }
    awaited.add([], through: 5)
    #expect(awaited.isEmpty)
    awaited.add(requests[0...1], through: 99)
    awaited.add([requests[2]], through: 199)
    awaited.add([requests[3]], through: 299)
    awaited.record(byte: 99, at: at(1_042))
    #expect(requests.map(\.peerAck) == [42, 42, nil, nil])
    // The stamp of the second was lost: what came after it says nothing exact of it.
    awaited.record(byte: 299, at: at(1_077))
    #expect(requests.map(\.peerAck) == [42, 42, nil, 77])
    #expect(awaited.isEmpty)
  }

  @Test func theCountWrapsAround() throws {
    var awaited = AwaitedAcknowledgments()
    let requests = try (1...2).map { try request($0) }
    awaited.add([requests[0]], through: UInt32.max - 3)
    awaited.add([requests[1]], through: 40)
    awaited.record(byte: UInt32.max - 3, at: at(1_010))
    #expect(!awaited.isEmpty)
    awaited.record(byte: 40, at: at(1_020))
    #expect(requests.map(\.peerAck) == [10, 20] && awaited.isEmpty)
  }

  @Test func isNeverNegativeAndNeverOfASecondAttempt() throws {
    let early = try request(1, sentAt: 2_000)
    early.acknowledged = at(1_999)
    #expect(early.peerAck == nil)
    let again = try request(2, after: RequestFailure(reason: .goaway, detail: "", isUnprocessed: true))
    again.acknowledged = at(1_500)
    #expect(again.peerAck == nil)
    let unsent = try request(3)
    unsent.sent = nil
    unsent.acknowledged = at(1_500)
    #expect(unsent.peerAck == nil)
  }

  /// A kernel that never answers costs no memory.
  @Test func growsNoFurther() throws {
    var awaited = AwaitedAcknowledgments()
    let first = try request(1)
    awaited.add([first], through: 1)
    for number in 2...1_000 { awaited.add([try request(Int64(number))], through: UInt32(number)) }
    awaited.record(byte: 1, at: at(1_100))
    #expect(first.peerAck == nil)
    awaited.record(byte: 1_000, at: at(1_100))
    #expect(awaited.isEmpty)
  }
}
