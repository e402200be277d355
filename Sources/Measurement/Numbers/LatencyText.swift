/// Latencies as text: three significant digits and a unit.
public enum LatencyText {
  /// 840 µs, 3.52 ms, 35.2 ms, 812 ms, 1.20 s, 35.2 s, 1204 s.
  public static func text(_ microseconds: Int64) -> String {
    let (number, unit) = parts(microseconds)
    return "\(number) \(unit)"
  }

  /// A computed latency, rounded to whole µs; `unknown` where it is none.
  public static func rounded(_ microseconds: Double) -> String {
    microseconds.isFinite && abs(microseconds) < 1e15 ? text(Int64(microseconds.rounded())) : "unknown"
  }

  /// A difference with its sign: `+120 ms`.
  public static func signed(_ microseconds: Int64) -> String {
    (microseconds > 0 ? "+" : "") + text(microseconds)
  }

  /// The same as number and unit.
  public static func parts(_ microseconds: Int64) -> (number: String, unit: String) {
    let unit = unit(for: microseconds)
    return (unit.number(microseconds, decimals: decimals(of: microseconds, in: unit)), unit.symbol)
  }

  /// An interval in one unit and with as many decimals as its larger end has, whatever the signs: `1.92 to 2.61 s`,
  /// `-38.1 to 8.7 ms`.
  public static func interval(_ low: Int64, _ high: Int64) -> String {
    let larger = low.magnitude > high.magnitude ? low : high
    let unit = unit(for: larger)
    let decimals = decimals(of: larger, in: unit)
    return
      "\(unit.number(low, decimals: decimals)) to \(unit.number(high, decimals: decimals)) \(unit.symbol)"
  }

  /// 999.6 ms would round to 1000 ms, so it is written in seconds.
  private static func unit(for value: Int64) -> DurationUnit {
    switch value.magnitude {
    case 999_500..<1_000_000: .seconds
    default: DurationUnit(for: value)
    }
  }

  /// Decimals that make three digits after rounding.
  private static func decimals(of value: Int64, in unit: DurationUnit) -> Int {
    guard unit != .microseconds else { return 0 }
    // In thousandths of the unit, which is at least a millisecond.
    switch value.magnitude / UInt64(unit.microseconds / 1000) {
    case ..<9_995: return 2
    case ..<99_950: return 1
    default: return 0
    }
  }
}

/// Units of latencies.
public enum DurationUnit: Sendable, Hashable {
  case microseconds
  case milliseconds
  case seconds

  /// The largest unit that is not greater than the value; µs below.
  public init(for value: Int64) {
    switch value.magnitude {
    case ..<1_000: self = .microseconds
    case ..<1_000_000: self = .milliseconds
    default: self = .seconds
    }
  }

  public var microseconds: Int64 {
    switch self {
    case .microseconds: 1
    case .milliseconds: 1_000
    case .seconds: 1_000_000
    }
  }

  public var symbol: String {
    switch self {
    case .microseconds: "µs"
    case .milliseconds: "ms"
    case .seconds: "s"
    }
  }

  /// `value` µs with a fixed number of decimals, rounded half away from zero, and the unit after a space.
  public func text(_ value: Int64, decimals: Int) -> String {
    "\(number(value, decimals: decimals)) \(symbol)"
  }

  /// The same without the unit.
  public func number(_ value: Int64, decimals: Int) -> String {
    FixedPoint.text(value, scale: microseconds, decimals: decimals)
  }
}
