/// Chooses the marks of an axis of latencies.
///
/// Linear axes step by 1, 2 or 5 × 10ⁿ. Logarithmic ones show decades, then 1-2-5 of each, then 1…9 of each as the
/// range shrinks, and go over to linear steps when it spans less than a decade. All labels of an axis have one
/// format: one unit and one number of decimals where steps are equal, whole numbers of the natural unit elsewhere.
public enum LatencyTicks {
  /// - Parameter most: number of labels that fit, at least 2.
  public static func make(for axis: LatencyAxis, most: Int) -> [LatencyTick] {
    let room = max(2, most)
    switch axis.kind {
    case .linear: return linear(axis, room)
    case .logarithmic: return logarithmic(axis, room)
    }
  }

  /// 1, 2 and 5 of each decade.
  public static func round(for axis: LatencyAxis) -> [LatencyTick] {
    named(multiples(of: [1, 2, 5], in: axis))
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
public struct LatencyTick: Sendable, Hashable {
  /// µs.
  public let value: Int64
  public let label: String
}

/// The format of an axis' labels.
struct LatencyTickFormat: Sendable, Hashable {
  private let unit: DurationUnit
  private let decimals: Int

  /// Chooses the unit of the largest label of equal steps, and as many decimals as the step needs in it.
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

  /// The text of 1…9 × 10ⁿ in the unit in which it is a whole number below 1 000.
  static func natural(_ value: Int64) -> String { DurationUnit(for: value).text(value, decimals: 0) }
}
