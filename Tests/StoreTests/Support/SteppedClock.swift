import Measurement
import Synchronization

/// Both clocks, moved by the test alone.
final class SteppedClock: HostClock {
  private let now: Mutex<(monotonic: Int64, wall: Int64)>

  static let start = (monotonic: Int64(5_000_000_000), wall: Int64(1_772_366_400_000_250))

  /// - Parameters: µs on each clock.
  init(monotonic: Int64 = start.monotonic, wall: Int64 = start.wall) {
    now = Mutex((monotonic, wall))
  }

  func monotonicNow() -> MonotonicTime { MonotonicTime(microseconds: now.withLock { $0.monotonic }) }
  func wallNow() -> WallTime { WallTime(microseconds: now.withLock { $0.wall }) }
  func suspendedTotal() -> Duration { .zero }

  /// Lets time pass on both clocks.
  func advance(seconds: Double) {
    let microseconds = Int64(seconds * 1_000_000)
    now.withLock {
      $0.monotonic += microseconds
      $0.wall += microseconds
    }
  }

  /// Sets the wall clock only.
  func stepWall(seconds: Double) {
    now.withLock { $0.wall += Int64(seconds * 1_000_000) }
  }
}
