/// Adds up what frames cost and says once a second what one of them took.
struct FrameMeter {
  private var frames = 0
  private var nanoseconds: Int64 = 0
  private var bytes = 0
  private var since: Int64?

  /// ns.
  private static let interval: Int64 = 1_000_000_000

  /// A frame was shown.
  /// - Parameters:
  ///   - time: when, ns.
  ///   - duration: layout, drawing and comparing, ns; the write itself is the terminal's affair.
  mutating func note(at time: Int64, duration: Int64, bytes: Int) {
    frames += 1
    nanoseconds += duration
    self.bytes += bytes
    since = since ?? time
  }

  /// When there will be something to say; `nil` while no frames are shown, so that an idle screen stays idle.
  var due: Int64? { since.map { $0 + Self.interval } }

  /// The mean of the frames since the last time, once a second has gone by.
  mutating func report(at time: Int64, skipped: Int) -> FrameCost? {
    guard let due, time >= due, frames > 0 else { return nil }
    defer { (frames, nanoseconds, bytes, since) = (0, 0, 0, nil) }
    return FrameCost(
      microseconds: Int(nanoseconds / 1_000) / frames, bytes: bytes / frames, skipped: skipped)
  }
}
