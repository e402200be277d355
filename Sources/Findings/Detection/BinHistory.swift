import Glibc
import Measurement

/// What a series recorded in one bin of time.
public enum SeriesValues: Sendable, Hashable {
  /// The values of a latency.
  case latencies(PackedLatencies)
  /// The values of a share: how many of `count` notifications have the property.
  case share(events: Int, count: Int)
}

/// Latencies on a logarithmic scale from 1 µs to 1 h, in levels 0.5 % apart.
enum LogScale {
  static let step = 0.005
  static let levels = 4402

  /// The level that a latency falls into.
  static func level(_ microseconds: Int64) -> Int {
    min(levels - 1, max(0, Int(log(Double(max(1, microseconds))) / step)))
  }

  /// The lower edge of a level, µs.
  static func edge(_ level: Int) -> Double { exp(Double(level) * step) }

  /// The middle of a level, µs.
  static func middle(_ level: Int) -> Double { exp((Double(level) + 0.5) * step) }
}

/// The complete bins of a series in order, as many as the detector looks back on. Bins are numbered from 0 in recorded
/// time: what was not recorded has no bins.
///
/// A distinct latency of a bin takes two bytes; an hour is one piece of storage, so that copies share all but the last.
struct BinHistory: Sendable {
  private struct Hour: Sendable {
    /// µs since 1970, per bin.
    var starts: [Int64] = []
    /// Latencies: the number of values; shares: of notifications.
    var counts: [Int32] = []
    /// Shares only.
    var events: [Int32] = []
    /// Latencies only: level << 3 | (count − 1), ascending within a bin.
    var entries: [UInt16] = []
    var ends: [Int32] = []
    /// The daily profile in levels, per bin, and how much higher it may be as well.
    var shifts: [Int16] = []
    var spans: [Int16] = []
  }

  let binsPerHour: Int
  private let isShare: Bool
  private var hours: [Hour] = []
  /// The number of the first bin of the first hour.
  private(set) var first = 0
  /// The number of the next bin.
  private(set) var end = 0
  private(set) var profile = DailyProfile.flat
  /// The width of a bin, µs.
  let width: Int64

  init(width: Int64, isShare: Bool, startingAt first: Int = 0) {
    self.width = width
    binsPerHour = max(1, Int(3_600_000_000 / width))
    self.isShare = isShare
    self.first = first
    end = first
  }

  mutating func append(_ values: SeriesValues, at start: Int64) {
    if (end - first) % binsPerHour == 0 { hours.append(Hour()) }
    let hour = hours.count - 1
    hours[hour].starts.append(start)
    switch values {
    case .share(let events, let count):
      hours[hour].counts.append(Int32(clamping: count))
      hours[hour].events.append(Int32(clamping: events))
    case .latencies(let packed):
      var total = 0
      var last = -1
      var pending = 0
      func flush(into entries: inout [UInt16]) {
        while pending > 0 {
          let part = min(8, pending)
          entries.append(UInt16(last << 3 | (part - 1)))
          pending -= part
        }
      }
      for bucket in packed {
        let level = LogScale.level(bucket.lower / 2 + bucket.upper / 2 + (bucket.lower & bucket.upper & 1))
        if level != last {
          flush(into: &hours[hour].entries)
          last = level
        }
        pending += bucket.count
        total += bucket.count
      }
      flush(into: &hours[hour].entries)
      hours[hour].counts.append(Int32(clamping: total))
      hours[hour].ends.append(Int32(hours[hour].entries.count))
      let (shift, span) = shift(at: start)
      hours[hour].shifts.append(shift)
      hours[hour].spans.append(span)
    }
    end += 1
  }

  private func shift(at start: Int64) -> (shift: Int16, span: Int16) {
    guard !profile.isFlat else { return (0, 0) }
    let offsets = profile.offsets(at: start + width / 2)
    let shift = (offsets.lowerBound / LogScale.step).rounded()
    let high =
      offsets.upperBound > offsets.lowerBound ? (offsets.upperBound / LogScale.step).rounded() : shift
    return (Int16(shift), Int16(high - shift))
  }

  /// Forgets whole hours before a bin.
  mutating func removeBins(before bin: Int) {
    while let hour = hours.first, first + hour.starts.count <= bin, hour.starts.count == binsPerHour {
      hours.removeFirst()
      first += binsPerHour
    }
  }

