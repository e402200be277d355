import Findings
public import Measurement
public import Store

/// Reads what ``CollectionStatus`` tells: of a store the newest run, of a fleet the newest run of each collector, or each value of
/// the label that groups them.
public struct StatusReader {
  private let reader: any SampleSource
  private let series: SeriesReader
  private let names: Set<String>?
  private let isGrouped: Bool
  private let now: WallTime
  /// The store, where a store is read.
  private let store: StoreReader?

  /// - Parameters:
  ///   - targets: the names of the targets to report; `nil` for all.
  ///   - isGrouped: whether a fleet's runs are taken together by a label.
  public init(
    _ reader: any SampleSource, targets: Set<String>? = nil, isGrouped: Bool = false, at now: WallTime
  ) {
    self.reader = reader
    series = SeriesReader(reader)
    names = targets
    self.isGrouped = isGrouped
    self.now = now
    store = reader as? StoreReader
  }

  /// Length of the reported window and of the time before it that it is compared with.
  private static let last = StatusFigures.usualLength
  private static let before = Duration.days(7)
  /// The window of a slow schedule is extended to this many notifications, at most to a day.
  private static let leastCount = 20.0
  /// A shorter time before is not compared with.
  private static let leastBefore = Duration.minutes(10)
  /// Time allowed for writing after a limit has passed, and the longest limit that is waited for.
  private static let margin = Duration.seconds(5)
  private static let longestWait = Duration.minutes(10)
  /// A target or a fleet's collector that is recorded sent something within this time at least.
  private static let forwarding = Duration.minutes(2)

  /// A run with its targets and what its collector does.
  private struct Recording {
    var run: RunRecord
    var targets: [TargetRecord]
    var phase: StatusHeadline.Phase
    /// When reloads removed targets, by name.
    var removed: [String: WallTime] = [:]
  }

  /// - Throws: ``StoreError``, or the error of a fleet's engine.
  public func status() throws -> CollectionStatus {
    let recordings = try recordings()
    guard let newest = recordings.max(by: { $0.run.startedAt < $1.run.startedAt }) else {
      return try withCollector(
        CollectionStatus(
          headline: StatusHeadline(phase: .empty, run: "", targets: 0, rate: nil, length: .zero), targets: [],
          now: now))
    }
    let objectives = try reader.objectives()
    let findings = try findings(of: recordings)
    let detectors = try store.map { try WatchedDetectors($0) }
    var powers: [Double: Duration?] = [:]
    var activities: [TargetActivity] = []
    var sent = 0.0
    for recording in recordings {
      for target in recording.targets {
        var activity = try activity(
          of: target, in: recording, objectives.filter { $0.target == target.name })
        if recordings.count > 1 || isGrouped { activity.group = Self.group(recording.run, isGrouped) }
        let found = findings[recording.run.id]?[target.name] ?? []
        activity.open = found.filter(\.1.isOpen)
        activity.daily = found.map(\.1).filter(\.isDaily)
        activity.over = found.filter { !$0.1.goesOn }
        activity.detectors = detectors.map { $0[target.name] }
        activity.shortestOutage = shortestOutage(activity, &powers)
        if let last = activity.last, !activity.isRemoved {
          sent += try sentPerSecond(of: target, in: recording.run, last)
        }
        activities.append(activity)
      }
    }
    var status = try withCollector(
      CollectionStatus(
        headline: headline(recordings, newest, activities, sent), targets: activities, now: now))
    status.runs = recordings.map(\.run.id)
    return status
  }

  /// How many are sent a second, in the newest window or since the run began; between runs nothing is.
  private func sentPerSecond(of target: TargetRecord, in run: RunRecord, _ last: StatusWindow) throws
    -> Double
  {
    if last.time.lowerBound < run.startedAt {
      return try reader.rates(of: run.id).first { $0.target == target.id }?.achieved ?? 0
    }
    // Not the time between its first and its last: of a slow schedule that may be one notification.
    let recorded = last.time.upperBound - run.startedAt
    let length = max(.microseconds(1), last.length, min(Self.window(of: target), recorded))
    return Double(last.counts.sent) * 1e6 / Double(length.microseconds)
  }

