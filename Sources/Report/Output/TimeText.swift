import Measurement
import Store

/// Times of a run as text.
enum RunText {
  /// A time to the second, in UTC: `2026-03-01 12:00:00`.
  static func time(_ time: WallTime) -> String {
    let text = time.rfc3339
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
  }

  /// Length of the run, up to the last write where it has not ended: `62 min`, `10 s`.
  static func length(_ run: RunRecord) -> String {
    guard let end = run.endedAt ?? run.lastHeartbeat else { return "" }
    // From wall times, so a clock step shows.
    return LengthText.text(end - run.startedAt)
  }

  /// How it ended, or what its collector does: `stopped`, `recording`, `collector gone`; `open` in a fleet, which is not told
  /// of a collector's writing.
  static func end(_ run: RunRecord, at now: WallTime) -> String {
    isOpen(run) ? "open" : run.phase(at: now).word
  }

  /// When recording ended, or stopped; `not yet` while it goes on, and of an open run of a fleet.
  static func ended(_ run: RunRecord, at now: WallTime) -> String {
    (isOpen(run) ? nil : run.phase(at: now).stoppedAt)?.rfc3339 ?? "not yet"
  }

  private static func isOpen(_ run: RunRecord) -> Bool { run.endedAt == nil && run.lastHeartbeat == nil }
}
