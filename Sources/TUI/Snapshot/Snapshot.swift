import Measurement

/// Everything the dashboard shows, as it was at one instant: read on the reader's thread, handed over whole, never
/// changed afterwards.
struct Snapshot: Sendable {
  /// Grows with each snapshot that differs from the one before.
  var number: UInt64 = 0
  var condition = StoreCondition.opening
  var run: RunFacts?
  /// In the run's order.
  var targets: [TargetFacts] = []
  /// One for each target, in the same order: the newest notifications, or those around the window asked for.
  var tracks: [PointTrack] = []
  /// What lies before the notifications of `tracks`, summed up; `nil` where these are all there are.
  var density: Density?
  /// Of the whole run, by target in the same order.
  var totals: [Tally] = []
  /// When the snapshot was taken.
  var now = WallTime(microseconds: 0)
  /// The same on the monotonic clock of the run's boot, µs; `nil` when the run belongs to another boot.
  var monotonicNow: Int64?
  /// The newest events, oldest first.
  var events: [ListEntry<Event>] = []
  /// The newest log lines, oldest first.
  var log: [ListEntry<LogLine>] = []
  /// All runs, the newest first; read only while they are on the screen.
  var runs: [RunEntry] = []
  /// The run that is being recorded when it is not the one on display.
  var recording: RunFacts?
  /// Who writes to the store; `nil` when that is not known.
  var collector: CollectorFacts?
  /// What was asked for when it was read.
  var request: ReadRequest?
  /// Notifications of the window asked for are not all here, because they are too many.
  var isTruncated = false

  /// Where the newest notification can be: now while the collector writes, the end of the recording afterwards.
  var edge: WallTime {
    switch run?.phase {
    case .live: now
    case .silent(let since): max(since, newestPlanned ?? since)
    case .ended(let at, _): max(at, newestPlanned ?? at)
    case nil: now
    }
  }

  private var newestPlanned: WallTime? {
    var newest: Int64?
    for track in tracks {
      // Plans of a committed block may lie ahead and never come true.
      var index = track.count - 1
      while index >= 0, track[index].state == .planned { index -= 1 }
      if index >= 0 { newest = max(newest ?? .min, track[index].plannedAt) }
    }
    return newest.map(WallTime.init(microseconds:))
  }
}
