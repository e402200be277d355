import Measurement
import Synchronization

/// Both clocks of a host, moved by hand.
final class HandClock: HostClock {
  private let offset = Mutex(Duration.zero)

  func advance(by duration: Duration) { offset.withLock { $0 += duration } }

  func monotonicNow() -> MonotonicTime {
    MonotonicTime(nanoseconds: 5_000_000_000_000) + offset.withLock { $0 }
  }

  func wallNow() -> WallTime {
    WallTime(microseconds: 1_749_996_120_000_000).advanced(
      byMicroseconds: offset.withLock { $0 }.microseconds)
  }

  func suspendedTotal() -> Duration { .zero }
}