  private func headline(
    _ recordings: [Recording], _ newest: Recording, _ activities: [TargetActivity], _ sent: Double
  ) -> StatusHeadline {
    let going = recordings.filter { $0.phase == .collecting }
    let shown = going.min { $0.run.startedAt < $1.run.startedAt } ?? newest
    let end: WallTime =
      switch shown.phase {
      case .ended(let at, _): at
      case .gone(let since): since
      case .idle: shown.run.endedAt ?? shown.run.lastHeartbeat ?? now
      case .empty, .collecting: now
      }
    // Those of which nothing comes any more have a line, and are not collected.
    let collected = activities.count { !$0.isRemoved }
    let targets = shown.phase == .collecting && collected > 0 ? collected : activities.count
    let label =
      recordings.count == 1 && !isGrouped
      ? StatusHeadline.label(newest.run.name, newest.run.id) : Self.label(of: recordings, isGrouped)
    var headline = StatusHeadline(
      phase: shown.phase, run: label, targets: targets, rate: sent > 0 ? sent : nil,
      length: max(.zero, end - shown.run.startedAt))
    headline.isForwarded = store == nil
    // Figures are of earlier runs of the same targets, too: soon after a restart they go back further than the run does.
    let known = activities.compactMap { activity in activity.last.map { end - $0.time.lowerBound } }.max()
    headline.last = known.map { min(Self.last, max(headline.length, $0)) } ?? .zero
    headline.before = activities.compactMap(\.before).map(\.length).max() ?? .zero
    return headline
  }

  private static func label(of recordings: [Recording], _ isGrouped: Bool) -> String {
    isGrouped
      ? CountText.text(recordings.count, "group") : CountText.text(recordings.count, "run")
  }

  private static func group(_ run: RunRecord, _ isGrouped: Bool) -> String {
    run.name ?? (isGrouped ? "" : String("\(run.collectorID)".lowercased().prefix(8)))
  }

  // MARK: - Runs

  private func recordings() throws -> [Recording] {
    let runs: [RunRecord]
    if let store {
      runs = try store.latestRun().map { [$0] } ?? []
    } else {
      // The newest of each collector; grouped ones are together already.
      let all = try reader.runs()
      runs =
        isGrouped
        ? all
        : all.enumerated().filter { place, run in
          !all[(place + 1)...].contains { $0.collectorID == run.collectorID }
        }.map(\.element)
    }
    return try runs.map { run in
      let targets = try reader.targets(of: run.id).filter { names?.contains($0.name) ?? true }
      var recording = Recording(run: run, targets: targets, phase: try phase(of: run, targets))
      // A fleet is not told: what of a target stays away says so there.
      if let store, recording.phase == .collecting {
        recording.removed = try store.removedTargets(of: run.id).times
      }
      return recording
    }
  }

  private func phase(of run: RunRecord, _ targets: [TargetRecord]) throws -> StatusHeadline.Phase {
    if let store { return phase(of: run, try store.collector()) }
    if case .ended(let end, let reason) = run.phase(at: now) { return .ended(at: end, reason: reason) }
    var heard = run.startedAt
    for target in targets {
      guard let newest = try newestPlanned(of: target) else { continue }
      if try isRecent(newest, of: target) { return .collecting }
      heard = max(heard, newest)
    }
    return now - heard < Self.forwarding ? .collecting : .gone(since: heard)
  }

  private func phase(of run: RunRecord, _ collector: CollectorPresence) -> StatusHeadline.Phase {
    switch run.phase(at: now) {
    case .ended(let end, let reason):
      return collector.isRunning && collector.servesControl ? .idle : .ended(at: end, reason: reason)
    case .live where collector.isRunning: return .collecting
    case .live: return .gone(since: run.lastHeartbeat ?? run.startedAt)
    case .silent(let since):
      // One that has started again after a crash has not begun its run yet.
      let isAtWork = collector.lastHeartbeat.map { now - $0 < RunPhase.silence } ?? false
      return isAtWork && collector.isRunning && collector.run != run.id ? .idle : .gone(since: since)
    }
  }

  private func newestPlanned(of target: TargetRecord) throws -> WallTime? {
    try reader.plannedTimes(of: [target.id], from: nil, to: nil)?.upperBound
  }

  /// Whether a target that is recorded may have sent nothing since a time: for 20 mean intervals, or three times its longest gap
  /// of late, as between two bursts.
  private func isRecent(_ newest: WallTime, of target: TargetRecord) throws -> Bool {
    let interval = min(1e13, 1e6 / max(target.askedRate, 1e-9))
    let silent = now - newest
    guard silent > max(Self.forwarding, .microseconds(Int64(20 * interval))) else { return true }
    var (last, gap): (WallTime?, Duration) = (nil, .zero)
    try reader.forEachSample(
      of: target.id, plannedFrom: newest - .microseconds(Int64(300 * interval)),
      to: newest + .microseconds(1)
    ) { row in
      if let last { gap = max(gap, row.plannedAt - last) }
      last = row.plannedAt
    }
    return silent <= gap * 3
  }

