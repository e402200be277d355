import Glibc
import Measurement
import Store

/// Latencies 2 % apart: as exact as a chart shows them.
enum LatencyLevel {
  /// The number of levels: the first is for less than 1 µs, the last for 1 h and more.
  static let count = Int(log(3.6e9) / step) + 2

  private static let step = log(1.02)

  /// - Parameter value: µs.
  static func index(of value: Int64) -> Int {
    value < 1 ? 0 : min(count - 1, 1 + Int(log(Double(value)) / step))
  }

  /// The lower edge of a level, µs.
  static func edge(_ index: Int) -> Double { index <= 0 ? 0 : exp(Double(index - 1) * step) }

  /// µs.
  static func middle(_ index: Int) -> Int64 {
    index <= 0 ? 0 : Int64(exp((Double(index) - 0.5) * step).rounded())
  }
}

/// The states and one metric's latencies of a target by column of time: as large as the columns, whatever the number of
/// notifications.
struct LatencyTimeline: Sendable {
  let columns: TimeColumns
  let metric: Metric
  private(set) var states: [StateCounts]
  /// Counts by column, then by level.
  private var levels: [UInt32]

  init(_ columns: TimeColumns, _ metric: Metric) {
    self.columns = columns
    self.metric = metric
    states = Array(repeating: StateCounts(), count: columns.count)
    levels = Array(repeating: 0, count: columns.count * LatencyLevel.count)
  }

  mutating func add(_ row: borrowing SampleRow) {
    guard let column = columns.index(of: row.plannedAt) else { return }
    states[column].add(row)
    if let value = row.value(of: metric) { add(value, 1, column) }
  }

  mutating func add(_ bin: RollupBin) {
    guard let column = columns.index(of: bin.plannedFrom) else { return }
    states[column] += bin.counts
    for bucket in bin.latencies(of: RollupFigure(metric)) {
      add(bucket.lower + (bucket.upper - bucket.lower) / 2, bucket.count, column)
    }
  }

  private mutating func add(_ value: Int64, _ count: Int, _ column: Int) {
    let place = column * LatencyLevel.count + LatencyLevel.index(of: value)
    levels[place] = UInt32(clamping: Int(levels[place]) + count)
  }

  /// The latencies of some columns, by level.
  func counts(in range: Range<Int>) -> [Int] {
    var sum = Array(repeating: 0, count: LatencyLevel.count)
    for column in range.clamped(to: 0..<columns.count) {
      let first = column * LatencyLevel.count
      for level in 0..<LatencyLevel.count where levels[first + level] > 0 {
        sum[level] += Int(levels[first + level])
      }
    }
    return sum
  }

  /// All latencies, by level.
  var counts: [Int] { counts(in: 0..<columns.count) }

  /// All states.
  var total: StateCounts { states.reduce(StateCounts(), +) }

  /// The states of columns that are merged by a factor.
  func states(mergedBy factor: Int) -> [StateCounts] {
    stride(from: 0, to: columns.count, by: factor).map { first in
      states[first..<min(columns.count, first + factor)].reduce(StateCounts(), +)
    }
  }
}

/// Counts by level with their ranks.
struct LevelCounts {
  private let counts: [Int]
  let total: Int

  init(_ counts: [Int]) {
    self.counts = counts
    total = counts.reduce(0, +)
  }

  var first: Int? { counts.firstIndex { $0 > 0 } }
  var last: Int? { counts.lastIndex { $0 > 0 } }

  /// µs, within 1 %; `nil` without values.
  func value(_ quantile: Quantile) -> Int64? {
    guard total > 0 else { return nil }
    let rank = quantile.rank(among: total)
    var seen = 0
    for (level, count) in counts.enumerated() {
      seen += count
      if seen >= rank { return LatencyLevel.middle(level) }
    }
    return nil
  }
}
