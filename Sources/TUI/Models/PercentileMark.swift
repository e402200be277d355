import Measurement

/// Where a percentile and its interval stand on an axis.
struct PercentileMark: Sendable, Hashable {
  let name: String
  let column: Int
  /// Columns of the interval's ends; at the axis's own where it reaches beyond.
  let low: Int
  let high: Int

  /// `nil` when there are too few values, or it is off the axis.
  init?(_ summary: WindowSummary, _ quantile: Quantile, _ axis: LatencyAxis, columns: Int) {
    guard case .known(let value, let low, let high) = summary[quantile],
      let column = axis.row(of: value, rows: columns)
    else { return nil }
    name = quantile.label
    self.column = column
    self.low = min(column, axis.row(of: max(low, axis.lower), rows: columns) ?? 0)
    self.high = max(column, axis.row(of: high, rows: columns) ?? columns - 1)
  }
}