  // MARK: - Targets

  private func activity(
    of target: TargetRecord, in recording: Recording, _ objectives: [ObjectiveRecord]
  ) throws -> TargetActivity {
    let shares = objectives.filter { $0.limit != nil }
    let promised = shares.first { $0.verdict == .breached } ?? shares.first
    let metric = promised?.metric ?? target.judgedMetric
    let limit = promised?.limit ?? target.receiptDeadline
    var activity = TargetActivity(
      name: target.name, provider: target.provider, phase: .recorded, askedRate: target.askedRate,
      metric: metric, limit: limit)
    activity.receiptDeadline = target.receiptDeadline.map(Duration.microseconds)
    // That of silence first: it says more.
    activity.breached =
      objectives.first { $0.verdict == .breached && $0.silence != nil }
      ?? objectives.first { $0.verdict == .breached }
    let newest = try newestPlanned(of: target)
    activity.phase = try phase(of: target, in: recording, newest)
    var end = newest.map { $0 + .microseconds(1) } ?? now
    if activity.phase == .recorded {
      end = min(end, now - (min(.microseconds(limit ?? 0), Self.longestWait) + Self.margin))
    }
    try readWindows(of: target, endingAt: end, into: &activity)
    return activity
  }

  private func phase(of target: TargetRecord, in recording: Recording, _ newest: WallTime?) throws
    -> TargetActivity.Phase
  {
    switch recording.phase {
    case .empty, .collecting:
      if let at = recording.removed[target.name] { return .removed(since: newest ?? at) }
      // A target that has reached its count, or that another collector's reload removed, sends nothing more.
      guard let newest, target.askedRate > 0 else { return .recorded }
      return try isRecent(newest, of: target) ? .recorded : .removed(since: newest)
    case .gone(let since): return .gone(since: since)
    case .ended(let at, _): return .ended(at: at)
    case .idle: return .ended(at: recording.run.endedAt ?? recording.run.lastHeartbeat ?? now)
    }
  }

  /// The length of the reported window.
  private static func window(of target: TargetRecord) -> Duration {
    max(last, min(.days(1), .microseconds(Int64(leastCount * 1e6 / max(target.askedRate, 1e-6)))))
  }

  private func readWindows(
    of target: TargetRecord, endingAt end: WallTime, into activity: inout TargetActivity
  ) throws {
    let start = end - Self.window(of: target)
    let earliest = start - Self.before
    let lineage = try reader.targets(sameAs: [target.id], recordedFrom: earliest, to: now).map(\.target)
    let inTime: SeriesShare =
      activity.limit.map { .within($0, of: activity.metric, base: .planned) } ?? .inTime
    let shares: Set<SeriesShare> = SeriesShare.watched.union([inTime])
    guard start < end, let window = try series.window(of: lineage, since: start, until: end) else { return }
    let last = try series.statistics(
      of: window, metrics: [activity.metric], shares: shares, depth: .upTo(5_000), usesHistory: false)
    guard last.counts.settled > 0 else { return }
    activity.last = StatusWindow(last, inTime: inTime, metric: activity.metric)
    guard let past = try series.window(of: lineage, since: earliest, until: window.time.lowerBound),
      past.time.upperBound - past.time.lowerBound >= Self.leastBefore
    else { return }
    let before = try series.coarseStatistics(of: past, metrics: [activity.metric], shares: shares)
    activity.before = StatusWindow(before, inTime: inTime, metric: activity.metric, isCoarse: true)
  }

  /// The shortest outage that is seen, where that is longer than usual ones: as the detector noted, else what one that has learned
  /// sees at this rate.
  private func shortestOutage(_ activity: TargetActivity, _ powers: inout [Double: Duration?]) -> Duration? {
    guard activity.askedRate > 0 else { return nil }
    let known = activity.detectors?.compactMap(\.power).flatMap { $0 } ?? []
    for metric in [SeriesMetric.lost, .failed] {
      let noted = known.filter { $0.metric.word == metric }.compactMap {
        $0.shortest(SchedulePower.outage)?.length
      }
      if let longest = noted.max() { return .microseconds(longest) }
    }
    if let made = powers[activity.askedRate] { return made }
    let made =
      SchedulePower.isSlow(activity.askedRate)
      ? SchedulePower(rate: activity.askedRate).shortestOutage.map { .microseconds($0.length) }
      : Duration.zero
    powers[activity.askedRate] = made
    return made
  }

