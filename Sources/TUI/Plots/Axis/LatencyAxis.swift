import Glibc

/// The axis of latencies: a range of microseconds and how it is spread over the height.
struct LatencyAxis: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case linear
    case logarithmic
  }

  let kind: Kind
  /// µs, the lower edge. At least 1 on a logarithmic axis, where a latency of 0 counts as 1.
  let lower: Int64
  /// µs, the upper edge, above `lower`.
  let upper: Int64

  init(kind: Kind, lower: Int64, upper: Int64) {
    self.kind = kind
    self.lower = kind == .logarithmic ? max(1, lower) : lower
    self.upper = max(self.lower + 1, upper)
  }

  /// Where a value lies: 0 at the lower edge, 1 at the upper one, beyond them outside.
  func position(of value: Int64) -> Double {
    switch kind {
    case .linear:
      Double(value - lower) / Double(upper - lower)
    case .logarithmic:
      log(Double(max(1, value)) / Double(lower)) / log(Double(upper) / Double(lower))
    }
  }

  /// The value at a position, not rounded: the inverse of `position(of:)`.
  func value(at position: Double) -> Double {
    switch kind {
    case .linear:
      Double(lower) + position * Double(upper - lower)
    case .logarithmic:
      Double(lower) * pow(Double(upper) / Double(lower), position)
    }
  }

  /// Which of `rows` equal rows a value falls into, 0 = the lowest; the upper edge belongs to the highest. `nil`
  /// outside the range.
  func row(of value: Int64, rows: Int) -> Int? {
    let value = kind == .logarithmic ? max(1, value) : value
    guard value >= lower, value <= upper, rows > 0 else { return nil }
    return min(rows - 1, max(0, Int((position(of: value) * Double(rows)).rounded(.down))))
  }
}
