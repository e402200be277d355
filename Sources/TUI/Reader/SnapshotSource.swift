import Measurement
import Store

/// Which run, and of it which target.
struct Subject: Sendable, Equatable {
  /// `nil` follows the newest run.
  var run: RunID?
  /// By name; `nil` for all.
  var target: String?
}

/// Turns a store into snapshots: opens it, follows its changes by their revisions, keeps the newest notifications and
/// those around the window asked for. It belongs to one thread and never waits for anything but SQLite.
struct SnapshotSource {
  private let path: String
  private var subject: Subject
  private var wantsRuns = false
  private let clock: any HostClock
  /// The kernel's boot id: monotonic times of other boots mean nothing here.
  private let bootID: String

  private var reader: StoreReader?
  /// Which file was shown last.
  private var file: FileIdentity?
  private var run: RunRecord?
  private var targets: [TargetRecord] = []
  private var live = PointWindow()
  /// Around a window in the past that the live points do not reach.
  private var past: PointWindow?
  /// What lies before the points, where there are too many of them.
  private var density: Density?
  private var densityReadAt: Int64 = .min / 2
  /// As many points of one window as are read one by one.
  private let capacity: Int
  private var cursor: Int64 = 0
  private var lists = RecordTails()
  private var place = ListsPlace()
  private var snapshot = Snapshot()
  private var request: ReadRequest?
  /// Counts what was read that shows.
  private var changes: UInt64 = 0
  private var publishedChanges: UInt64 = 0

  /// On the clock's monotonic time, µs.
  private var factsReadAt: Int64 = .min / 2
  private var areFactsStale = false
  /// The same for the collector's presence, which shows without any change in the store.
  private var presenceReadAt: Int64 = .min / 2
  private var presenceWith: RunStanding?
  /// The same for the list of runs; `nil` when it is to be read at once.
  private var runsReadAt: Int64?

  /// How often the sums of a growing run are read anew, µs.
  static let densityInterval: Int64 = 10_000_000

  /// µs.
  static let factsInterval: Int64 = 250_000

  /// Without word from the collector for this long it is taken to be gone, µs.
  static let silence: Int64 = 5_000_000

  init(
    path: String, subject: Subject, clock: any HostClock, bootID: String, capacity: Int = PointWindow.capacity
  ) {
    self.capacity = capacity
    self.path = path
    self.subject = subject
    self.clock = clock
    self.bootID = bootID
  }

  /// Says which run, and whether the list of all runs is wanted too.
  mutating func look(at subject: Subject, wantsRuns: Bool) {
    if subject != self.subject {
      self.subject = subject
      (areFactsStale, factsReadAt) = (true, .min / 2)
    }
    if wantsRuns, !self.wantsRuns { runsReadAt = nil }
    self.wantsRuns = wantsRuns
  }

  /// Looks whether there is anything new.
  /// - Returns: a snapshot when it would look different from the last one, else `nil`.
  mutating func poll(_ request: ReadRequest?) -> Snapshot? {
    let isAsked = request != self.request
    self.request = request
    let before = snapshot
    do {
      let reader = try opened()
      let hasChanged = try reader.hasChanged()
      let now = clock.monotonicNow().microseconds
      if hasChanged || areFactsStale && now - factsReadAt >= Self.factsInterval { try follow(reader) }
      if isAsked { try serve(reader) }
      if let run, snapshot.condition == .ready {
        if try lists.show(place, reader, run: run.id) { changes += 1 }
        if try lists.readMarks(reader, run: run.id) { changes += 1 }
      }
      if now - presenceReadAt >= Self.presenceInterval || presenceWith != runStanding {
        try readPresence(reader, at: now)
      }
      if wantsRuns, snapshot.condition == .ready { try readRuns(reader, at: now) }
      snapshot.request = request
    } catch {
      close()
      snapshot.condition = StoreCondition(error)
      if snapshot.condition == .missing, file != nil { snapshot.condition = .gone }
    }
    return published(before: before)
  }

  /// Says which parts of the lists are wanted.
  mutating func show(_ place: ListsPlace) { self.place = place }

  /// Whether there is more to read at once.
  var isReading: Bool { snapshot.condition == .ready && !lists.marks.isComplete }

  /// Whether the collector writes, so that a look soon again is worth it.
  var isLive: Bool { snapshot.condition == .ready && (snapshot.run?.isLive ?? false) }

  // MARK: - Following

  private mutating func opened() throws -> StoreReader {
    if let reader {
      if reader.isStillAt(path) { return reader }
      close()
    }
    let opened = try StoreReader.open(at: path)
    reader = opened
    run = nil
    if let file, file != opened.file { snapshot.replacements += 1 }
    file = opened.file
    return opened
  }

  private mutating func close() {
    reader?.close()
    reader = nil
  }

