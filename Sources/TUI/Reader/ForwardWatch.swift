import Measurement
import Store

/// Tells a forwarding that stands still from one that is about to go on: rows wait a second or two for the next batch.
struct ForwardWatch {
  private var pause: ForwardPause?
  /// The time since when the cursor is where it is, monotonic µs.
  private var since: Int64 = 0

  /// A cursor that has not moved for this long stands still, µs.
  static let patience: Int64 = 20_000_000

  /// - Parameters:
  ///   - next: what waits now.
  ///   - now: monotonic, µs.
  /// - Returns: how many rows wait, up to `ForwardPause.most`; 0 while they are forwarded.
  mutating func look(_ next: ForwardPause?, at now: Int64) -> Int {
    if next?.cursor != pause?.cursor { since = now }
    pause = next
    guard let next, now - since >= Self.patience else { return 0 }
    return next.rows
  }
}
