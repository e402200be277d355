import DequeModule
import Measurement

/// Requests that wait for the stamp of their acknowledgment by the peer's TCP, in the order in which they were written.
struct AwaitedAcknowledgments {
  private struct Write {
    /// The number of the write's last byte, by the kernel's count.
    var byte: UInt32
    var requests: [OutgoingRequest]
  }

  private var writes = Deque<Write>()
  private static let mostWrites = 256

  var isEmpty: Bool { writes.isEmpty }

  mutating func add(_ requests: some Sequence<OutgoingRequest>, through byte: UInt32) {
    let requests = Array(requests)
    guard !requests.isEmpty else { return }
    if writes.count == Self.mostWrites { _ = writes.popFirst() }
    writes.append(Write(byte: byte, requests: requests))
  }

  /// The kernel told when a write was acknowledged. Earlier ones whose stamps were lost are dropped.
  mutating func note(byte: UInt32, at instant: MonotonicTime) {
    // The count wraps around after 4 GB.
    while let first = writes.first, Int32(bitPattern: byte &- first.byte) >= 0 {
      _ = writes.popFirst()
      guard first.byte == byte else { continue }
      for request in first.requests { request.acknowledged = instant }
    }
  }
}
