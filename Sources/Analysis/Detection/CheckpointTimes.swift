import Measurement

/// When checkpoints of the detectors were made and when their progress was last recorded, of planned time.
/// Checkpoints of the last day are hourly, older ones daily, none is older than ``DetectionSettings/memory``.
struct CheckpointTimes: Sendable {
  private struct Times {
    /// Times of stored checkpoints, ascending.
    var stored: [WallTime] = []
    var last: WallTime?
    var recordedAt = WallTime.distantPast
  }

  private var times: [WatchedTarget: Times] = [:]
  private let interval: Duration
  private let memory: Duration
  /// How often progress is recorded between checkpoints.
  private static let recordInterval = Duration.seconds(15)

  init(_ settings: DetectionSettings) {
    interval = settings.checkpointInterval
    memory = settings.memory
  }

  /// Adopts the times that the store has.
  mutating func restore(_ stored: [WallTime], of watched: WatchedTarget) {
    times[watched, default: Times()].stored = stored
  }

  /// Those after an instant do not hold any more: rows under them changed.
  mutating func remove(after time: WallTime, of watched: WatchedTarget) {
    var own = times[watched] ?? Times()
    own.stored.removeAll { $0 > time }
    own.last = own.stored.last
    // The clock was set back: what was recorded is to come.
    if own.recordedAt > time { own.recordedAt = .distantPast }
    times[watched] = own
  }

  /// Whether a checkpoint is to be made: the first one, and one in each interval.
  func isDue(_ watched: WatchedTarget, at through: WallTime) -> Bool {
    guard let last = times[watched]?.last else { return true }
    return through.floored(to: interval) != last.floored(to: interval)
  }

  /// Whether progress is to be recorded.
  func isRecordDue(_ watched: WatchedTarget, at through: WallTime) -> Bool {
    through - (times[watched]?.recordedAt ?? .distantPast) >= Self.recordInterval
  }

  mutating func recordProgress(_ watched: WatchedTarget, at through: WallTime) {
    times[watched, default: Times()].recordedAt = through
  }

  /// A checkpoint was made.
  /// - Returns: those that are superfluous now.
  mutating func add(_ time: WallTime, of watched: WatchedTarget) -> [WallTime] {
    let all = (times[watched]?.stored ?? []) + [time]
    let day = interval * 24
    var kept: [WallTime] = []
    for moment in all.reversed() {
      let isRecent = time - moment < day
      let isOfAnotherDay = kept.last.map { $0.floored(to: day) != moment.floored(to: day) } ?? true
      if time - moment <= memory, isRecent || isOfAnotherDay { kept.append(moment) }
    }
    times[watched, default: Times()].stored = kept.reversed()
    times[watched]?.last = time
    return Set(all).subtracting(kept).sorted()
  }
}
