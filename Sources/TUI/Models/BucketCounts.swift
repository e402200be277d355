import Measurement
import Store

/// Values in buckets of equal width in columns of an axis. What was counted of one part of a window's values is kept as long as
/// parts of a later window are the same memory, in which nothing can have changed.
struct BucketCounts {
  private struct Buckets: Equatable {
    let axis: LatencyAxis
    let columns: Int
    let width: Int

    /// The last may extend beyond the axis.
    var count: Int { (columns + width - 1) / width }
  }

  private final class Part {
    /// Kept, so that its memory is not used for something else.
    let values: [Int64]
    let counts: [Int32]
    /// The pass in which it was needed last.
    var pass: Int

    init(values: [Int64], counts: [Int32], pass: Int) {
      (self.values, self.counts, self.pass) = (values, counts, pass)
    }
  }

  private var buckets = Buckets(axis: LatencyAxis(kind: .linear, lower: 0, upper: 1), columns: 1, width: 1)
  private var lookup = RowLookup(axis: LatencyAxis(kind: .linear, lower: 0, upper: 1), rows: 1)
  private var parts: [UnsafeRawPointer: Part] = [:]
  private var pass = 0
  /// How many parts were counted in this pass.
  private var used = 0

  /// Begins to count in these buckets.
  /// - Parameters:
  ///   - columns: of the axis; values below and above it are not counted.
  ///   - width: columns of a bucket.
  mutating func begin(axis: LatencyAxis, columns: Int, width: Int) {
    let buckets = Buckets(axis: axis, columns: columns, width: width)
    if buckets != self.buckets {
      (self.buckets, parts) = (buckets, [:])
      lookup = RowLookup(axis: axis, rows: columns)
    }
    // Those of the last histogram are as many as a window has, and one before it.
    if parts.count > 2 * used { parts = parts.filter { $0.value.pass == pass } }
    pass += 1
    used = 0
  }

  /// The number of values in each bucket.
  mutating func counts(of values: HistogramBuckets.Values) -> [Int] {
    var sum = Array(repeating: 0, count: buckets.count)
    for part in values.single where !part.isEmpty {
      let counts = counts(of: part)
      for bucket in sum.indices { sum[bucket] += Int(counts[bucket]) }
    }
    for bucket in values.sums {
      let column = lookup.row(of: bucket.middle)
      if column >= 0, column < lookup.rows { sum[column / buckets.width] += Int(bucket.count) }
    }
    return sum
  }

  private mutating func counts(of values: [Int64]) -> [Int32] {
    guard let place = values.withUnsafeBytes({ $0.baseAddress }) else { return made(of: values) }
    used += 1
    if let part = parts[place], part.values.count == values.count {
      part.pass = pass
      return part.counts
    }
    let counts = made(of: values)
    parts[place] = Part(values: values, counts: counts, pass: pass)
    return counts
  }

  private func made(of values: [Int64]) -> [Int32] {
    // By column first: a division for each value would take longer than finding its column.
    var columns = [Int32](repeating: 0, count: lookup.rows)
    lookup.withReader { lookup in
      columns.withUnsafeMutableBufferPointer { columns in
        for value in values {
          let column = lookup.row(of: value)
          if column >= 0, column < lookup.rows { columns[column] &+= 1 }
        }
      }
    }
    var counts = [Int32](repeating: 0, count: buckets.count)
    for (column, count) in columns.enumerated() { counts[column / buckets.width] += count }
    return counts
  }
}
