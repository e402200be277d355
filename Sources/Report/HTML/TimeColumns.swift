import Measurement

/// Equal stretches of time over a period, which a chart has a column each for. They begin at whole multiples of their length
/// after 1970-01-01, so that rollups fall into one column as a whole.
struct TimeColumns: Sendable, Hashable {
  /// µs since 1970-01-01.
  let start: Int64
  /// µs.
  let width: Int64
  let count: Int

  private static let widths: [Int64] = {
    let second: Int64 = 1_000_000
    let fractions: [Int64] = [1, 2, 5, 10, 20, 50, 100, 200, 500].map { $0 * 1_000 }
    let seconds: [Int64] = [1, 2, 5, 10, 15, 30].map { $0 * second }
    let minutes: [Int64] = [1, 2, 5, 10, 15, 30].map { $0 * 60 * second }
    let hours: [Int64] = [1, 2, 3, 6, 12].map { $0 * 3600 * second }
    let days: [Int64] = [1, 2, 7, 14, 28, 56, 112, 364, 3640].map { $0 * 86_400 * second }
    return fractions + seconds + minutes + hours + days
  }()

  /// - Parameters:
  ///   - most: the largest number of columns.
  ///   - least: their shortest length, µs.
  init(from start: WallTime, to end: WallTime, most: Int, least: Int64) {
    let length = max(1, end.microseconds - start.microseconds)
    let wanted = max(least, length / Int64(max(1, most - 1)) + 1)
    let width = Self.widths.first { $0 >= wanted } ?? Self.widths[Self.widths.count - 1]
    let first = start.microseconds.flooringDivision(by: width)
    let last = (end.microseconds - 1).flooringDivision(by: width)
    self.width = width
    self.start = first * width
    count = Int(clamping: max(1, last - first + 1))
  }

  private init(start: Int64, width: Int64, count: Int) {
    (self.start, self.width, self.count) = (start, width, count)
  }

  /// µs since 1970-01-01, excluded.
  var end: Int64 { start + width * Int64(count) }

  /// The column of a moment; `nil` outside of the period.
  func index(of time: WallTime) -> Int? {
    guard time.microseconds >= start, time.microseconds < end else { return nil }
    return Int((time.microseconds - start) / width)
  }

  /// 0 at the start, 1 at the end, less or more outside.
  func position(of time: WallTime) -> Double { Double(time.microseconds - start) / Double(end - start) }

  func time(of index: Int) -> WallTime { WallTime(microseconds: start + width * Int64(index)) }

  /// How many columns make a round stretch of time, at most `most` of which cover the period.
  func factor(atMost most: Int) -> Int {
    let least = width * Int64((count + most - 1) / max(1, most))
    let wanted = Self.widths.first { $0 >= least && $0 % width == 0 } ?? least
    return Int(wanted / width)
  }

  /// The columns, with `factor` of them joined into one.
  func merged(by factor: Int) -> TimeColumns {
    TimeColumns(start: start, width: width * Int64(factor), count: (count + factor - 1) / factor)
  }

}
