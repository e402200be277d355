/// Where a basic symbol reaches 0, and so another slope, as a nonbasic one moves.
struct Breakpoint: BitwiseCopyable {
  /// How far the nonbasic symbol has moved by then.
  var distance: Double
  /// The row's change per unit of the move.
  var rate: Double
  var row: Int32
  var position: Int32

  /// Nearer first; at the same distance larger rates, which make better pivots, then the smaller place.
  @inline(__always)
  static func precedes(_ left: Breakpoint, _ right: Breakpoint) -> Bool {
    if left.distance != right.distance { return left.distance < right.distance }
    if abs(left.rate) != abs(right.rate) { return abs(left.rate) > abs(right.rate) }
    return left.row < right.row
  }
}
