/// What decides when the tableau is checked against the constraints it came from.
struct TableauVerification: BitwiseCopyable {
  /// Pivots since the last check.
  var pivots = 0
  /// Constants changed since the last check.
  var moves = 0
  /// A step saw a number that exact arithmetic would not produce.
  var isDue = false
  var totalPivots = 0
  /// The number of pivots at which the running search gives up.
  var limit = 0
}
