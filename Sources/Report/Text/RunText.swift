import Measurement
import Store

/// A run's dates as people read them.
enum RunText {
  /// To the second, UTC: `2026-03-01 12:00:00`.
  static func time(_ time: WallTime) -> String {
    let text = time.rfc3339
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
  }

  /// How long it took, or that it is open: `1h 02m`, `10s`.
  static func length(_ run: RunRecord) -> String {
    guard let end = run.endedAt ?? run.lastHeartbeat else { return "" }
    // Wall times, so a clock step shows here: good enough to recognize a run by.
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
