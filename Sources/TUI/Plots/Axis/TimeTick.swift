/// A mark on the axis of time.
struct TimeTick: Sendable, Hashable {
  /// Columns from the window's left.
  let column: Int
  let label: String
}
