import Measurement
import Store

/// What a reader has read for the dashboard: one value from the store to the screen.
struct DashboardContent: Sendable, Equatable {
  var condition = StoreCondition.opening
  /// Why nothing new can be read at the moment; what was read before stays on display.
  var interruption: Interruption?
  /// How often another store has taken the place of the one that was shown.
  var replacements = 0
  /// The targets of the run that are on display, in its order.
  var targets: [DisplayedTarget] = []
  /// Counts of the whole run, by target in the same order.
  var totals: [StateCounts] = []
  /// The newest notifications, or those of the requested window, by target in the same order.
  var tracks: [PointTrack] = []
  /// The values of the key that plots are colored by; `nil` without one, and until the points of `tracks` have their numbers.
  var values: PointValues?
  /// Sums of what was planned before the notifications of `tracks`; `nil` when there is nothing.
  var density: Density?
  /// Planned time of which everything was read, up to the capacity. Nothing is known about other times.
  var covered = ReadStretch()
  /// Whether the requested window, or the one before it, has more notifications than the capacity.
  var isTruncated = false
  /// The page of events for the list.
  var eventList = RecordList<Event>()
  /// The page of log lines for the list.
  var logList = RecordList<LogLine>()
  /// The run's marks on the time axis.
  var axisMarks = AxisMarks()
  /// All runs, the newest first; read only while they are shown.
  var runs: [RunEntry] = []
  /// The run that is being recorded when it is not the one on display.
  var recording: DisplayedRun?
  /// The collector of the store; `nil` when not known.
  var collector: CollectorStatus?
  /// Rows that are not forwarded to the fleet, while its forwarding stands still.
  var unforwarded = 0
  /// Why the collector deletes less than retention asks for.
  var retentionWait: RetentionWait?
  /// The parts of the collector that are switched off.
  var failedParts: [FailedPart] = []
  /// Why a handshake with the receipt listener failed last; read while a target is silent.
  var handshakeFailure: HandshakeFailure?
  /// What the collector's objectives say.
  var objectives = ObjectiveSummary()
  /// What was read for the panels.
  var panels = PanelContent()
  /// The request that the last successful read answered.
  var request: ReadRequest?
}

/// What a ``Snapshot`` has.
struct SnapshotContent: Sendable {
  /// Increases with each snapshot that differs from the one before.
  var number: UInt64 = 0
  var read = DashboardContent()
  var run: DisplayedRun?
  /// What was sent in the last seconds, by target in the run's order.
  var rates: [RateHistory] = []
  /// When the snapshot was taken.
  var now = WallTime(microseconds: 0)
  /// The same instant on the monotonic clock; `nil` when the run belongs to another boot.
  var monotonicNow: MonotonicTime?
}

/// Everything the dashboard shows, as of one instant. It is read on the reader's thread.
///
/// Each frame hands it from place to place: a copy costs one reference, and only a change of a copy makes a second content.
@dynamicMemberLookup
struct Snapshot: Sendable {
  private final class Storage: @unchecked Sendable {  // changed only by a snapshot that is alone in having it
    var content: SnapshotContent

    init(_ content: SnapshotContent) { self.content = content }
  }

  private var storage = Storage(SnapshotContent())

  subscript<Value>(dynamicMember member: WritableKeyPath<SnapshotContent, Value>) -> Value {
    @inline(__always)
    _read { yield storage.content[keyPath: member] }
    @inline(__always)
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.content) }
      yield &storage.content[keyPath: member]
    }
  }

  subscript<Value>(dynamicMember member: WritableKeyPath<DashboardContent, Value>) -> Value {
    @inline(__always)
    _read { yield storage.content.read[keyPath: member] }
    @inline(__always)
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.content) }
      yield &storage.content.read[keyPath: member]
    }
  }
}

extension Snapshot {
  /// Whether older notifications of some targets in a window that begins then are not in memory, because of the capacity.
  func lacksOldest(of targets: [Int], from start: WallTime) -> Bool {
    self.isTruncated
      && targets.filter(self.tracks.indices.contains).contains { target in
        let track = self.tracks[target]
        return track.firstSequence > 1 && !track.isEmpty && track[0].plannedAt > start.microseconds
      }
  }

  /// How long collectors have been silent, of the run on display and of the listed ones, as it is said.
  func silences(at now: WallTime) -> [Age] {
    let phases = (self.run.map { [$0.phase] } ?? []) + self.runs.map(\.phase)
    return phases.compactMap { phase -> Age? in
      if case .silent(let since) = phase { Age(since: since, now: now) } else { nil }
    }
  }

  /// The events in memory, oldest first. Setting them makes them all events of the run.
  var events: [ListEntry<Event>] {
    get { self.eventList.entries }
    set {
      self.eventList = RecordList(newValue)
      self.axisMarks = AxisMarks(newest: self.eventList)
    }
  }

  /// The log lines in memory, oldest first. Setting them makes them all lines of the run.
  var log: [ListEntry<LogLine>] {
    get { self.logList.entries }
    set { self.logList = RecordList(newValue) }
  }

  /// Time of the newest possible notification: now while the collector writes, afterwards the end of the run.
  var edge: WallTime {
    switch self.run?.phase {
    case .live: self.now
    case .silent(let since): max(since, newestPlanned ?? since)
    case .ended(let at, _): max(at, newestPlanned ?? at)
    case nil: self.now
    }
  }

