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

  private struct Part {
    /// Kept, so that its memory is not used for something else.
    let values: [Int64]
    let counts: [Int32]
    var pass: Int
  }

  private var buckets = Buckets(axis: LatencyAxis(kind: .linear, lower: 0, upper: 1), columns: 1, width: 1)
  private var lookup = RowLookup(axis: LatencyAxis(kind: .linear, lower: 0, upper: 1), rows: 1)
  private var parts: [UnsafeRawPointer: Part] = [:]
  private var pass = 0

  /// Takes the buckets to count in.
  /// - Parameters:
  ///   - columns: of the axis; values below and above it are not counted.
  ///   - width: columns of a bucket.
  mutating func begin(axis: LatencyAxis, columns: Int, width: Int) {
    let buckets = Buckets(axis: axis, columns: columns, width: width)
    if buckets != self.buckets {
      (self.buckets, parts) = (buckets, [:])
      lookup = RowLookup(axis: axis, rows: columns)
    }
    parts = parts.filter { $0.value.pass == pass }
    pass += 1
  }

  /// Of each bucket.
  mutating func counts(of values: HistogramBuckets.Values) -> [Int] {
    var sum = Array(repeating: 0, count: buckets.count)
    for part in values.single {
      for (bucket, count) in counts(of: part).enumerated() { sum[bucket] += Int(count) }
    }
    for bucket in values.sums {
      let column = lookup.row(of: bucket.middle)
      if column >= 0, column < lookup.rows { sum[column / buckets.width] += Int(bucket.count) }
    }
    return sum
  }

  private mutating func counts(of values: [Int64]) -> [Int32] {
    guard let place = values.withUnsafeBytes({ $0.baseAddress }), !values.isEmpty else { return [] }
    if var part = parts[place], part.values.count == values.count {
      part.pass = pass
      parts[place] = part
      return part.counts
    }
    let width = buckets.width
    var counts = [Int32](repeating: 0, count: buckets.count)
    lookup.withReader { lookup in
      counts.withUnsafeMutableBufferPointer { counts in
        for value in values {
          let column = lookup.row(of: value)
          if column >= 0, column < lookup.rows { counts[column / width] += 1 }
        }
      }
    }
    parts[place] = Part(values: values, counts: counts, pass: pass)
    return counts
  }
}
