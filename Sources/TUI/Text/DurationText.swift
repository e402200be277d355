/// Latencies as people read them: three significant digits and a unit.
enum DurationText {
  /// 840 µs, 3.52 ms, 35.2 ms, 812 ms, 1.20 s, 35.2 s, 1204 s.
  static func text(_ microseconds: Int64) -> String {
    let unit = unit(for: microseconds)
    return unit.text(microseconds, decimals: decimals(of: microseconds, in: unit))
  }

  /// An interval in one unit, that of its upper end: `[1.92, 2.61] s`.
  static func interval(_ low: Int64, _ high: Int64) -> String {
    let unit = unit(for: high)
    let decimals = decimals(of: high, in: unit)
    return
      "[\(unit.number(low, decimals: decimals)), \(unit.number(high, decimals: decimals))] \(unit.symbol)"
  }

  /// 999.6 ms would round to 1000 ms: it is written as seconds.
  private static func unit(for value: Int64) -> DurationUnit {
    switch value.magnitude {
    case 999_500..<1_000_000: .seconds
    default: DurationUnit(for: value)
    }
  }

  /// As many as make three digits after rounding.
  private static func decimals(of value: Int64, in unit: DurationUnit) -> Int {
    guard unit != .microseconds else { return 0 }
    switch value.magnitude * 1000 / UInt64(unit.microseconds) {
    case ..<9_995: return 2
    case ..<99_950: return 1
    default: return 0
    }
  }
}
