/// Units that latencies are written in.
enum DurationUnit: Sendable, Hashable {
  case microseconds
  case milliseconds
  case seconds

  /// The largest unit of which the value is at least one; µs below.
  init(for value: Int64) {
    switch value.magnitude {
    case ..<1_000: self = .microseconds
    case ..<1_000_000: self = .milliseconds
    default: self = .seconds
    }
  }

  var microseconds: Int64 {
    switch self {
    case .microseconds: 1
    case .milliseconds: 1_000
    case .seconds: 1_000_000
    }
  }

  var symbol: String {
    switch self {
    case .microseconds: "µs"
    case .milliseconds: "ms"
    case .seconds: "s"
    }
  }

  /// `value` µs with a fixed number of decimals, rounded half away from zero, and the unit after a space.
  func text(_ value: Int64, decimals: Int) -> String { "\(number(value, decimals: decimals)) \(symbol)" }

  /// The same without the unit.
  func number(_ value: Int64, decimals: Int) -> String {
    FixedPoint.text(value, scale: microseconds, decimals: decimals)
  }
}
