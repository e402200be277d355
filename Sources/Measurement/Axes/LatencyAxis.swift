import Glibc

/// A latency axis: a range of µs and its scale over the height.
public struct LatencyAxis: Sendable, Hashable {
  /// The scale of the axis.
  public enum Kind: Sendable, Hashable {
    case linear
    case logarithmic
  }

  public let kind: Kind
  /// µs, the lower edge. At least 1 on a logarithmic axis, where a latency of 0 counts as 1.
  public let lower: Int64
  /// µs, the upper edge, above `lower`.
  public let upper: Int64

  public init(kind: Kind, lower: Int64, upper: Int64) {
    self.kind = kind
    self.lower = kind == .logarithmic ? max(1, lower) : lower
    self.upper = max(self.lower + 1, upper)
  }

  /// Position of a value: 0 at the lower edge, 1 at the upper one, less or more outside.
  public func position(of value: Int64) -> Double {
    switch kind {
    case .linear:
      Double(value - lower) / Double(upper - lower)
    case .logarithmic:
      log(Double(max(1, value)) / Double(lower)) / log(Double(upper) / Double(lower))
    }
  }

  /// The value at a position, not rounded: the inverse of `position(of:)`.
  public func value(at position: Double) -> Double {
    switch kind {
    case .linear:
      Double(lower) + position * Double(upper - lower)
    case .logarithmic:
      Double(lower) * pow(Double(upper) / Double(lower), position)
    }
  }

  /// The row of a value among `rows` equal rows, 0 = the lowest; the upper edge belongs to the highest. `nil`
  /// outside the range.
  public func row(of value: Int64, rows: Int) -> Int? {
    let value = kind == .logarithmic ? max(1, value) : value
    guard value >= lower, value <= upper, rows > 0 else { return nil }
    return min(rows - 1, max(0, Int((position(of: value) * Double(rows)).rounded(.down))))
  }
}

extension LatencyAxis {
  /// A stable range around values from `smallest` to `largest` µs: the edges are 1, 2 or 5 times a power of ten, so
  /// that they change rarely and in whole steps. Without values it is 1 ms to 1 s.
  public static func fitting(kind: Kind, smallest: Int64?, largest: Int64?) -> LatencyAxis {
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
      // Less than half a decade does not show a distribution.
      while upper < lower * 5 { upper = niceCeiling(upper + 1) }
      return LatencyAxis(kind: .logarithmic, lower: lower, upper: upper)
    }
  }

  /// The largest of 1, 2, 5 × 10ⁿ that is not above `value` (at least 1).
  public static func niceFloor(_ value: Int64) -> Int64 {
    var decade: Int64 = 1
    while decade <= value / 10 { decade *= 10 }
    for factor: Int64 in [5, 2] where decade * factor <= value { return decade * factor }
    return decade
  }

  /// The smallest of 1, 2, 5 × 10ⁿ that is not below `value` (at least 1).
  public static func niceCeiling(_ value: Int64) -> Int64 {
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
  public static func niceStep(atLeast span: Double) -> Int64 {
    niceCeiling(max(1, Int64(min(span, 9e17).rounded(.up))))
  }
}
