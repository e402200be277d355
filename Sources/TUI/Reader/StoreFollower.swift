import Analysis
import Measurement
import Store

/// The run, and optionally one target of it, on display.
struct Subject: Sendable, Equatable {
  /// `nil` follows the newest run.
  var run: RunID?
  /// The name of the target to follow; `nil` for all.
  var target: String?
}

/// Opens a store or a fleet, follows its changes by revision, and reads what the screen asks for. It belongs to one thread and
/// waits for nothing but SQLite or the engine.
struct StoreFollower {
  private let place: DashboardPlace
  private let clock: any HostClock
  private var subject: Subject
  private var wantsRuns = false
  private var lists = ListsPlace()
  private var reader: (any DashboardSource)?
  /// The store that was open last.
  private var shown: StoreIdentity?
  private var points: PointFollower
  private var figures: FigureReader
  private var calendar: CalendarReader
  private var records = RecordTails()
  private var panels: PanelReader
  private var forwarding = ForwardWatch()
  private var content = DashboardContent()
  /// The run on display; `nil` before one was read.
  private(set) var run: RunRecord?
  /// The targets of ``content`` as they are stored.
  private var targets: [TargetRecord] = []

  /// When the run may be read again.
  private var runDue = MonotonicTime.zero
  /// Changes came since then that were not looked up yet.
  private var isRunStale = false
  /// Everything of the run is to be read anew: a read of it failed in between.
  private var isRestartDue = false
  /// When the collector's presence may be read again.
  private var collectorDue = MonotonicTime.zero
  /// What ``readCollector(_:at:)`` was read for.
  private var collectorReadFor: RunPhaseKey?
  /// `nil` to read them at the next poll.
  private var runsReadAt: MonotonicTime?

  /// How often the run, its targets and their counts are read while they change.
  static let runInterval = Duration.milliseconds(250)
  /// How often the collector's presence, and what it has forwarded, is read: it shows without any change in the store.
  static let collectorInterval = Duration.seconds(1)

  init(
    place: DashboardPlace, subject: Subject, clock: any HostClock, capacity: Int = PointWindow.capacity,
    zone: LocalTime = .utc
  ) {
    self.place = place
    self.subject = subject
    self.clock = clock
    points = PointFollower(clock: clock, capacity: capacity, costsByRow: place.kind == .store, zone: zone)
    figures = FigureReader(clock: clock)
    calendar = CalendarReader(clock: clock)
    panels = PanelReader(clock: clock, zone: zone)
  }

  /// Sets the run to follow, and whether the list of all runs is wanted.
  mutating func follow(_ subject: Subject, wantsRuns: Bool) {
    if subject != self.subject {
      self.subject = subject
      (isRunStale, runDue) = (true, .zero)
    }
    if wantsRuns, !self.wantsRuns { runsReadAt = nil }
    self.wantsRuns = wantsRuns
  }

  /// Sets the parts of the events and log lines that are wanted.
  mutating func show(_ lists: ListsPlace) { self.lists = lists }

  /// Sets the key that plots are colored by; `nil` for none.
  mutating func color(by key: BreakdownKey?) { points.color(by: key) }

  /// Sets what the panels show.
  mutating func show(_ order: PanelOrder) { panels.ask(order) }

  /// Whether marks further back or finer sums are still to be read, so that the next poll should follow at once.
  var isReading: Bool { content.condition == .ready && (!records.marks.isComplete || points.isCoarse) }

  /// Reads what has changed, and the window of the request when it is another one.
  /// - Returns: what is known of the store. Errors are its ``DashboardContent/condition``; the rest stays as it was.
  mutating func poll(_ request: ReadRequest?) -> DashboardContent {
    points.ask(request)
    let isCoarse = points.isCoarse
    do {
      let reader = try opened()
      let hasChanged = try reader.hasChanged()
      let now = clock.monotonicNow()
      if hasChanged || isRunStale && now >= runDue { try readChanges(reader, at: now) }
      if content.condition == .ready {
        if points.isAsked || isCoarse { try points.serve(reader) }
        try points.divide(reader)
        if let run {
          try records.show(lists, reader, run: run.id)
          try records.readMarks(reader, run: run.id)
          try panels.read(reader, run: run.id, targets: targets, hasChanged: hasChanged, at: now)
        }
      }
      if now >= collectorDue || collectorReadFor != runPhaseKey {
        try readCollector(reader, at: now)
      }
      if wantsRuns, content.condition == .ready { try readRuns(reader, at: now) }
      content.request = request
      content.interruption = nil
    } catch {
      fail(error)
    }
    points.show(in: &content)
    (content.eventList, content.logList) = (records.events.list, records.log.list)
    content.axisMarks = records.marks
    content.panels = panels.content
    return content
  }

  /// Reads the figures of what the snapshot shows.
  /// - Returns: `nil` when they are the same as before, or cannot be taken now.
  mutating func readFigures(_ order: FiguresOrder, of snapshot: Snapshot) -> WindowFigures? {
    guard let reader, content.condition == .ready else { return nil }
    // What is wrong with the store is said by the next poll.
    return try? figures.read(order, of: snapshot, changes: points.changes, reader)
  }

