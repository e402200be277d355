import Measurement

/// Times as people write them: RFC 3339, or relative to now.
public enum TimeText {
  /// Reads `2026-03-01T12:00:00Z`, `now`, or a duration back from now like `-1h`.
  public static func parse(_ text: String, now: WallTime) throws(ValueTextError) -> WallTime {
    if text == "now" { return now }
    if text.hasPrefix("-"), let back = try? DurationText.parse(String(text.dropFirst())) {
      return now.advanced(byMicroseconds: -back.microseconds)
    }
    guard let time = WallTime(rfc3339: text) else {
      throw ValueTextError(
        text, "is not a time", remedy: "write RFC 3339, like 2026-03-01T12:00:00Z, or how long ago, like -1h")
    }
    return time
  }
}
