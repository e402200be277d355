import Measurement

/// Everything the dashboard shows, as it was at one instant: read on the reader's thread, handed over whole, never
/// changed afterwards.
struct Snapshot: Sendable {
  /// Grows with each snapshot that differs from the one before.
  var number: UInt64 = 0
  var condition = StoreCondition.opening
  /// How often another file has taken the store's place.
  var replacements = 0
  var run: DisplayedRun?
  /// In the run's order.
  var targets: [DisplayedTarget] = []
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
  /// The events that are to be listed.
  var eventList = RecordList<Event>()
  /// The log lines that are to be listed.
  var logList = RecordList<LogLine>()
  /// The run's marks on the axis of time.
  var axisMarks = AxisMarks()
  /// All runs, the newest first; read only while they are on the screen.
  var runs: [RunEntry] = []
  /// The run that is being recorded when it is not the one on display.
  var recording: DisplayedRun?
  /// Who writes to the store; `nil` when that is not known.
  var collector: CollectorStatus?
  /// What was asked for when it was read.
  var request: ReadRequest?
  /// Planned time of which everything was read that there is room for. Nothing can be said about any other.
  var covered = ReadStretch()
  /// Notifications of the window asked for are not all here, because they are too many.
  var isTruncated = false

  /// The events at hand, oldest first. Whoever sets them has no others.
  var events: [ListEntry<Event>] {
    get { eventList.entries }
    set {
      eventList = RecordList(newValue)
      axisMarks = AxisMarks(newest: eventList)
    }
  }

  /// The log lines at hand, oldest first. Whoever sets them has no others.
  var log: [ListEntry<LogLine>] {
    get { logList.entries }
    set { logList = RecordList(newValue) }
  }

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

/// A stretch of planned time of which everything was read.
struct ReadStretch: Sendable, Equatable {
  var from = WallTime(microseconds: .min)
  /// `nil` for all there is.
  var to: WallTime?

  func includes(from start: WallTime, to end: WallTime) -> Bool {
    from <= start && to.map { end <= $0 } ?? true
  }
}