  /// Reads what has changed since the last look.
  ///
  /// Notifications, events and log lines at once; who runs and how many there are in all a few times a second, because
  /// that takes more queries than all the rest.
  private mutating func follow(_ reader: StoreReader) throws {
    let now = clock.monotonicNow().microseconds
    if run == nil || snapshot.condition != .ready || now - factsReadAt >= Self.factsInterval {
      factsReadAt = now
      areFactsStale = false
      if try !readFacts(reader) { return }
    } else {
      areFactsStale = true
    }
    if let run, try readChanges(reader), try lists.follow(reader, run: run.id) { changes += 1 }
  }

  /// Which run it is, what it is about and how it stands.
  /// - Returns: whether there is something to follow that was followed before.
  private mutating func readFacts(_ reader: StoreReader) throws -> Bool {
    guard let record = try subject.run.map({ try reader.run($0) }) ?? reader.latestRun() else {
      snapshot.condition = subject.run.map { .noSuchRun("\($0)") } ?? .empty
      return false
    }
    let old = run
    run = record
    try readRecording(reader)
    try readTargets(reader, of: record)
    guard snapshot.condition == .ready else { return false }
    // Plans that a recovery takes back leave no trace among the changes.
    let hasRecovered = old?.endedAt == nil && record.endReason == .interrupted
    if old?.id != record.id || hasRecovered {
      try restart(reader, record)
      return false
    }
    return true
  }

  /// What a collector's presence has to agree with: a screen that shows a run as live knows who records it.
  private struct RunStanding: Equatable {
    var run: RunID?
    var hasEnded: Bool
    var recording: RunID?
  }

  private var runStanding: RunStanding {
    RunStanding(run: run?.id, hasEnded: run?.endedAt != nil, recording: snapshot.recording?.id)
  }

  /// Whether there is a collector, and what it records.
  private mutating func readPresence(_ reader: StoreReader, at now: Int64) throws {
    (presenceReadAt, presenceWith) = (now, runStanding)
    let presence = try reader.collector()
    snapshot.collector = CollectorStatus(
      isRunning: presence.isRunning, run: presence.run, staysAfterRun: presence.servesControl)
  }

  /// µs.
  private static let presenceInterval: Int64 = 1_000_000

  /// Which run is being recorded, when it is another one.
  private mutating func readRecording(_ reader: StoreReader) throws {
    snapshot.recording = nil
    guard subject.run != nil, let newest = try reader.latestRun(), newest.id != run?.id else { return }
    let facts = DisplayedRun(
      id: newest.id, name: newest.name, startedAt: newest.startedAt,
      phase: phase(of: newest, at: clock.wallNow()))
    if facts.isLive { snapshot.recording = facts }
  }

  /// The list of all runs, once a second while it is wanted; more seldom where there are many.
  private mutating func readRuns(_ reader: StoreReader, at now: Int64) throws {
    let interval: Int64 = snapshot.runs.count > 100 ? 5_000_000 : 1_000_000
    if let runsReadAt, now - runsReadAt < interval { return }
    runsReadAt = now
    let wall = clock.wallNow()
    snapshot.runs = try reader.runs().reversed().map { record in
      RunEntry(
        id: record.id, name: record.name, startedAt: record.startedAt, phase: phase(of: record, at: wall),
        targets: record.targetNames, counts: Tally(record.counts))
    }
  }

  private mutating func readTargets(_ reader: StoreReader, of record: RunRecord) throws {
    let all = try reader.targets(of: record.id)
    targets = subject.target.map { name in all.filter { $0.name == name } } ?? all
    if let name = subject.target, targets.isEmpty {
      snapshot.condition = .noSuchTarget(name, available: all.map(\.name))
      return
    }
    snapshot.condition = .ready
    snapshot.targets = targets.map {
      DisplayedTarget(
        id: $0.id, name: $0.name, provider: $0.provider, expectsReceipts: $0.receiptDeadline != nil,
        askedRate: $0.askedRate, receiptDeadline: $0.receiptDeadline)
    }
    snapshot.totals = targets.map { Tally($0.counts) }
  }

  /// The first look at a run.
  private mutating func restart(_ reader: StoreReader, _ record: RunRecord) throws {
    lists = try RecordTails(reader, run: record.id)
    try readPoints(reader)
  }

  /// Reads the notifications anew: the run's end, quickly, then what the screen wants.
  private mutating func readPoints(_ reader: StoreReader) throws {
    let page = try reader.lastPoints(
      of: targets.map(\.id), limit: max(1, min(PointWindow.firstLook, capacity) / max(1, targets.count)))
    live = PointWindow(targets: targets.map(\.id), page: page)
    cursor = page.revision
    past = nil
    density = nil
    changes += 1
    if request != nil { try serve(reader) }
  }