  // MARK: - Findings

  /// Findings that go on or went on until recording stopped, and daily patterns, by run and target.
  private func findings(of recordings: [Recording]) throws -> [RunID: [String: [(
    FindingIncident, FindingRecord
  )]]] {
    var result: [RunID: [String: [(FindingIncident, FindingRecord)]]] = [:]
    for recording in recordings {
      let names = Set(recording.targets.map(\.name))
      // An open one may have been found in an earlier run of a store.
      let records = try reader.findings(
        FindingSelection(
          run: store == nil ? recording.run.id : nil, targets: names, since: recording.run.startedAt))
      for incident in FindingIncident.group(records) {
        for finding in incident.findings where finding.goesOn || isRecent(finding) {
          result[recording.run.id, default: [:]][finding.target, default: []].append((incident, finding))
        }
      }
    }
    return result
  }

  /// Whether something got worse and ended in the reported window.
  private func isRecent(_ finding: FindingRecord) -> Bool {
    guard let end = finding.endedAt, finding.kind.word != .faster, !finding.isPattern else { return false }
    return now - end < Self.last
  }

  // MARK: - Needs

  /// Adds what the store says of its collector beside targets.
  private func withCollector(_ status: CollectionStatus) throws -> CollectionStatus {
    guard let store else { return status }
    var status = status
    let collector = try store.collector()
    let isRunning = collector.isRunning
    if isRunning {
      status.failedParts = try store.failedParts()
      status.isDiskFull = store.diskSpace().map { $0.free < Self.leastFree } ?? false
    }
    let conditions = try store.conditions()
    // What changes the store by hand has the lock of a collector for a moment.
    let start = collector.holder.flatMap { holder in
      conditions.first { $0.kind == .collector && $0.detail == "\(holder)" }?.since
    }
    status.needs = try needs(status, store, conditions, isRunning: isRunning)
    if case .gone = status.headline.phase, let holder = collector.holder, start != nil {
      status.needs.insert(CollectorNotes.stuck(holder), at: 0)
    } else {
      status.runningSince = start
    }
    return status
  }

  /// Warnings about the collector, its store and its disk.
  private func needs(
    _ status: CollectionStatus, _ store: StoreReader, _ conditions: [Condition], isRunning: Bool
  ) throws -> [String] {
    var needs: [String] = []
    let undelivered = try store.undeliveredAlerts()
    if undelivered > 0 { needs.append(CollectorNotes.undelivered(undelivered)) }
    let clock = SentenceClock(today: now, isNamed: true)
    needs += status.failedParts.map { CollectorNotes.sentence($0, clock, at: now) }
    if isRunning, let wait = try store.retentionWait() {
      let age = LengthText.text(max(.zero, now - wait.since))
      needs.append("\(CollectorNotes.text(wait)), \(age)")
    }
    if isRunning, let pause = try store.forwardPause(),
      let words = CollectorNotes.text(pause, clock, at: now)
    {
      needs.append(words)
    }
    if status.isDiskFull { needs.append(CollectorNotes.diskFull) }
    let space = status.isDiskFull ? nil : store.diskSpace()
    if let space, space.free < 1_000_000_000, space.free < space.total / 20 {
      needs.append("only \(SizeText.text(space.free)) free on the store's disk")
    }
    let isCollecting = status.headline.phase == .collecting
    let left = Set(try store.devices().filter { $0.state == .left }.map(\.name))
    return needs
      + ConditionWords.needs(
        conditions, isRunning: isRunning,
        collectingSince: isCollecting ? now - status.headline.length : nil, left: left, space: space, at: now)
  }

  /// Bytes that commits of some seconds need.
  private static let leastFree: Int64 = 256 << 10
}

/// What a store's detectors noted, by target.
private struct WatchedDetectors {
  private let records: [String: [DetectorRecord]]

  init(_ store: StoreReader) throws {
    records = Dictionary(grouping: try WatchedSeries.all(store).map(\.detector), by: \.target)
  }

  subscript(target: String) -> [DetectorRecord] { records[target] ?? [] }
}
