import Measurement
import Store

/// Counts of values in buckets, and the columns of these.
struct HistogramBuckets {
  let axis: LatencyAxis
  /// Width of a bucket in columns.
  let width: Int
  /// Whether a column stays free between two buckets.
  let hasGaps: Bool
  /// Span of a bucket, µs, where all are equal.
  let span: Int64?
  let now: [Int]
  let before: [Int]
  /// Those of `now` that are selected.
  let selected: [Int]

  /// Columns of the axis; the last bucket may extend beyond.
  let columns: Int

  /// Values of a window: single ones, and sums.
  struct Values {
    /// Values that are in several parts.
    var single: [[Int64]] = []
    var sums = ContiguousArray<DensityBucket>()

    init(_ single: [Int64]) { self.init(parts: [single]) }

    init(parts: [[Int64]]) { single = parts }

    init(_ facts: WindowStatistics) { (single, sums) = (facts.parts, facts.sums) }

    var count: Int { single.reduce(0) { $0 + $1.count } + sums.reduce(0) { $0 + Int($1.count) } }
  }

  /// Makes buckets of equal width on a logarithmic axis.
  /// - Parameter kept: what was counted for the last histogram.
  init(
    axis: LatencyAxis, columns: Int, now: Values, before: Values, selected: Values = Values([]),
    _ kept: inout BucketCounts
  ) {
    // Few values in narrow buckets do not show a distribution.
    let wanted = max(12, Int(3 * Double(max(now.count, 1)).squareRoot()))
    var width = 1
    while columns / width > wanted && width < 8 { width *= 2 }
    self.axis = axis
    self.width = width
    self.columns = columns
    hasGaps = false
    span = nil
    kept.begin(axis: axis, columns: columns, width: width)
    self.now = kept.counts(of: now)
    self.before = kept.counts(of: before)
    self.selected = kept.counts(of: selected)
  }

  /// Makes buckets of one second from 0, or of more seconds where they do not fit.
  init(
    secondsUpTo largest: Int64, columns: Int, now: Values, before: Values, selected: Values = Values([]),
    _ kept: inout BucketCounts
  ) {
    let second = Duration.seconds(1).microseconds
    let seconds = max(1, largest / second + 1)
    var span: Int64 = 1
    while (seconds + span - 1) / span > Int64(max(1, columns)) { span = LatencyAxis.niceCeiling(span + 1) }
    let count = Int((seconds + span - 1) / span)
    width = min(max(1, columns / count), 12)
    hasGaps = width >= 3
    self.columns = count * width
    self.span = span * second
    axis = LatencyAxis(kind: .linear, lower: 0, upper: Int64(count) * span * second)
    kept.begin(axis: axis, columns: count, width: 1)
    self.now = kept.counts(of: now)
    self.before = kept.counts(of: before)
    self.selected = kept.counts(of: selected)
  }

  var highest: Int { max(now.max() ?? 0, before.max() ?? 0) }

  /// The bucket of a column; `nil` in a gap and beyond the last.
  func bucket(at column: Int) -> Int? {
    guard column >= 0, column / width < now.count else { return nil }
    return hasGaps && column % width == width - 1 ? nil : column / width
  }

  /// Bounds of a bucket, µs; `to` is excluded.
  func bounds(of bucket: Int) -> (from: Int64, to: Int64) {
    if let span { return (Int64(bucket) * span, Int64(bucket + 1) * span) }
    // The axis ends with the last column; buckets may end later.
    func edge(_ column: Int) -> Int64 {
      if column <= 0 { return 0 }
      if column >= columns { return axis.upper + 1 }
      // The smallest value of the column, by the arithmetic of the axis.
      return (axis.lower..<axis.upper + 1).partitioningIndex {
        (axis.row(of: $0, rows: columns) ?? columns) >= column
      }
    }
    return (edge(bucket * width), edge((bucket + 1) * width))
  }
}
