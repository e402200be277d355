import Measurement
import Synchronization

/// A clock that stands until it is stepped.
final class SteppedClock: HostClock {
  private let now = Mutex<Int64>(0)

  func step(by duration: Duration) { now.withLock { $0 += duration.nanoseconds } }

  func monotonicNow() -> MonotonicTime { MonotonicTime(nanoseconds: now.withLock { $0 }) }
  func wallNow() -> WallTime {
    StoreFixture.start.advanced(byMicroseconds: monotonicNow().microseconds)
  }
  func suspendedTotal() -> Duration { .zero }
}