  mutating func use(_ profile: DailyProfile) {
    self.profile = profile
    guard !isShare else { return }
    for hour in hours.indices {
      for (bin, start) in hours[hour].starts.enumerated() {
        (hours[hour].shifts[bin], hours[hour].spans[bin]) = shift(at: start)
      }
    }
  }

  func start(_ bin: Int) -> Int64 {
    guard bin >= first, bin < end else {
      guard end > first else { return 0 }
      // The end of the last one, or before the first one.
      return bin >= end
        ? start(end - 1) + Int64(bin - end + 1) * width : start(first) - Int64(first - bin) * width
    }
    return hours[(bin - first) / binsPerHour].starts[(bin - first) % binsPerHour]
  }

  func count(_ bin: Int) -> Int {
    Int(hours[(bin - first) / binsPerHour].counts[(bin - first) % binsPerHour])
  }

  /// Which of two levels that are usual values are relative to: the lower one is what a change downward starts from, the upper one what
  /// a change upward does.
  enum Side {
    case lower, upper
    /// Neither: such bins are left out.
    case none
  }

  /// Whether two levels are usual in a bin: a daily pattern may have come or not.
  func isAmbiguous(_ bin: Int) -> Bool {
    !isShare && hours[(bin - first) / binsPerHour].spans[(bin - first) % binsPerHour] > 0
  }

  /// The number of events of a share, or of a latency's values above a level (relative to the hour of day).
  ///
  /// - Parameter side: which of two levels that are usual values are relative to.
  func above(_ level: Int, side: Side = .lower, _ bin: Int) -> Int {
    let hour = (bin - first) / binsPerHour
    let place = (bin - first) % binsPerHour
    return hours.withUnsafeBufferPointer { hours in
      guard !isShare else { return Int(hours[hour].events[place]) }
      let span = side == .upper ? Int(hours[hour].spans[place]) : 0
      let least = level + 1 + Int(hours[hour].shifts[place]) + span
      guard least > 0 else { return Int(hours[hour].counts[place]) }
      let threshold = UInt16(min(least, LogScale.levels)) << 3
      let begin = place == 0 ? 0 : Int(hours[hour].ends[place - 1])
      return hours[hour].entries.withUnsafeBufferPointer { entries in
        var index = Int(hours[hour].ends[place]) - 1
        var sum = 0
        while index >= begin, entries[index] >= threshold {
          sum += Int(entries[index] & 7) + 1
          index -= 1
        }
        return sum
      }
    }
  }

  /// Counts the values above several levels at once; see ``above(_:side:_:)``.
  ///
  /// - Parameters:
  ///   - levels: descending.
  ///   - body: called with the place of each level and its count.
  func above(
    _ levels: some Sequence<Int>, side: Side, _ bin: Int, _ body: (_ place: Int, _ count: Int) -> Void
  ) {
    let hour = (bin - first) / binsPerHour
    let place = (bin - first) % binsPerHour
    hours.withUnsafeBufferPointer { hours in
      guard !isShare else {
        for (index, _) in levels.enumerated() { body(index, Int(hours[hour].events[place])) }
        return
      }
      let shift = Int(hours[hour].shifts[place]) + (side == .upper ? Int(hours[hour].spans[place]) : 0)
      let begin = place == 0 ? 0 : Int(hours[hour].ends[place - 1])
      hours[hour].entries.withUnsafeBufferPointer { entries in
        var index = Int(hours[hour].ends[place]) - 1
        var sum = 0
        for (place, level) in levels.enumerated() {
          let threshold = UInt16(min(max(0, level + 1 + shift), LogScale.levels)) << 3
          while index >= begin, entries[index] >= threshold {
            sum += Int(entries[index] & 7) + 1
            index -= 1
          }
          body(place, sum)
        }
      }
    }
  }

  /// Counts a bin's values by cell.
  ///
  /// - Parameter body: called with each cell and its count, the highest values first.
  func count(_ bin: Int, by cells: ChangeCells, side: Side, _ body: (_ cell: Int, _ count: Int) -> Void) {
    var counted = 0
    if isShare {
      counted = above(0, bin)
      body(1, counted)
    } else {
      let last = cells.levels.count
      above(cells.levels.reversed(), side: side, bin) { place, above in
        body(last - place, above - counted)
        counted = above
      }
    }
    body(0, count(bin) - counted)
  }

