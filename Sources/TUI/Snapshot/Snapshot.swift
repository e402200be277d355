import Measurement
import Store

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
  var totals: [StateCounts] = []
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

/// The run on display.
struct DisplayedRun: Sendable, Equatable {
  enum Phase: Sendable, Equatable {
    /// The collector writes.
    case live
    /// It has not been heard of since: it was killed, or its host is gone.
    case silent(since: WallTime)
    case ended(at: WallTime, reason: String)

    init(_ run: RunRecord, at now: WallTime) {
      let heard = run.lastHeartbeat ?? run.startedAt
      if let ended = run.endedAt {
        self = .ended(at: ended, reason: run.endReason?.rawValue ?? "")
      } else if now.microseconds - heard.microseconds > DisplayedRun.silence {
        self = .silent(since: heard)
      } else {
        self = .live
      }
    }
  }

  var id: RunID
  var name: String?
  var startedAt: WallTime
  var phase: Phase

  var isLive: Bool { phase == .live }

  /// A collector that has not written for this long is taken to be gone, µs.
  static let silence: Int64 = 5_000_000
}

extension DisplayedRun {
  init(_ run: RunRecord, at now: WallTime) {
    self.init(id: run.id, name: run.name, startedAt: run.startedAt, phase: Phase(run, at: now))
  }
}

/// A target of the run on display.
struct DisplayedTarget: Sendable, Equatable {
  var id: TargetID
  /// From the configuration; escaped at sinks.
  var name: String
  var provider: String
  /// Whether receipts are expected.
  var expectsReceipts: Bool
  /// Notifications a second, as asked for.
  var askedRate: Double
  /// µs after which a notification without a receipt is lost; `nil` when none is expected, or it is not known.
  var receiptDeadline: Int64?
}

extension DisplayedTarget {
  init(_ target: TargetRecord) {
    self.init(
      id: target.id, name: target.name, provider: target.provider,
      expectsReceipts: target.receiptDeadline != nil, askedRate: target.askedRate,
      receiptDeadline: target.receiptDeadline)
  }
}

/// A run in the list of runs.
struct RunEntry: Sendable, Equatable {
  var id: RunID
  /// Given by people; escaped at sinks.
  var name: String?
  var startedAt: WallTime
  var phase: DisplayedRun.Phase
  /// Names of its targets.
  var targets: [String]
  var counts: StateCounts

  /// µs from its beginning to its end, or to now.
  func length(at now: WallTime) -> Int64 {
    let end: WallTime =
      switch phase {
      case .live: now
      case .silent(let since): since
      case .ended(let at, _): at
      }
    return max(0, end.microseconds - startedAt.microseconds)
  }

  /// Its name, or the part of its number that tells it from others of the same minute.
  var title: String { name ?? String("\(id)".prefix(13)) }
}

extension RunEntry {
  init(_ run: RunRecord, at now: WallTime) {
    self.init(
      id: run.id, name: run.name, startedAt: run.startedAt, phase: DisplayedRun.Phase(run, at: now),
      targets: run.targetNames, counts: run.counts)
  }
}

/// Whether a collector is at work on the store.
struct CollectorStatus: Sendable, Equatable {
  var isRunning: Bool
  /// The run it records; `nil` while it is idle.
  var run: RunID?
  /// Whether it stays after a run, so that another one can be started.
  var staysAfterRun: Bool

  var isIdle: Bool { isRunning && run == nil }
}

/// How the store is found. Everything but `ready` has a screen of its own that says what to do.
enum StoreCondition: Sendable, Equatable {
  /// Being opened for the first time.
  case opening
  case ready
  /// The store is there but no run was ever recorded in it.
  case empty
  case missing
  /// It was shown, and was deleted or moved away since.
  case gone
  /// Something at its path that is no store: a directory, another kind of file.
  case notAStore(String)
  case corrupt(String)
  /// Written by a newer version.
  case newer(String)
  /// Somebody keeps it locked.
  case locked
  case unreadable(String)
  /// The run asked for is not in it.
  case noSuchRun(String)
  /// The target asked for is not in the run; the names of those that are.
  case noSuchTarget(String, available: [String])
}

extension StoreCondition {
  /// What a refused opening or a failed read means for the screen.
  init(_ error: any Error) {
    guard let error = error as? StoreError else {
      self = .unreadable("\(error)")
      return
    }
    switch error.code {
    case .missing: self = .missing
    case .isDirectory, .notADatabase, .notAStore: self = .notAStore(error.detail)
    case .newerSchema: self = .newer(error.detail)
    case .corrupt: self = .corrupt(error.detail)
    case .busy, .inUse: self = .locked
    case .permissionDenied, .readOnly, .diskFull, .ioFailure, .identifiersExhausted, .conflict, .unknownRun,
      .runInProgress, .noCollector, .nameTooLong, .reservedName, .closed, .severalNames, .replaced:
      self = .unreadable(error.detail)
    }
  }
}
