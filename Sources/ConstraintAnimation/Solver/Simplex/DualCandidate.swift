/// A cell of the row to be repaired whose symbol might enter.
struct DualCandidate: BitwiseCopyable {
  /// The symbol; -1 stands for bending the row's own cost instead of pivoting.
  var symbol: Int32
  var position: Int32
  /// The coefficient, signed so that the row's multiplier grows with it.
  var rate: Double
  /// The ratio at the level being compared.
  var ratio = 0.0
}
