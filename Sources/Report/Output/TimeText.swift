import Measurement
import Store

/// Times of a run as text.
enum RunText {
  /// To the second, UTC: `2026-03-01 12:00:00`.
  static func time(_ time: WallTime) -> String {
    let text = time.rfc3339
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
  }

  /// Length of the run, or that it is open: `1h 02m`, `10s`.
  static func length(_ run: RunRecord) -> String {
    guard let end = run.endedAt ?? run.lastHeartbeat else { return "" }
    // From wall times, so a clock step shows.
    let seconds = max(0, (end.microseconds - run.startedAt.microseconds) / 1_000_000)
    switch seconds {
    case ..<60: return "\(seconds)s"
    case ..<3600: return "\(seconds / 60)m \(padded(seconds % 60))s"
    default: return "\(seconds / 3600)h \(padded(seconds / 60 % 60))m"
    }
  }

  static func end(_ run: RunRecord) -> String { run.endReason?.rawValue ?? "open" }

  private static func padded(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

/// Stretches of time as people say them.
enum LengthText {
  /// Rounded, in one or two units: `75 s`, `2 min 30 s`, `20 min`, `3 h 5 min`, `2 days 4 h`.
  ///
  /// - Parameter microseconds: none is negative; less than a second is given in ms.
  static func text(_ microseconds: Int64) -> String {
    let length = max(0, microseconds)
    func rounded(to unit: Int64) -> Int64 { length / unit + (length % unit >= unit / 2 ? 1 : 0) }
    let (milliseconds, seconds) = (rounded(to: 1_000), rounded(to: 1_000_000))
    if length > 0, milliseconds < 1_000 { return "\(max(1, milliseconds)) ms" }
    if seconds < 120 { return "\(seconds) s" }
    if seconds < 600 { return text("\(seconds / 60) min", seconds % 60, "s") }
    let minutes = rounded(to: 60_000_000)
    if minutes < 120 { return "\(minutes) min" }
    if minutes < 2_880 { return text("\(minutes / 60) h", minutes % 60, "min") }
    let hours = rounded(to: 3_600_000_000)
    return text(CountText.text(Int(hours / 24), "day"), hours % 24, "h")
  }

  /// The larger unit, and the smaller one where there is any of it.
  private static func text(_ whole: String, _ rest: Int64, _ unit: String) -> String {
    rest == 0 ? whole : "\(whole) \(rest) \(unit)"
  }
}
