import CLinux
import Glibc

/// Ends the wait of a thread. It stays raised until a wait ends by it, so that a raise between two waits is not lost.
///
/// It is an eventfd: a thread may wait for it alone (``wait(atMost:)``) or among other descriptors (``descriptor``), and a
/// signal handler may raise it. Timeouts are measured by CLOCK_MONOTONIC; Dispatch's semaphores use the wall clock on
/// Linux, where setting the clock back by an hour makes a wait of 250 ms last an hour.
public final class WakeSignal: Sendable {
  /// Readable while the signal is raised.
  public let descriptor: Int32

  /// - Throws: ``ThreadError`` when the system has no descriptor left.
  public init() throws(ThreadError) {
    descriptor = clinux_eventfd()
    guard descriptor >= 0 else {
      throw ThreadError("cannot make an event descriptor", code: errno)
    }
  }

  deinit { close(descriptor) }

  /// Ends the current wait, or the next one.
  public func raise() { Self.raise(descriptor) }

  /// The same by ``descriptor``, for signal handlers.
  public static func raise(_ descriptor: Int32) {
    var one: UInt64 = 1
    // Fails only when the counter is full, and then it is raised.
    _ = write(descriptor, &one, 8)
  }

  /// Lowers the signal.
  public func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
  }

  /// Returns when the signal is raised, which lowers it, or after `interval`.
  public func wait(atMost interval: Duration) {
    _ = wait(for: nil, events: 0, atMost: interval)
  }

  /// Returns when another descriptor is ready or the signal is raised, which lowers it.
  /// - Parameter events: what to wait for, as for poll(2): `POLLIN`, `POLLOUT`.
  /// - Parameter interval: at most a day; `nil` for no limit.
  /// - Returns: whether the other descriptor is ready or has an error.
  public func wait(for other: Int32?, events: Int16, atMost interval: Duration? = nil) -> Bool {
    let deadline = interval.map { SuspendingClock.now + max(.zero, min($0, .seconds(86_400))) }
    var waiting = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    if let other { waiting.append(pollfd(fd: other, events: events, revents: 0)) }
    while true {
      // poll(2) counts in milliseconds: rounded up, so that a wait is never too short.
      let left = deadline.map { Self.milliseconds(max(.zero, $0 - SuspendingClock.now)) } ?? -1
      let count = poll(&waiting, nfds_t(waiting.count), left)
      // A signal handler ran: wait for the rest.
      if count < 0, errno == EINTR { continue }
      if waiting[0].revents != 0 { clear() }
      return count > 0 && waiting.count > 1 && waiting[1].revents != 0
    }
  }

  private static func milliseconds(_ duration: Duration) -> Int32 {
    let (seconds, attoseconds) = duration.components
    return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
