import Measurement

/// Times as people write them: RFC 3339, a date, or relative to now.
public enum TimeText {
  /// Reads `2026-03-01T12:00:00Z`, `2026-03-01 12:00`, `2026-03-01` (its first instant), `now`, or a duration back from now
  /// like `-1h`. What names no zone is in UTC.
  public static func parse(_ text: String, now: WallTime) throws(ValueTextError) -> WallTime {
    if text == "now" { return now }
    if text.hasPrefix("-"), let back = try? DurationText.parse(String(text.dropFirst())) {
      return now.advanced(byMicroseconds: -back.microseconds)
    }
    // A time without seconds or zone becomes one with both; what is none stays none.
    let minutes = text.prefix(16)
    for candidate in [
      text, text + "Z", text + ":00Z", String(minutes) + ":00" + String(text.dropFirst(16)),
      text + "T00:00:00Z",
    ] {
      if let time = WallTime(rfc3339: candidate) { return time }
    }
    throw ValueTextError(
      text, "is not a time",
      remedy:
        "write RFC 3339 like 2026-03-01T12:00:00Z, a date like 2026-03-01 (UTC), or how long ago, like -1h")
  }
}
