/// A threshold, and how much of the window is beyond it.
struct ThresholdFigures: Sendable, Hashable {
  /// µs.
  let value: Int64
  let over: Int
  let total: Int

  /// - Parameter sums: further values; those in the bucket of the threshold itself count by its middle.
  init(value: Int64, values: [Int64], sums: ContiguousArray<DensityBucket> = []) {
    self.value = value
    total = values.count + sums.reduce(0) { $0 + Int($1.count) }
    over =
      values.reduce(0) { $0 + ($1 > value ? 1 : 0) }
      + sums.reduce(0) { $0 + ($1.middle > value ? Int($1.count) : 0) }
  }

  /// `3.2 %`; empty without values.
  var share: String {
    guard total > 0 else { return "" }
    return FixedPoint.text(Int64(over) * 100_000 / Int64(total), scale: 1_000, decimals: 1) + " %"
  }
}
