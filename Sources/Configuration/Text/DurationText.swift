/// Durations as people write them: a number and a unit, `250ms`, `1.5s`, `10m`, `7d`.
public enum DurationText {
  static let remedy = "write a number and a unit (us, ms, s, m, h, d), like 250ms, 30s, 10m, 7d"

  /// Reads a duration; no sign, no exponent, at most 100 000 days, cut to nanoseconds.
  public static func parse(_ text: String) throws(ValueTextError) -> Duration {
    guard let (number, unit) = DecimalText.split(text), let scale = nanoseconds(of: unit) else {
      throw ValueTextError(text, "is not a duration", remedy: remedy)
    }
    let nanoseconds = number * scale
    guard nanoseconds <= 100_000 * 86_400e9 else {
      throw ValueTextError(text, "is too long a duration", remedy: "the longest is 100000d")
    }
    return .nanoseconds(Int64(nanoseconds.rounded()))
  }

  /// The shortest of our own forms that says exactly as much, like `1500ms` or `2h`.
  public static func format(_ duration: Duration) -> String {
    let nanoseconds =
      duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
    guard nanoseconds != 0 else { return "0s" }
    let units: [(String, Int64)] = [
      ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
      ("ms", 1_000_000), ("us", 1000),
    ]
    for (unit, scale) in units where nanoseconds % scale == 0 { return "\(nanoseconds / scale)\(unit)" }
    return "\(nanoseconds)ns"
  }

  static func nanoseconds(of unit: Substring) -> Double? {
    switch unit {
    case "ns": 1
    case "us", "µs", "μs": 1e3
    case "ms": 1e6
    case "s": 1e9
    case "m", "min": 60e9
    case "h": 3600e9
    case "d": 86_400e9
    default: nil
    }
  }
}
