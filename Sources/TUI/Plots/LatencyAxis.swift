import Glibc

/// A latency axis: a range of µs and its scale over the height.
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

  /// Position of a value: 0 at the lower edge, 1 at the upper one, less or more outside.
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

  /// The one of `rows` equal rows that has a value, 0 = the lowest; the upper edge belongs to the highest. `nil`
  /// outside the range.
  func row(of value: Int64, rows: Int) -> Int? {
    let value = kind == .logarithmic ? max(1, value) : value
    guard value >= lower, value <= upper, rows > 0 else { return nil }
    return min(rows - 1, max(0, Int((position(of: value) * Double(rows)).rounded(.down))))
  }
}

extension LatencyAxis {
  /// A stable range around values from `smallest` to `largest` µs: the edges are 1, 2 or 5 times a power of ten, so
  /// that they change rarely and in whole steps. Without values it is 1 ms to 1 s.
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
      // Less than half a decade does not show a distribution.
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

  /// The smallest and the largest span, µs.
  private static let leastSpan: Int64 = 20
  private static let highest: Int64 = 86_400_000_000

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

/// Chooses the marks of an axis of latencies.
///
/// Linear axes step by 1, 2 or 5 × 10ⁿ. Logarithmic ones show decades, then 1-2-5 of each, then 1…9 of each as the
/// range shrinks, and go over to linear steps when it spans less than a decade. All labels of an axis have one
/// format: one unit and one number of decimals where steps are equal, whole numbers of the natural unit elsewhere.
enum LatencyTicks {
  /// - Parameter most: as many labels as there is room for, at least 2.
  static func make(for axis: LatencyAxis, most: Int) -> [LatencyTick] {
    let room = max(2, most)
    switch axis.kind {
    case .linear: return linear(axis, room)
    case .logarithmic: return logarithmic(axis, room)
    }
  }

  private static func linear(_ axis: LatencyAxis, _ room: Int) -> [LatencyTick] {
    let span = axis.upper - axis.lower
    var step = LatencyAxis.niceStep(atLeast: Double(span) / Double(room))
    while span / step + 1 > room { step = LatencyAxis.niceCeiling(step + 1) }
    let format = LatencyTickFormat(step: step, largest: axis.upper)
    let first = (axis.lower + step - 1) / step * step
    return stride(from: first, through: axis.upper, by: Int64.Stride(step)).map {
      LatencyTick(value: $0, label: format.text($0))
    }
  }

  private static func logarithmic(_ axis: LatencyAxis, _ room: Int) -> [LatencyTick] {
    if axis.upper / 10 < axis.lower { return linear(axis, room) }
    for factors: [Int64] in [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5]] {
      let values = multiples(of: factors, in: axis)
      if values.count <= room { return named(values) }
    }
    let decades = multiples(of: [1], in: axis)
    // Fewer than one per row: every second, third, … decade.
    let stride = max(1, (decades.count + room - 1) / room)
    return named(decades.enumerated().filter { $0.offset % stride == 0 }.map(\.element))
  }

  private static func multiples(of factors: [Int64], in axis: LatencyAxis) -> [Int64] {
    var values: [Int64] = []
    var decade: Int64 = 1
    while true {
      for factor in factors {
        let (value, overflow) = decade.multipliedReportingOverflow(by: factor)
        if overflow || value > axis.upper { return values }
        if value >= axis.lower { values.append(value) }
      }
      let (next, overflow) = decade.multipliedReportingOverflow(by: 10)
      if overflow { return values }
      decade = next
    }
  }

  private static func named(_ values: [Int64]) -> [LatencyTick] {
    values.map { LatencyTick(value: $0, label: LatencyTickFormat.natural($0)) }
  }
}

/// A mark on the axis of latencies.
struct LatencyTick: Sendable, Hashable {
  /// µs.
  let value: Int64
  let label: String
}

/// How the labels of one axis are written.
struct LatencyTickFormat: Sendable, Hashable {
  private let unit: DurationUnit
  private let decimals: Int

  /// For equal steps: the unit of the largest label, and as many decimals as the step needs in it.
  init(step: Int64, largest: Int64) {
    unit = DurationUnit(for: largest)
    var decimals = 0
    var whole = unit.microseconds
    while whole > 1 && step % whole != 0 {
      whole /= 10
      decimals += 1
    }
    self.decimals = decimals
  }

  func text(_ value: Int64) -> String { unit.text(value, decimals: decimals) }

  /// For 1…9 × 10ⁿ: the unit in which it is a whole number below 1 000.
  static func natural(_ value: Int64) -> String { DurationUnit(for: value).text(value, decimals: 0) }
}
