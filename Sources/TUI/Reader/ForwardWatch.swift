import Measurement
import Store

/// Tells a forwarding that stands still from one that is about to go on: rows wait a second or two for the next batch.
struct ForwardWatch {
  private var pause: ForwardPause?
  /// The time since when the cursor is where it is.
  private var since = MonotonicTime.zero

  /// A cursor that has not moved for this long stands still.
  static let standstill = Duration.seconds(20)

  /// - Parameter next: what waits now.
  /// - Returns: how many rows wait, up to `ForwardPause.most`; 0 while they are forwarded.
  mutating func update(_ next: ForwardPause?, at now: MonotonicTime) -> Int {
    if next?.cursor != pause?.cursor { since = now }
    pause = next
    guard let next, now - since >= Self.standstill else { return 0 }
    return next.rows
  }
}