  /// Time until which notifications were sent: now while the collector writes, afterwards the newest notification, since an
  /// ended run has waited for the last receipts.
  var sendingEdge: WallTime {
    if case .ended = self.run?.phase { newestPlanned ?? edge } else { edge }
  }

  /// A window, and where it reaches beyond an end of the run the whole second of that end: the same for all windows that show all
  /// of the run.
  func recorded(_ window: Range<WallTime>) -> Range<WallTime> {
    // After a clock was set back, what was sent before lies ahead.
    let edge = max(edge, newestPlanned ?? edge)
    guard let start = self.run?.startedAt, window.lowerBound < edge, window.upperBound > start else {
      return window
    }
    let first = window.lowerBound > start ? window.lowerBound : start.floored(to: .seconds(1))
    let last = window.upperBound <= edge ? window.upperBound : edge.floored(to: .seconds(1)) + .seconds(1)
    return first..<last
  }

  private var newestPlanned: WallTime? {
    var newest: WallTime?
    for track in self.tracks {
      // Plans of a committed block may lie ahead and never be sent.
      var index = track.count - 1
      while index >= 0, track[index].state == .planned { index -= 1 }
      if index >= 0 { newest = max(newest ?? .distantPast, WallTime(microseconds: track[index].plannedAt)) }
    }
    return newest
  }
}

/// A range of planned time of which everything was read.
struct ReadStretch: Sendable, Equatable {
  var from = WallTime.distantPast
  /// `nil` for all there is.
  var to: WallTime?

  func includes(from start: WallTime, to end: WallTime) -> Bool {
    from <= start && to.map { end <= $0 } ?? true
  }
}

/// The run on display.
struct DisplayedRun: Sendable, Equatable {
  var id: RunID
  var name: String?
  var startedAt: WallTime
  var phase: RunPhase

  var isLive: Bool { phase == .live }
  /// When recording stopped; `nil` while it goes on.
  var stoppedAt: WallTime? { phase.stoppedAt }
}

extension DisplayedRun {
  init(_ run: RunRecord, at now: WallTime) {
    self.init(id: run.id, name: run.name, startedAt: run.startedAt, phase: run.phase(at: now))
  }
}

/// A target of the run on display.
struct DisplayedTarget: Sendable, Equatable {
  var id: TargetID
  /// The name in the configuration; escaped at sinks.
  var name: String
  var provider: String
  /// Whether receipts are expected.
  var expectsReceipts: Bool
  /// Configured rate, notifications per second.
  var askedRate: Double
  /// Time after which a notification without a receipt is lost; `nil` when none is expected, or it is not known.
  var receiptDeadline: Duration?
}

extension DisplayedTarget {
  init(_ target: TargetRecord) {
    self.init(
      id: target.id, name: target.name, provider: target.provider,
      expectsReceipts: target.expectsReceipts, askedRate: target.askedRate,
      receiptDeadline: target.receiptDeadline.map { .microseconds($0) })
  }
}

/// A run in the list of runs.
struct RunEntry: Sendable, Equatable {
  var id: RunID
  /// The name in the configuration; escaped at sinks.
  var name: String?
  var startedAt: WallTime
  var phase: RunPhase
  /// Names of its targets.
  var targets: [String]
  var counts: StateCounts

  /// Time from its start to its end, or to now.
  func length(at now: WallTime) -> Duration { max(.zero, (phase.stoppedAt ?? now) - startedAt) }

  /// Its name, or the part of its id that identifies it among runs of the same minute.
  var title: String { name ?? String("\(id)".prefix(13)) }
}

extension RunEntry {
  init(_ run: RunRecord, at now: WallTime) {
    self.init(
      id: run.id, name: run.name, startedAt: run.startedAt, phase: run.phase(at: now),
      targets: run.targetNames, counts: run.counts)
  }
}

/// Whether a collector has the store open, and what it does.
struct CollectorStatus: Sendable, Equatable {
  var isRunning: Bool
  /// The run it records; `nil` while it is idle.
  var run: RunID?
  /// Whether it keeps running after a run, so that another one can be started.
  var staysAfterRun: Bool

  var isIdle: Bool { isRunning && run == nil }
}

/// An engine that cannot be read at the moment.
struct Interruption: Sendable, Equatable {
  /// The first failure after the last success.
  var since: WallTime
  /// What, where and what to do.
  var text: String
}

/// State of the store. Every case but `ready` and `opening` has a notice that says what to do.
enum StoreCondition: Sendable, Equatable {
  /// Being opened for the first time.
  case opening
  case ready
  /// The store has no run.
  case empty
  case missing
  /// It was shown, and was deleted or moved since.
  case gone
  /// Its path is not a store: a directory, another kind of file.
  case notAStore(String)
  case corrupt(String)
  /// Written by a newer version.
  case newer(String)
  /// Another process holds a lock.
  case locked
  /// What went wrong, and what to do where that is known.
  case unreadable(String, remedy: String? = nil)
  /// The requested run is not in it.
  case noSuchRun(String)
  /// The requested target is not in the run; `available` has the names of its targets.
  case noSuchTarget(String, available: [String])
}

extension StoreCondition {
  /// The condition for an error of opening or reading.
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
      .runInProgress, .noCollector, .nameTooLong, .reservedName, .closed, .severalNames, .replaced,
      .unknownFinding, .unknownTarget, .destinationExists, .unusablePath, .outdatedSchema:
      self = .unreadable(error.detail, remedy: error.code == .ioFailure ? nil : error.remedy)
    }
  }
}
