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
  /// In one or two units: `75 s`, `20 min`, `3 h 5 min`, `2 days 4 h`.
  ///
  /// - Parameter microseconds: none is negative; less than a second is given in ms.
  static func text(_ microseconds: Int64) -> String {
    let seconds = max(0, microseconds) / 1_000_000
    switch seconds {
    case 0 where microseconds > 0: return "\(max(1, microseconds / 1_000)) ms"
    case ..<120: return "\(seconds) s"
    case ..<7_200: return "\(seconds / 60) min"
    case ..<172_800:
      let minutes = seconds / 60 % 60
      return minutes == 0 ? "\(seconds / 3_600) h" : "\(seconds / 3_600) h \(minutes) min"
    default:
      let hours = seconds / 3_600 % 24
      let days = CountText.text(Int(seconds / 86_400), "day")
      return hours == 0 ? days : "\(days) \(hours) h"
    }
  }
}
