import Measurement
import Store

/// Times of a run as text.
enum RunText {
  /// A time to the second, in UTC: `2026-03-01 12:00:00`.
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