  /// Reads the hours of the run on display.
  /// - Returns: `nil` when they are the same as before, or were read within the last minute.
  mutating func readCalendar(_ order: CalendarOrder, of snapshot: Snapshot) -> CalendarFigures? {
    guard let reader, content.condition == .ready else { return nil }
    return try? calendar.read(order, of: snapshot, reader)
  }

  private mutating func opened() throws -> any DashboardSource {
    if let reader {
      if reader.isStillAt(place.name) { return reader }
      close()
    }
    let opened = try place.open()
    reader = opened
    run = nil
    if let shown, shown != opened.identity { content.replacements += 1 }
    shown = opened.identity
    return opened
  }

  /// What a store no longer has is not shown. What was read of a fleet stays on display, and is followed when the engine answers
  /// again.
  private mutating func fail(_ error: any Error) {
    if place.kind == .fleet, content.condition == .ready {
      (isRestartDue, runDue, isRunStale) = (true, .zero, true)
      points.askAgain()
      content.interruption = Interruption(
        since: content.interruption?.since ?? clock.wallNow(), text: "\(error)")
      return
    }
    close()
    content.condition = StoreCondition(error)
    if content.condition == .missing, shown != nil { content.condition = .gone }
  }

  private mutating func close() {
    reader?.close()
    reader = nil
    figures.forget()
    calendar.forget()
  }

  /// Reads what has changed since the last poll: notifications, events and log lines at once, the run and its counts a few
  /// times a second, because they take more queries than all the rest.
  private mutating func readChanges(_ reader: any DashboardSource, at now: MonotonicTime) throws {
    if run == nil || content.condition != .ready || now >= runDue {
      (runDue, isRunStale) = (now + Self.runInterval, false)
      if try !readRun(reader) { return }
    } else {
      isRunStale = true
    }
    if let run, try points.follow(reader) { try records.follow(reader, run: run.id) }
  }

  /// Reads the run on display and its targets, and all of the run when it is another one.
  /// - Returns: whether it is the same run as before, so that its changes are still to be read.
  private mutating func readRun(_ reader: any DashboardSource) throws -> Bool {
    guard let record = try subject.run.map({ try reader.run($0) }) ?? reader.latestRun() else {
      content.condition = subject.run.map { .noSuchRun("\($0)") } ?? .empty
      return false
    }
    let old = run
    run = record
    content.recording = try recording(reader)
    content.objectives = try ObjectiveSummary(reader, alive: record.lastHeartbeat)
    let all = try reader.targets(of: record.id)
    targets = subject.target.map { name in all.filter { $0.name == name } } ?? all
    (content.targets, content.totals) = (targets.map(DisplayedTarget.init), targets.map(\.counts))
    points.set(targets)
    if let name = subject.target, targets.isEmpty {
      content.condition = .noSuchTarget(name, available: all.map(\.name))
      return false
    }
    content.condition = .ready
    // Plans that a recovery takes back leave no trace among the changes.
    let hasRecovered = old?.endedAt == nil && record.endReason?.word == .interrupted
    guard old?.id != record.id || hasRecovered || isRestartDue else { return true }
    isRestartDue = true
    records = try RecordTails(reader, run: record.id)
    try points.restart(reader, targets: targets.map(\.id))
    isRestartDue = false
    return false
  }

  private func recording(_ reader: any DashboardSource) throws -> DisplayedRun? {
    guard subject.run != nil, let newest = try reader.latestRun(), newest.id != run?.id else {
      return nil
    }
    let run = DisplayedRun(newest, at: clock.wallNow())
    return run.isLive ? run : nil
  }

  /// The presence is read anew when this changes: a screen that shows a run as live must know who records it.
  private struct RunPhaseKey: Equatable {
    var run: RunID?
    var hasEnded: Bool
    var recording: RunID?
  }

  private var runPhaseKey: RunPhaseKey {
    RunPhaseKey(
      run: run?.id, hasEnded: run?.endedAt != nil, recording: content.recording?.id)
  }

  private mutating func readCollector(_ reader: any DashboardSource, at now: MonotonicTime) throws {
    (collectorDue, collectorReadFor) = (now + Self.collectorInterval, runPhaseKey)
    content.unforwarded = forwarding.update(try reader.forwardPause(), at: now)
    content.collector = try reader.presence().map {
      CollectorStatus(isRunning: $0.isRunning, run: $0.run, staysAfterRun: $0.servesControl)
    }
    let failed = try reader.failedParts()
    content.failedParts = content.collector?.isRunning == true ? failed : []
    let isSilent = content.totals.contains(where: \.isSilent)
    content.handshakeFailure = isSilent ? try run.flatMap { try reader.lastHandshakeFailure(of: $0.id) } : nil
    let wait = try reader.retentionWait()
    content.retentionWait = content.collector?.isRunning == true ? wait : nil
  }

  /// Reads all runs: once a second, or every five seconds when there are more than a hundred.
  private mutating func readRuns(_ reader: any DashboardSource, at now: MonotonicTime) throws {
    if let runsReadAt, now - runsReadAt < .seconds(content.runs.count > 100 ? 5 : 1) { return }
    runsReadAt = now
    let wall = clock.wallNow()
    content.runs = try reader.runs().reversed().map { RunEntry($0, at: wall) }
  }
}
