import Measurement

extension LatencyAxis {
  /// The next of 1, 2, 5 × 10ⁿ below a value; never below 1.
  static func niceBelow(_ value: Int64) -> Int64 { niceFloor(max(1, value - 1)) }

  /// The next of 1, 2, 5 × 10ⁿ above a value.
  static func niceAbove(_ value: Int64) -> Int64 { niceCeiling(min(value, .max / 20) + 1) }

  /// The smallest and the largest span, µs.
  private static let leastSpan: Int64 = 20
  private static let highest = Duration.days(1).microseconds

  /// The range between two positions on the axis; 0 is the lower edge, 1 the upper one.
  ///
  /// It is limited to 0 to one day, and to the smallest span.
  func range(from start: Double, to end: Double) -> LatencyRange {
    func bounded(_ value: Double) -> Int64 {
      Int64(min(max(value.isFinite ? value : 0, 0), Double(Self.highest)).rounded())
    }
    var lower = bounded(value(at: start))
    var upper = bounded(value(at: end))
    if kind == .linear, lower == 0, start < 0 {
      // At the lower limit it keeps its span.
      upper = max(upper, bounded(Double(self.upper - self.lower) * (end - start)))
    }
    if kind == .logarithmic { lower = max(1, lower) }
    if upper - lower < Self.leastSpan {
      lower = max(kind == .logarithmic ? 1 : 0, (lower + upper) / 2 - Self.leastSpan / 2)
      upper = lower + Self.leastSpan
    }
    return .fixed(lower: lower, upper: upper)
  }
}

/// How the range follows the data.
enum LatencyRange: Sendable, Hashable {
  /// All values in the window fit.
  case automatic
  /// The highest percent may exceed it and is marked at the edge, so that one spike does not flatten the rest.
  case capped
  /// A fixed range, µs.
  case fixed(lower: Int64, upper: Int64)
}
