import CLinux
import Measurement

/// A socket that libcurl writes requests to: what it writes is held back and leaves as one segment, and the kernel says when
/// it left and when answers came.
struct CorkedSocket {
  let fd: Int32

  func cork() { _ = clinux_set_cork(fd, 1) }
  func uncork() { _ = clinux_set_cork(fd, 0) }

  /// Has the kernel say from now on when what is sent leaves.
  func stampSent() { _ = clinux_stamp_sent(fd) }

  /// When packets left of which the kernel has not told yet. Only a question: what is in the queue is given once.
  func takeSentStamps(offset: RealtimeOffset) -> [MonotonicTime] {
    var stamps: [MonotonicTime] = []
    var stamp: Int64 = 0
    var byte: UInt32 = 0
    var isAcknowledgment: Int32 = 0
    while clinux_take_sent_stamp(fd, &stamp, &byte, &isAcknowledgment) != 0 {
      if stamp != 0 { stamps.append(offset.monotonic(stamp)) }
    }
    return stamps
  }

  /// Forgets what the kernel said of packets that nobody waits for. While it is there, epoll and libcurl take the socket for
  /// broken.
  /// - Returns: whether there was anything.
  @discardableResult
  func dropSentStamps() -> Bool {
    var found = false
    var stamp: Int64 = 0
    var byte: UInt32 = 0
    var isAcknowledgment: Int32 = 0
    while clinux_take_sent_stamp(fd, &stamp, &byte, &isAcknowledgment) != 0 { found = true }
    return found
  }

  /// Looks at what is unread: the kernel's stamps of the first and the last packet.
  /// - Returns: `nil` when nothing is.
  func look(at now: MonotonicTime, offset: RealtimeOffset) -> ReceiveWindow? {
    var stamp: Int64 = 0
    guard clinux_peek_stamp(fd, 1, &stamp) > 0 else { return nil }
    guard stamp != 0 else { return ReceiveWindow(lookedAt: now) }
    let first = offset.monotonic(stamp)
    let count = clinux_peek_stamp(fd, Self.lookAhead, &stamp)
    // More than we can see the end of is a burst.
    guard count > 0, count < Self.lookAhead, stamp != 0 else {
      return ReceiveWindow(lookedAt: now, first: first)
    }
    return ReceiveWindow(lookedAt: now, first: first, last: offset.monotonic(stamp))
  }

  private static let lookAhead = 65_536
}
