import Measurement
import Synchronization

/// A wall clock that follows what is written, so that days of notifications are recorded in a minute and each is as old
/// as it would be. The monotonic clock is the real one: it times commits.
final class DrivenClock: HostClock {
  private let wall: Mutex<WallTime>
  private let system = SystemClock()

  init(wall: WallTime) { self.wall = Mutex(wall) }

  func monotonicNow() -> MonotonicTime { system.monotonicNow() }
  func wallNow() -> WallTime { wall.withLock { $0 } }
  func suspendedTotal() -> Duration { .zero }

  func set(_ time: WallTime) { wall.withLock { $0 = time } }
}
