import CLinux
import Measurement

/// One socket of a target, from the moment libcurl opened it. Belongs to the timing thread.
final class Connection {
  let fd: Int32
  /// Counts the connections of the run from 1; 0 until it stands.
  var id: Int64 = 0
  var stoodAt = MonotonicTime.zero
  /// Sent on it and unanswered.
  var inFlight = 0
  /// Requests that have ended without an answer because the connection had.
  var lost = 0
  var hasAnswered = false
  var allowance: StreamAllowance
  /// A GOAWAY came: nothing new goes onto it.
  var isDraining = false
  /// The last stream that the peer's GOAWAY says it may have processed.
  var lastStream: Int?
  /// How many streams we opened: they have the odd numbers from 1 (RFC 9113, section 5.1.1).
  var streams = 0
  /// The peer refused a stream: libcurl uses it for nothing new.
  var isSpent = false
  /// We ended it because nothing on it could be understood any more.
  var isBroken = false
  /// We ended it because it had been silent for the timeout.
  var isGivenUp = false
  /// Something came while no request was under way: most likely the peer's farewell.
  var hasUnreadNews = false
  /// When bytes were last seen to arrive.
  var heardAt = MonotonicTime.zero
  /// When what the batch put onto it left, while it is being released; `nil` when the kernel did not say.
  var departure: MonotonicTime?
  /// Bytes that fit into one TCP segment: more than that leaves the host before the cork is released.
  var segmentSize = 0
  private var lastState: TransferFailure.Socket?

  init(fd: Int32, maximumStreams: Int) {
    self.fd = fd
    allowance = StreamAllowance(ceiling: maximumStreams)
  }

  var stands: Bool { id > 0 }
  /// What is under way may be answered on it; nothing new goes there.
  var isLeaving: Bool { isDraining || isSpent || isBroken || isGivenUp }

  func cork() { _ = clinux_set_cork(fd, 1) }
  func uncork() { _ = clinux_set_cork(fd, 0) }

  /// Has the kernel say from now on when what is sent leaves.
  func stampSent() { _ = clinux_stamp_sent(fd) }

  /// When packets left of which the kernel has not told yet. Only a question: what is in the queue is given once.
  func takeSentStamps(offset: RealtimeOffset) -> [MonotonicTime] {
    var stamps: [MonotonicTime] = []
    var stamp: Int64 = 0
    while clinux_take_sent_stamp(fd, &stamp) != 0 {
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
    while clinux_take_sent_stamp(fd, &stamp) != 0 { found = true }
    return found
  }

  /// The socket's state, or the last one that it had.
  var socketState: TransferFailure.Socket {
    if let lastState { return lastState }
    return switch clinux_tcp_state(fd) {
    case -1: .unknown
    case Int32(clinux_tcp_established): .established
    case Int32(clinux_tcp_closed): .reset
    default: .closing
    }
  }

  /// The descriptor is about to be closed, and may then be another's.
  func noteClosing() { lastState = socketState }

  /// Looks at what is unread: the kernel's stamps of the first and the last packet.
  func look(at now: MonotonicTime, offset: RealtimeOffset) -> ReceiveWindow {
    var stamp: Int64 = 0
    guard clinux_peek_stamp(fd, 1, &stamp) > 0 else { return ReceiveWindow(lookedAt: now) }
    heardAt = now
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
