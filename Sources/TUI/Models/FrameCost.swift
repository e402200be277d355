/// What the last second of painting has cost.
struct FrameCost: Sendable, Equatable {
  /// µs of layout, drawing and comparing, a frame.
  var microseconds: Int
  var bytes: Int
  /// Frames that the terminal was too slow for, since the start.
  var skipped: Int
}
