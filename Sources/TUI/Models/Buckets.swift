/// Counts of values in buckets of equal width on a logarithmic axis.
struct Buckets {
  /// Columns that a bucket is wide.
  let width: Int
  let now: [Int]
  let before: [Int]

  init(axis: LatencyAxis, columns: Int, now: [Int64], before: [Int64]) {
    // Few values in narrow buckets make a comb, not a distribution.
    let wanted = max(12, Int(3 * Double(max(now.count, 1)).squareRoot()))
    var width = 1
    while columns / width > wanted && width < 8 { width *= 2 }
    self.width = width
    let count = (columns + width - 1) / width
    let lookup = RowLookup(axis: axis, rows: columns)
    self.now = Self.counts(of: now, lookup: lookup, width: width, count: count)
    self.before = Self.counts(of: before, lookup: lookup, width: width, count: count)
  }

  var highest: Int { max(now.max() ?? 0, before.max() ?? 0) }

  private static func counts(of values: [Int64], lookup: RowLookup, width: Int, count: Int) -> [Int] {
    var counts = Array(repeating: 0, count: count)
    for value in values {
      let column = lookup.row(of: value)
      if column >= 0, column < lookup.rows { counts[column / width] += 1 }
    }
    return counts
  }
}
