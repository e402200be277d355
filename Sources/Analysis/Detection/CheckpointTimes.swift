import Measurement

/// When checkpoints of the detectors were made and when their progress was last noted, of planned time, µs since 1970.
/// Checkpoints of the last day are hourly, older ones daily, none is older than ``DetectionSettings/memory``.
struct CheckpointTimes: Sendable {
  private struct Times {
    /// Times of stored checkpoints, ascending.
    var stored: [Int64] = []
    var last: Int64?
    var noted = Int64.min
  }

  private var times: [WatchedTarget: Times] = [:]
  private let interval: Int64
  private let memory: Int64
  /// How often progress is noted between checkpoints.
  private static let noteInterval: Int64 = 15_000_000

  init(_ settings: DetectionSettings) {
    interval = settings.checkpointInterval
    memory = settings.memory
  }

  /// Takes those that the store has.
  mutating func restore(_ stored: [Int64], of watched: WatchedTarget) {
    times[watched, default: Times()].stored = stored
  }

  /// Those after an instant do not hold any more: rows under them changed.
  mutating func remove(after time: Int64, of watched: WatchedTarget) {
    var own = times[watched] ?? Times()
    own.stored.removeAll { $0 > time }
    own.last = own.stored.last
    // The clock was set back: what was noted is to come.
    if own.noted > time { own.noted = .min }
    times[watched] = own
  }

  /// Whether a checkpoint is to be made: the first one, and one in each interval.
  func isDue(_ watched: WatchedTarget, at through: Int64) -> Bool {
    guard let last = times[watched]?.last else { return true }
    return through / interval != last / interval
  }

  /// Whether progress is to be noted.
  func isNoteDue(_ watched: WatchedTarget, at through: Int64) -> Bool {
    let noted = times[watched]?.noted ?? .min
    return noted == .min || through - noted >= Self.noteInterval
  }

  mutating func note(_ watched: WatchedTarget, at through: Int64) {
    times[watched, default: Times()].noted = through
  }

  /// A checkpoint was made.
  /// - Returns: those that are superfluous now.
  mutating func add(_ time: Int64, of watched: WatchedTarget) -> [Int64] {
    let all = (times[watched]?.stored ?? []) + [time]
    let day = 24 * interval
    var kept: [Int64] = []
    for moment in all.reversed() {
      let isRecent = time - moment < day
      let isOfAnotherDay = kept.last.map { $0 / day != moment / day } ?? true
      if time - moment <= memory, isRecent || isOfAnotherDay { kept.append(moment) }
    }
    times[watched, default: Times()].stored = kept.reversed()
    times[watched]?.last = time
    return Set(all).subtracting(kept).sorted()
  }
}