  /// - Returns: whether any row of any kind has changed.
  private mutating func readChanges(_ reader: StoreReader) throws -> Bool {
    let before = cursor
    while true {
      let page = try reader.changedPoints(after: cursor, limit: 5_000)
      cursor = page.next
      for point in page.rows where live.concerns(point) {
        changes += 1
        past?.update(point)
        live.take(point)
      }
      if page.isComplete || live.isBehind { break }
    }
    if live.isBehind || !live.settle() {
      try readPoints(reader)
    } else if live.trim(), request != nil {
      // What was let go is needed as sums.
      try serve(reader)
    }
    let now = clock.monotonicNow().microseconds
    if density != nil, cursor != before, now - densityReadAt >= Self.densityInterval { try serve(reader) }
    return cursor != before
  }

  /// Gets the notifications of the window asked for.
  private mutating func serve(_ reader: StoreReader) throws {
    guard let request, snapshot.condition == .ready else { return }
    if live.covers(from: request.from) {
      (past, density) = (nil, nil)
      return
    }
    if density == nil, let past, request.to != nil, past.covers(from: request.from, to: request.to) { return }
    // Plans of a committed block lie ahead of now; a day holds any of them.
    let end = request.to ?? clock.wallNow().advanced(byMicroseconds: 86_400_000_000)
    let ids = targets.map(\.id)
    changes += 1
    density = nil
    if try reader.pointCount(of: ids, from: request.from, to: end, atMost: capacity + 1) > capacity {
      density = try DensityReading.read(ids, request, to: min(end, clock.wallNow()), in: reader)
      densityReadAt = clock.monotonicNow().microseconds
    }
    let from = density?.end ?? request.from
    if request.to == nil, live.covers(from: from) || density == nil && live.isFull {
      // It reaches as far as the sums do, or as far as there is room.
      past = nil
      return
    }
    let page = try reader.points(of: ids, plannedFrom: from, to: end, limit: 2 * capacity)
    let window = PointWindow(targets: ids, page: page, from: from, to: request.to)
    if request.to == nil {
      live = window
      past = nil
      // What changed before this read is in it already; what follows may be read twice, which does no harm.
    } else {
      past = window
    }
  }

  // MARK: - Handing over

  private mutating func published(before: Snapshot) -> Snapshot? {
    let now = clock.wallNow()
    let shownWindow = past ?? live
    snapshot.tracks = shownWindow.tracks
    snapshot.density = density
    if let density {
      for place in snapshot.tracks.indices { snapshot.tracks[place].hiddenBefore = density.end.microseconds }
    }
    snapshot.isTruncated =
      request.map { past?.isFull ?? !live.covers(from: density?.end ?? $0.from) } ?? false
    snapshot.covered = covered
    snapshot.eventList = lists.events.list
    snapshot.logList = lists.log.list
    snapshot.axisMarks = lists.marks
    if let run {
      snapshot.run = DisplayedRun(
        id: run.id, name: run.name, startedAt: run.startedAt, phase: phase(of: run, at: now))
      snapshot.monotonicNow = run.bootID == bootID ? clock.monotonicNow().microseconds : nil
    }
    guard looksDifferent(from: before, at: now) else {
      snapshot = before
      return nil
    }
    publishedChanges = changes
    snapshot.now = now
    snapshot.number = before.number + 1
    return snapshot
  }

  /// What has been read: the answer to the last request, and whatever else lies in memory.
  private var covered: ReadStretch {
    guard let request else { return ReadStretch(from: live.coveredFrom) }
    guard past == nil else { return ReadStretch(from: request.from, to: request.to) }
    return ReadStretch(from: min(request.from, live.coveredFrom))
  }

  private func phase(of run: RunRecord, at now: WallTime) -> DisplayedRun.Phase {
    if let ended = run.endedAt { return .ended(at: ended, reason: run.endReason?.rawValue ?? "") }
    let heard = run.lastHeartbeat ?? run.startedAt
    return now.microseconds - heard.microseconds > Self.silence ? .silent(since: heard) : .live
  }

  private func looksDifferent(from before: Snapshot, at now: WallTime) -> Bool {
    if before.number == 0 || snapshot.condition != before.condition || changes != publishedChanges {
      return true
    }
    if snapshot.collector != before.collector { return true }
    guard snapshot.condition == .ready else { return false }
    if snapshot.runs != before.runs || snapshot.recording != before.recording { return true }
    if snapshot.run != before.run || snapshot.totals != before.totals || snapshot.request != before.request {
      return true
    }
    let elapsed = now.microseconds - before.now.microseconds
    switch snapshot.run?.phase {
    case .live:
      // The edge of time has come into another column, or those that are pending have aged.
      let tick = max(1, request?.tick ?? 1_000_000)
      let isPending = snapshot.totals.contains { $0[.inFlight] > 0 }
      return now.microseconds / tick != before.now.microseconds / tick || isPending && elapsed >= Self.aging
    case .silent(let since):
      return HeaderModel.age(since: since, now: now) != HeaderModel.age(since: since, now: before.now)
    case .ended, nil:
      return false
    }
  }

  /// How often pending notifications are drawn anew, µs.
  private static let aging: Int64 = 100_000
}
