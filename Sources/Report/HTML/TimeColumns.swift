import Measurement

/// Equal stretches of time over a period, which a chart has a column each for. They begin at whole multiples of their length
/// after 1970-01-01, so that rollups fall into one column as a whole.
struct TimeColumns: Sendable, Hashable {
  let start: WallTime
  let count: Int
  private let microseconds: Int64

  var width: Duration { .microseconds(microseconds) }

  private static let widths: [Duration] = {
    let fractions: [Duration] = [1, 2, 5, 10, 20, 50, 100, 200, 500].map { .milliseconds($0) }
    let seconds: [Duration] = [1, 2, 5, 10, 15, 30].map { .seconds($0) }
    let minutes: [Duration] = [1, 2, 5, 10, 15, 30].map { .minutes($0) }
    let hours: [Duration] = [1, 2, 3, 6, 12].map { .hours($0) }
    let days: [Duration] = [1, 2, 7, 14, 28, 56, 112, 364, 3640].map { .days($0) }
    return fractions + seconds + minutes + hours + days
  }()

  /// - Parameters:
  ///   - most: the largest number of columns.
  ///   - least: their shortest length.
  init(from start: WallTime, to end: WallTime, most: Int, least: Duration) {
    let length = max(1, (end - start).microseconds)
    let wanted = max(least, .microseconds(length / Int64(max(1, most - 1)) + 1))
    microseconds = (Self.widths.first { $0 >= wanted } ?? Self.widths[Self.widths.count - 1]).microseconds
    let first = start.microseconds.flooringDivision(by: microseconds)
    let last = (end.microseconds - 1).flooringDivision(by: microseconds)
    self.start = WallTime(microseconds: first * microseconds)
    count = Int(clamping: max(1, last - first + 1))
  }

  private init(start: WallTime, microseconds: Int64, count: Int) {
    (self.start, self.microseconds, self.count) = (start, microseconds, count)
  }

  /// The first moment after the last column.
  var end: WallTime { start + length }
  var length: Duration { width * count }

  /// The column of a moment; `nil` outside of the period.
  func index(of time: WallTime) -> Int? {
    let passed = time.microseconds.subtractingClamped(start.microseconds)
    guard passed >= 0, passed < microseconds * Int64(count) else { return nil }
    return Int(passed / microseconds)
  }

  /// 0 at the start, 1 at the end, less or more outside.
  func position(of time: WallTime) -> Double { (time - start) / length }

  /// How many columns make a round stretch of time, at most `most` of which cover the period.
  func factor(atMost most: Int) -> Int {
    let least = width * ((count + most - 1) / max(1, most))
    let wanted =
      Self.widths.first { $0 >= least && $0.microseconds.isMultiple(of: microseconds) } ?? least
    return Int(wanted.microseconds / microseconds)
  }

  /// The columns, with `factor` of them joined into one.
  func merged(by factor: Int) -> TimeColumns {
    TimeColumns(
      start: start, microseconds: microseconds * Int64(factor), count: (count + factor - 1) / factor)
  }
}
