import Measurement

/// Which notifications the picture needs: told to the reader whenever it changes.
struct ReadRequest: Sendable, Equatable {
  /// From the start of the window before, which the ghost is made of.
  var from: WallTime
  /// `nil` follows the newest.
  var to: WallTime?
  /// µs after which the same data look different, because the edge of time has moved by a column.
  var tick: Int64
  /// Where the window itself begins; `nil` when it is all that is asked for.
  var start: WallTime?
}
