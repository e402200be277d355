import CLinux
import Measurement

/// A socket that libcurl writes requests to: what it writes is held back and leaves as one segment, and the kernel says when
/// it left and when answers came.
public struct CorkedSocket {
  public let fd: Int32

  public init(fd: Int32) { self.fd = fd }

  func cork() { _ = clinux_set_cork(fd, 1) }
  func uncork() { _ = clinux_set_cork(fd, 0) }

  /// Has the kernel say from now on when what is sent leaves.
  func stampSent() { _ = clinux_stamp_sent(fd) }

  /// When packets left of which the kernel has not told yet. Only a question: what is in the queue is given once.
  func drainSentStamps(offset: RealtimeOffset) -> [MonotonicTime] {
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
  public func peek(at now: MonotonicTime, offset: RealtimeOffset) -> ReceiveWindow? {
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

/// What the kernel said of the unread bytes of a connection just before libcurl was let at them, and the rule by which
/// an answer found among them is stamped.
///
/// The kernel's stamp of the first unread packet is the truth for an answer that came alone. It is too early for one
/// that came later but was read in the same go: behind the rest of an earlier answer, in a burst, or between our look
/// and libcurl's. So it counts only where nothing of that kind can have moved it by much:
/// - it is not before the request was sent,
/// - the last unread packet came within ``spread`` of the first,
/// - libcurl was done with the answer's headers within ``reading`` of our look, so what slipped in behind our look is
///   later by a part of that at most.
///
/// Otherwise our own clock at the callback counts, which is late by what the loop took to get there, never early. How
/// late we looked does not matter: a thread that was held up still gets the packet's own time.
public struct ReceiveWindow: Sendable, Equatable {
  static let spread = Duration.microseconds(50)
  /// Reading, decrypting and parsing one answer takes 30 to 80 µs; ten at once are a burst.
  static let reading = Duration.microseconds(250)

  /// When we looked.
  var lookedAt: MonotonicTime
  /// The kernel's stamps of the first and the last unread packet; `nil` when it had none.
  var first: MonotonicTime?
  var last: MonotonicTime?

  /// - Parameters:
  ///   - callback: when libcurl handed over the end of the answer's headers.
  ///   - sent: when the request left.
  public func stamp(callback: MonotonicTime, sent: MonotonicTime) -> (
    time: MonotonicTime, source: TimestampSource
  ) {
    guard let first, let last, first >= sent, first <= callback, last >= first, last - first <= Self.spread,
      callback - lookedAt <= Self.reading
    else { return (callback, .callback) }
    return (first, .kernel)
  }
}
