import Measurement
import Store

/// Rollups of a range of time with more notifications than are kept one by one: as much as a screen can show, however many
/// there were.
struct Density: Sendable, Equatable {
  /// Notifications planned in one column of the plot, or in one rollup span where that is longer.
  struct Column: Sendable, Equatable {
    /// Wall time, µs.
    let start: Int64
    /// µs.
    let duration: Int64
    let counts: StateCounts
    /// The buckets by index in `Metric.allCases`; ascending.
    let buckets: [ContiguousArray<DensityBucket>]
    /// Lower and upper bounds of its deliveries, where not all are exact.
    var deliveryEnds: DeliveryEnds?

    struct DeliveryEnds: Sendable, Equatable {
      var lows: ContiguousArray<DensityBucket>
      var highs: ContiguousArray<DensityBucket>
    }

    func buckets(of metric: Metric) -> ContiguousArray<DensityBucket> {
      buckets[Metric.allCases.firstIndex(of: metric) ?? 0]
    }

    func ranged(_ metric: Metric) -> RangedLatencies<ContiguousArray<DensityBucket>> {
      guard metric == .delivery, let deliveryEnds else { return RangedLatencies(buckets(of: metric)) }
      return RangedLatencies(buckets(of: metric), lows: deliveryEnds.lows, highs: deliveryEnds.highs)
    }
  }

  /// The longest rollup span that it was read from.
  let span: RollupSpan
  /// Everything planned before it is in the columns; later notifications are in the tracks.
  let end: WallTime
  /// The columns by target of the snapshot, in its order; ascending by start.
  let columns: [[Column]]
  /// The starts of columns that were not over at the moment of a replay, by target; ascending.
  var open: [[WallTime]] = []

  /// The columns of a target that begin in a range of time.
  func columns(of target: Int, from start: WallTime, to end: WallTime) -> ArraySlice<Column> {
    guard columns.indices.contains(target) else { return [] }
    let all = columns[target]
    let lower = all.partitioningIndex { $0.start >= start.microseconds }
    return all[lower..<max(lower, all.partitioningIndex { $0.start >= end.microseconds })]
  }

  /// All columns of some targets in a range of time, merged.
  func sums(
    of targets: [Int], metric: Metric, from start: WallTime, to end: WallTime
  ) -> (buckets: ContiguousArray<DensityBucket>, counts: StateCounts) {
    var counts = StateCounts()
    var accumulator = DensityAccumulator()
    for target in targets {
      for column in columns(of: target, from: start, to: end) {
        counts = counts + column.counts
        accumulator.add(column.buckets(of: metric))
      }
    }
    return (accumulator.drain(), counts)
  }

  /// The sums as known at a moment: columns that are not over by then are left out.
  func known(at moment: WallTime) -> Density {
    let moment = moment.microseconds
    var known = Density(
      span: span, end: end,
      columns: columns.map { columns in columns.filter { $0.start + $0.duration <= moment } })
    known.open = columns.map { columns in
      columns.filter { $0.start <= moment && $0.start + $0.duration > moment }
        .map { WallTime(microseconds: $0.start) }
    }
    return known
  }

  /// Whether a range of time has a column that a replay does not know yet, because it is not over.
  func isAnyOpen(of targets: [Int], from start: WallTime, to end: WallTime) -> Bool {
    targets.contains { target in
      open.indices.contains(target)
        && open[target].contains { $0 >= start && $0 < end }
    }
  }

  /// `1 s`, `1 min`, `1 h`.
  var name: String { LengthText.given(span.length) }
}

/// Latencies that differ by less than 0.8 %, which a plot cannot tell apart.
///
/// The index is the leading bits of the floating-point value: 128 buckets per power of two.
struct DensityBucket: Sendable, Hashable {
  let index: UInt16
  var count: UInt32

  /// Upper limit of the number of buckets.
  static let places = 63 << fractionBits + 1

  private static let fractionBits = 7
  private static let shift = UInt64(52 - fractionBits)
  /// The leading bits of 1, minus one: index 0 is for smaller values.
  private static let base = Int(Double(1).bitPattern >> shift) - 1

  /// - Parameter value: µs; values below 1 count as 0.
  static func index(of value: Int64) -> Int {
    value < 1 ? 0 : Int(Double(value).bitPattern >> shift) - base
  }

  /// The smallest value of a bucket, µs.
  private static func edge(_ index: Int) -> Int64 {
    guard index > 0 else { return 0 }
    let value = Double(bitPattern: UInt64(index + base) << shift).rounded(.up)
    return value >= 0x1p62 ? .max / 2 : Int64(value)
  }

  /// µs, both included.
  var lower: Int64 { Self.edge(Int(index)) }
  var upper: Int64 { max(lower, Self.edge(Int(index) + 1) - 1) }
  var middle: Int64 { lower + (upper - lower) / 2 }
}

/// Accumulates latencies by bucket.
struct DensityAccumulator {
  private var counts = ContiguousArray(repeating: UInt32(0), count: DensityBucket.places)
  /// Range of the buckets that may not be empty.
  private var touched: ClosedRange<Int>?

  mutating func add(_ value: Int64, count: Int) {
    let index = DensityBucket.index(of: value)
    add(count, to: index)
    touch(index...index)
  }

  /// Each bucket counts at its middle.
  mutating func add(_ packed: PackedLatencies) {
    var range: ClosedRange<Int>?
    counts.withUnsafeMutableBufferPointer { counts in
      for bucket in packed {
        let index = DensityBucket.index(of: bucket.lower + (bucket.upper - bucket.lower) / 2)
        counts[index] = UInt32(clamping: Int(counts[index]) + bucket.count)
        range = (range?.lowerBound ?? index)...index
      }
    }
    if let range { touch(range) }
  }

  mutating func add(_ buckets: ContiguousArray<DensityBucket>) {
    guard let first = buckets.first, let last = buckets.last else { return }
    for bucket in buckets { add(Int(bucket.count), to: Int(bucket.index)) }
    touch(Int(first.index)...Int(last.index))
  }

  private mutating func add(_ count: Int, to index: Int) {
    counts[index] = UInt32(clamping: Int(counts[index]) + count)
  }

  private mutating func touch(_ range: ClosedRange<Int>) {
    let before = touched ?? range
    touched = min(before.lowerBound, range.lowerBound)...max(before.upperBound, range.upperBound)
  }

  /// Returns the non-empty buckets, ascending, and resets all to 0.
  mutating func drain() -> ContiguousArray<DensityBucket> {
    var buckets = ContiguousArray<DensityBucket>()
    for index in touched ?? 0...0 where counts[index] > 0 {
      buckets.append(DensityBucket(index: UInt16(index), count: counts[index]))
      counts[index] = 0
    }
    touched = nil
    return buckets
  }
}
