extension LatencyAxis {
  /// A calm range around values from `smallest` to `largest` µs: the edges are 1, 2 or 5 times a power of ten, so
  /// that they move seldom and by whole steps. With nothing to show it is 1 ms to 1 s.
  static func fitting(kind: Kind, smallest: Int64?, largest: Int64?) -> LatencyAxis {
    guard let smallest, let largest, smallest <= largest else {
      return LatencyAxis(kind: kind, lower: kind == .linear ? 0 : 1_000, upper: 1_000_000)
    }
    switch kind {
    case .linear:
      let step = niceStep(atLeast: Double(max(largest, 10)) * 1.05 / 10)
      let steps = (Double(max(largest, 10)) * 1.05 / Double(step)).rounded(.up)
      return LatencyAxis(kind: .linear, lower: 0, upper: Int64(steps) * step)
    case .logarithmic:
      let lower = niceFloor(max(1, smallest))
      var upper = niceCeiling(max(1, largest))
      // Less than half a decade says nothing about a distribution.
      while upper < lower * 5 { upper = niceCeiling(upper + 1) }
      return LatencyAxis(kind: .logarithmic, lower: lower, upper: upper)
    }
  }

  /// The largest of 1, 2, 5 × 10ⁿ that is not above `value` (at least 1).
  static func niceFloor(_ value: Int64) -> Int64 {
    var decade: Int64 = 1
    while decade <= value / 10 { decade *= 10 }
    for factor: Int64 in [5, 2] where decade * factor <= value { return decade * factor }
    return decade
  }

  /// The smallest of 1, 2, 5 × 10ⁿ that is not below `value` (at least 1).
  static func niceCeiling(_ value: Int64) -> Int64 {
    let floor = niceFloor(value)
    if floor >= value { return floor }
    var decade: Int64 = 1
    while decade <= floor / 10 { decade *= 10 }
    switch floor / decade {
    case 1: return decade * 2
    case 2: return decade * 5
    default: return decade * 10
    }
  }

  /// The smallest of 1, 2, 5 × 10ⁿ µs that is not below a fraction of microseconds; never below 1.
  static func niceStep(atLeast span: Double) -> Int64 {
    niceCeiling(max(1, Int64(min(span, 9e17).rounded(.up))))
  }
}

extension LatencyAxis {
  /// The next of 1, 2, 5 × 10ⁿ below a value; never below 1.
  static func niceBelow(_ value: Int64) -> Int64 { niceFloor(max(1, value - 1)) }

  /// The next of 1, 2, 5 × 10ⁿ above a value.
  static func niceAbove(_ value: Int64) -> Int64 { niceCeiling(min(value, .max / 20) + 1) }

  /// The smallest and the largest span worth looking at, µs.
  private static let leastSpan: Int64 = 20
  private static let highest: Int64 = 86_400_000_000

  /// What lies between two places on the axis, as a range of its own; 0 is the lower edge, 1 the upper one.
  ///
  /// It stays above nothing and below a day, and never shrinks to less than there is to see.
  func range(from start: Double, to end: Double) -> LatencyRange {
    func bounded(_ value: Double) -> Int64 {
      Int64(min(max(value.isFinite ? value : 0, 0), Double(Self.highest)).rounded())
    }
    var lower = bounded(value(at: start))
    var upper = bounded(value(at: end))
    if kind == .linear, lower == 0, start < 0 {
      // Pushed against the floor it keeps its height.
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
