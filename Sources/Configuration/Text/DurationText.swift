/// Durations as people write them: a number and a unit, `250ms`, `1.5s`, `10m`, `7d`, `2w`, or several of them from the
/// largest unit to the smallest, `1m30s`.
public enum DurationText {
  static let remedy = "write a number and a unit (us, ms, s, m, h, d, w), like 250ms, 30s, 1m30s, 7d"

  /// Reads a duration; no sign, no exponent, at most 100 000 days, cut to nanoseconds.
  public static func parse(_ text: String) throws(ValueTextError) -> Duration {
    var rest = Substring(text)
    var nanoseconds = 0.0
    var smallest = Double.infinity
    repeat {
      guard let (number, tail) = DecimalText.split(String(rest)) else {
        throw ValueTextError(text, "is not a duration", remedy: remedy)
      }
      let unit = tail.prefix { !$0.isNumber && $0 != "." }
      guard let scale = self.nanoseconds(of: unit), scale < smallest else {
        throw ValueTextError(text, "is not a duration", remedy: remedy)
      }
      nanoseconds += number * scale
      smallest = scale
      rest = tail.dropFirst(unit.count)
    } while !rest.isEmpty
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
    case "w": 7 * 86_400e9
    default: nil
    }
  }
}
