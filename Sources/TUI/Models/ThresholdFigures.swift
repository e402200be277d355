/// A threshold, and how much of what came due in the window is beyond it.
struct ThresholdFigures: Sendable, Hashable {
  /// µs.
  let value: Int64
  let over: Int
  /// What never arrived has no latency, but was planned all the same: a share without it flatters.
  let due: Int

  /// - Parameters:
  ///   - sums: further values; those in the bucket of the threshold itself count by its middle.
  ///   - due: of how many planned notifications the time has come, with a value or without.
  init(value: Int64, values: [Int64], sums: ContiguousArray<DensityBucket> = [], due: Int) {
    self.value = value
    self.due = due
    over =
      values.reduce(0) { $0 + ($1 > value ? 1 : 0) }
      + sums.reduce(0) { $0 + ($1.middle > value ? Int($1.count) : 0) }
  }

  /// Of what was planned, `3.2 %`; empty where nothing was.
  var share: String {
    guard due > 0 else { return "" }
    return FixedPoint.text(Int64(over) * 100_000 / Int64(due), scale: 1_000, decimals: 1) + " %"
  }
}