  /// Adds the values of bins to a histogram by level (relative to the hour of day), so many times.
  func add(_ bins: Range<Int>, times: Int = 1, side: Side = .none, to histogram: inout [Int]) {
    histogram.withUnsafeMutableBufferPointer { histogram in
      for bin in max(bins.lowerBound, first)..<max(bins.upperBound, first) {
        let hour = (bin - first) / binsPerHour
        let place = (bin - first) % binsPerHour
        hours.withUnsafeBufferPointer { hours in
          let span = Int(hours[hour].spans[place])
          if span > 0, side == .none { return }
          let shift = Int(hours[hour].shifts[place]) + (side == .upper ? span : 0)
          let begin = place == 0 ? 0 : Int(hours[hour].ends[place - 1])
          hours[hour].entries.withUnsafeBufferPointer { entries in
            for index in begin..<Int(hours[hour].ends[place]) {
              let level = Int(entries[index] >> 3) - shift
              histogram[min(LogScale.levels - 1, max(0, level))] += times * (Int(entries[index] & 7) + 1)
            }
          }
        }
      }
    }
  }

  /// ln of the median of some bins' values in µs, not relative to the hour of day; `nil` without a value.
  func logMedian(_ bins: Range<Int>) -> Double? {
    let (count, levels) = levels(at: [0.5], of: bins)
    return count > 0 ? levels.first.map { (Double($0) + 0.5) * LogScale.step } : nil
  }

  /// How many values some bins have, and the levels of their quantiles, not relative to the hour of day.
  ///
  /// - Parameter quantiles: ascending.
  func levels(at quantiles: [Double], of bins: Range<Int>) -> (count: Int, levels: [Int]) {
    var histogram = [Int](repeating: 0, count: LogScale.levels)
    var total = 0
    for bin in bins where bin >= first && bin < end {
      let hour = (bin - first) / binsPerHour
      let place = (bin - first) % binsPerHour
      let begin = place == 0 ? 0 : Int(hours[hour].ends[place - 1])
      for index in begin..<Int(hours[hour].ends[place]) {
        let entry = hours[hour].entries[index]
        histogram[Int(entry >> 3)] += Int(entry & 7) + 1
        total += Int(entry & 7) + 1
      }
    }
    guard total > 0 else { return (0, []) }
    var levels: [Int] = []
    var (level, seen) = (0, histogram[0])
    for quantile in quantiles {
      let rank = max(1, Int((quantile * Double(total)).rounded(.up)))
      while seen < rank {
        level += 1
        seen += histogram[level]
      }
      levels.append(level)
    }
    return (total, levels)
  }

  /// The level at a quantile of some bins' values, µs, relative to the hour of day; `nil` without a value.
  func quantile(_ quantile: Double, of bins: Range<Int>, side: Side) -> Double? {
    var histogram = [Int](repeating: 0, count: LogScale.levels)
    add(bins.clamped(to: first..<end), side: side, to: &histogram)
    let total = histogram.reduce(0, +)
    guard total > 0 else { return nil }
    var seen = 0
    for (level, count) in histogram.enumerated() {
      seen += count
      if Double(seen) >= quantile * Double(total) { return LogScale.middle(level) }
    }
    return nil
  }

  /// Whether the median rises by 10 % or more from each third to the next; a third with fewer than 100 values does not say.
  func isRising(_ bins: Range<Int>, side: Side) -> Bool {
    let third = bins.count / 3
    guard third >= 1 else { return false }
    let thirds = (0..<3).map { bins.lowerBound + $0 * third..<bins.lowerBound + ($0 + 1) * third }
    guard thirds.allSatisfy({ $0.reduce(0) { $0 + count($1) } >= 100 }) else { return false }
    let medians = thirds.compactMap { quantile(0.5, of: $0, side: side) }
    return medians.count == 3 && medians[1] >= 1.1 * medians[0] && medians[2] >= 1.1 * medians[1]
  }

  /// Bytes of storage.
  var memory: Int {
    hours.reduce(0) {
      $0 + 8 * $1.starts.capacity + 4 * ($1.counts.capacity + $1.events.capacity + $1.ends.capacity) + 2
        * ($1.entries.capacity + $1.shifts.capacity + $1.spans.capacity) + 160
    }
  }
}
