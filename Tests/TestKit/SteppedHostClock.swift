import Measurement
import Synchronization

/// The clocks of a host; they advance only when a test says so.
public final class SteppedHostClock: HostClock {
  private struct Readings {
    var monotonic: MonotonicTime
    var wall: WallTime
    var suspended = Duration.zero
  }

  private let readings: Mutex<Readings>

  /// - Parameters:
  ///   - monotonic: first reading of CLOCK_MONOTONIC.
  ///   - wall: first reading of CLOCK_REALTIME; by default 2026-03-01T12:00:00.000250Z.
  public init(
    monotonic: MonotonicTime = MonotonicTime(microseconds: 5_000_000_000),
    wall: WallTime = WallTime(microseconds: 1_772_366_400_000_250)
  ) {
    readings = Mutex(Readings(monotonic: monotonic, wall: wall))
  }

  public func monotonicNow() -> MonotonicTime { readings.withLock { $0.monotonic } }
  public func wallNow() -> WallTime { readings.withLock { $0.wall } }
  public func suspendedTotal() -> Duration { readings.withLock { $0.suspended } }

  /// Lets time pass on both clocks.
  public func advance(by duration: Duration) {
    readings.withLock {
      $0.monotonic = $0.monotonic + duration
      $0.wall = $0.wall.advanced(byMicroseconds: duration.microseconds)
    }
  }

  /// Sets the wall clock forward or back.
  public func stepWall(by duration: Duration) {
    readings.withLock { $0.wall = $0.wall.advanced(byMicroseconds: duration.microseconds) }
  }

  /// Suspends the host: the wall clock advances, the monotonic clock does not.
  public func suspend(for duration: Duration) {
    readings.withLock {
      $0.suspended += duration
      $0.wall = $0.wall.advanced(byMicroseconds: duration.microseconds)
    }
  }
}
