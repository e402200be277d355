import Findings
import Measurement
import Store
import Threads

/// Searches all series of a store for changes, and their causes; goes on from where it was.
///
/// Its findings are a function of the stored rows. Rows that change under what it looked at (late receipts, a clock set back)
/// make it go back to a copy of itself, or a stored checkpoint, from before them. Confined to one thread.
public struct FindingEngine: Sendable {
  private let settings: DetectionSettings
  private let progress: WorkProgress
  /// All rows up to this revision were looked at.
  private var cursor: Int64 = 0
  private var runs = WatchedRuns()
  private var detectors: [WatchedTarget: TargetDetector] = [:]
  private var copies = DetectorCopies()
  private var known = KnownFindings()
  /// The earliest changed instant to go back to, for each watched target.
  private var corrections: [WatchedTarget: WallTime] = [:]
  private var correctedAt = WallTime.distantPast
  /// How far each was when its findings were compared with what was known. A detector that went back says
  /// nothing before it is there again, or at the present, where the clock was set back.
  private var comparedAt: [WatchedTarget: WallTime] = [:]
  /// When this version of the detector began to look at them; what was found before stays as it is.
  private var ownSince: [WatchedTarget: WallTime] = [:]
  /// Rows older than this are written.
  private var present = WallTime.distantFuture
  /// The second whose notifications have not all their final state.
  private var waitingFor: [WatchedTarget: WallTime] = [:]
  /// Those of ``waitingFor`` in whose second something changed since it was looked at.
  private var stirred: Set<WatchedTarget> = []
  /// Those whose detectors advanced since their findings were compared with what is known.
  private var unrevised: Set<WatchedTarget> = []
  private var checkpointTimes: CheckpointTimes
  /// The series whose change goes on, as noted last: what would be found in them is noted when that changes.
  private var followed: [WatchedTarget: Set<SeriesMetric>] = [:]
  private var isReady = false
  /// Whether it begins anew and writes no checkpoints.
  private let isRecomputing: Bool
  private let knowsStored: Bool

  /// - Parameter progress: told the series that is looked at.
  public init(settings: DetectionSettings = DetectionSettings(), progress: WorkProgress = .unreported) {
    self.init(settings: settings, isRecomputing: false, knowsStored: true, progress: progress)
  }

  init(
    settings: DetectionSettings, isRecomputing: Bool, knowsStored: Bool, progress: WorkProgress = .unreported
  ) {
    self.settings = settings
    self.progress = progress
    checkpointTimes = CheckpointTimes(settings)
    self.knowsStored = knowsStored
    self.isRecomputing = isRecomputing
  }

  /// What one call of ``advance(_:to:)`` came to.
  public struct Step: Sendable {
    /// Changes that must be saved before the next call.
    public var changes = FindingChanges()
    /// Whether there is more to look at now.
    public var isMore = false
    /// Lines about findings that opened or closed, for the collector's log.
    public var lines: [String] = []
    /// The rows that it knows belong to runs that are gone: the stored detectors have to be reset before saving.
    public var mustReset = false
  }

  /// All findings, those that were withdrawn too.
  public var findings: [FindingRecord] { known.records }

  /// Bytes that the detectors hold, without their copies.
  public var memory: Int { detectors.values.reduce(0) { $0 + $1.memory } }

  // MARK: - Advancing

  /// Looks at what is complete since the last call, at most some ``DetectionSettings/rowsPerStep`` rows.
  /// - Throws: `StoreError`; the next call tries again.
  public mutating func advance(_ reader: StoreReader, to now: WallTime) throws -> Step {
    var step = Step()
    // In this order: what changes between the two is read now and looked at again next time.
    let changed =
      isReady
      ? try reader.changedSeries(after: cursor, onPart: progress.goOn)
      : SeriesChanges(revision: try reader.revision())
    try follow(reader, now, &step)
    if !isReady {
      try restore(reader)
      isReady = true
    }
    queueCorrections(changed.series)
    known.markStale(annotatedAt: changed.annotated)
    cursor = max(cursor, changed.revision)
    var touched = try correct(reader, now, &step)
    let advanced = try readOn(reader, now, &step)
    touched.formUnion(advanced)
    try report(touched, reader, now, &step)
    recordProgress(of: advanced, &step)
    return step
  }

  /// Follows runs that begin, end and are deleted.
  private mutating func follow(_ reader: StoreReader, _ now: WallTime, _ step: inout Step) throws {
    let left = try runs.follow(reader, now, memory: isRecomputing ? nil : settings.memory, settings)
    guard let left else { return }
    // A run was deleted: what was learned from it is forgotten.
    step.mustReset = true
    detectors = [:]
    copies.removeAll()
    known.keep(runs: left)
    corrections = [:]
    comparedAt = [:]
    ownSince = [:]
    waitingFor = [:]
    unrevised = []
  }

  private mutating func restore(_ reader: StoreReader) throws {
    for record in knowsStored ? try reader.findings(.everything) : [] {
      guard var one = KnownFinding(record) else { continue }
      // What is said of it is said anew.
      one.isStale = isRecomputing
      known.add(one)
      comparedAt[one.watched] = max(
        comparedAt[one.watched] ?? .distantPast, one.finding.detectionTime, one.finding.seenTime,
        one.finding.endTime ?? .distantPast)
    }
    guard !isRecomputing else { return }
    var cursors: [Int64] = []
    for record in try reader.detectors() {
      let watched = WatchedTarget(record)
      guard let spans = runs[watched],
        let checkpoint = try reader.detectorCheckpoint(of: record, atMost: .distantFuture)
      else { continue }
      guard
        let restored = try TargetDetector.restored(
          checkpoint.state, reader: reader, spans: spans, rate: runs.rate(of: watched), settings)
      else {
        // Another version's: this one learns from the rows that it looked at.
        ownSince[watched] = record.through
        comparedAt[watched] = max(comparedAt[watched] ?? .distantPast, record.through)
        continue
      }
      detectors[watched] = restored.detector
      if restored.detector.ownSince > .distantPast { ownSince[watched] = restored.detector.ownSince }
      cursors.append(restored.cursor)
      comparedAt[watched] = max(comparedAt[watched] ?? .distantPast, record.through)
      checkpointTimes.restore(try reader.detectorCheckpointTimes(of: record), of: watched)
    }
    // What changed since then is looked at as a correction.
    guard let oldest = cursors.min() else { return }
    let changed = try reader.changedSeries(after: oldest, onPart: progress.goOn)
    queueCorrections(changed.series)
    known.markStale(annotatedAt: changed.annotated)
    correctedAt = .distantPast
  }

  // MARK: - Corrections

  private mutating func queueCorrections(_ changed: [ChangedSeries]) {
    for change in changed {
      let second = change.earliest.floored(to: .seconds(1))
      for watched in runs.watched(of: change.target) {
        if let waiting = waitingFor[watched], second <= waiting { stirred.insert(watched) }
        guard let through = detectors[watched]?.through, second < through,
          runs[watched]?.contains(where: {
            $0.span.target == change.target && $0.span.variant == change.variant && second >= $0.start
          }) == true
        else { continue }
        corrections[watched] = min(corrections[watched] ?? .distantFuture, second)
      }
    }
  }

  private mutating func correct(
    _ reader: StoreReader, _ now: WallTime, _ step: inout Step
  ) throws -> Set<WatchedTarget> {
    // A clock that was set back is before the last correction, which would hold up all others until it is there again.
    let waited = now - correctedAt
    guard !corrections.isEmpty, waited < .zero || waited >= settings.correctionInterval else { return [] }
    correctedAt = now
    let due = corrections
    known.markStale(after: due.values.min() ?? .distantFuture)
    for (watched, second) in due {
      try goBack(watched, to: second, reader)
      corrections[watched] = nil
      if !isRecomputing, var change = detectorChange(watched) {
        change.validThrough = second
        checkpointTimes.remove(after: second, of: watched)
        step.changes.detectors.append(change)
      }
    }
    return Set(due.keys).union(known.targets)
  }

  private mutating func goBack(_ watched: WatchedTarget, to second: WallTime, _ reader: StoreReader) throws {
    waitingFor[watched] = nil
    if let copy = copies.goBack(watched, to: second) {
      detectors[watched] = copy
      return
    }
    let record = DetectorRecord(
      target: watched.target, variant: watched.variant, provider: watched.provider,
      endpoint: watched.endpoint, through: WallTime(seconds: 0), cursor: 0, age: 0, learning: nil)
    if !isRecomputing, let spans = runs[watched],
      let checkpoint = try reader.detectorCheckpoint(of: record, atMost: second),
      let restored = try TargetDetector.restored(
        checkpoint.state, reader: reader, spans: spans, rate: runs.rate(of: watched), settings)
    {
      detectors[watched] = restored.detector
    } else {
      // From the beginning.
      detectors[watched] = nil
    }
  }

  // MARK: - Reading on

  private mutating func readOn(
    _ reader: StoreReader, _ now: WallTime, _ step: inout Step
  ) throws -> Set<WatchedTarget> {
    var end = (now - settings.settling).floored(to: .seconds(1))
    let ends = runs.spans.values.joined().map(\.end)
    // Of runs that have ended everything is written.
    if !ends.contains(nil) { end = max(end, ends.compactMap { $0 }.max() ?? end) }
    present = end
    try runs.readFloors(reader)
    var positions: [WatchedTarget: WallTime] = [:]
    for (watched, spans) in runs.spans {
      guard let first = spans.first, let last = spans.last else { continue }
      let through = detectors[watched]?.through ?? first.start
      // Done when its last run has ended and was looked at.
      let isIdle = detectors[watched]?.target == nil
      if isIdle, let lastEnd = last.end, through >= lastEnd { continue }
      if let second = waitingFor[watched] {
        // Only a change of its rows, or time, can complete it.
        guard stirred.contains(watched) || spans.isOverdue(second, now, settings.longestOpen) else {
          continue
        }
        stirred.remove(watched)
        guard try isComplete(second, watched, reader, now) else { continue }
        waitingFor[watched] = nil
      }
      // Between runs it goes on with the next one.
      let upcoming = spans.first { ($0.end ?? .distantFuture) > through }?.start ?? through
      var next = isIdle ? max(through, upcoming) : through
      if detectors[watched] == nil {
        next = max(next, runs.horizon.floored(to: .seconds(1)))
        guard next < end else { continue }
        detectors[watched] = TargetDetector(rate: runs.rate(of: watched), start: next, settings: settings)
        detectors[watched]?.ownSince = ownSince[watched] ?? .distantPast
      }
      positions[watched] = next
    }
    // Those that waited for a receipt are far behind the others, which are not read again with them.
    let front = (positions.values.max() ?? end) - .seconds(30)
    let behind = positions.filter { $0.value < front }
    try readPage(of: behind, to: end, reader, now, &step)
    try readPage(of: positions.filter { $0.value >= front }, to: end, reader, now, &step)
    return Set(positions.keys)
  }

  /// Reads on with some series, from where each is.
  private mutating func readPage(
    of positions: [WatchedTarget: WallTime], to end: WallTime, _ reader: StoreReader, _ now: WallTime,
    _ step: inout Step
  ) throws {
    guard let from = positions.values.min(), from < end else { return }
    let targets = Set(positions.keys.flatMap { runs[$0]?.map(\.span.target) ?? [] })
    let page = try reader.seriesSeconds(of: targets, from: from, to: end, limit: settings.rowsPerStep)
    step.isMore = step.isMore || page.coveredTo < end
    var seconds: [WatchedTarget: [SeriesSecond]] = [:]
    for second in page.seconds {
      for watched in runs.watched(of: second.target) where positions[watched] != nil {
        seconds[watched, default: []].append(second)
      }
    }
    for watched in positions.keys {
      feed(watched, seconds[watched] ?? [], to: page.coveredTo, now)
    }
  }

  /// Whether a second that was waited for is complete now.
  private func isComplete(
    _ second: WallTime, _ watched: WatchedTarget, _ reader: StoreReader, _ now: WallTime
  ) throws -> Bool {
    let page = try reader.seriesSeconds(
      of: Set(runs[watched]?.map(\.span.target) ?? []), from: second, to: second + .seconds(1))
    return page.seconds.allSatisfy { row in
      runs[watched]?.first { $0.span.target == row.target && $0.accepts(row) }?.isComplete(
        row, now: now, longestOpen: settings.longestOpen) ?? true
    }
  }

  private mutating func feed(
    _ watched: WatchedTarget, _ seconds: [SeriesSecond], to end: WallTime, _ now: WallTime
  ) {
    progress.begin(watched.series)
    guard var detector = detectors.removeValue(forKey: watched), let spans = runs[watched] else { return }
    let byTarget = Dictionary(spans.map { ($0.span.target, $0) }, uniquingKeysWith: { first, _ in first })
    var reached = end
    for second in seconds where second.start >= detector.through {
      guard let span = byTarget[second.target], span.accepts(second) else { continue }
      endRun(&detector, byTarget, before: second.start, next: second.target)
      if !span.isComplete(second, now: now, longestOpen: settings.longestOpen) {
        reached = second.start
        waitingFor[watched] = reached
        break
      }
      mark(&detector, watched, before: second.start)
      detector.append(
        second, expectsReceipts: span.expectsReceipts, floor: runs.floor(of: span.span.run))
    }
    endRun(&detector, byTarget, before: reached, next: nil)
    if reached > detector.through { detector.complete(through: reached) }
    detectors[watched] = detector
  }

  /// Ends the run that a detector is in, if it ended before an instant.
  private func endRun(
    _ detector: inout TargetDetector, _ spans: [TargetID: WatchedSpan], before time: WallTime, next: TargetID?
  ) {
    guard let target = detector.target, target != next else { return }
    guard let span = spans[target] else {
      detector.endRun(at: detector.through)
      return
    }
    if let end = span.end, end <= time { detector.endRun(at: max(end, detector.through)) }
  }

  /// Keeps a copy now and then, and makes a detector forget old findings.
  private mutating func mark(
    _ detector: inout TargetDetector, _ watched: WatchedTarget, before time: WallTime
  ) {
    guard !detector.stretch.contains(time) else { return }
    let sixth = settings.checkpointInterval / 6
    let start = time.floored(to: sixth)
    detector.stretch = start..<start + sixth
    detector.removeFindings(endedBefore: detector.through - settings.checkpointInterval * 24)
    guard !isRecomputing else { return }
    copies.add(detector, of: watched, interval: settings.checkpointInterval)
  }

  // MARK: - Progress

  private func detectorChange(_ watched: WatchedTarget) -> DetectorChange? {
    guard let detector = detectors[watched] else { return nil }
    let learning = detector.learning
    return DetectorChange(
      DetectorRecord(
        target: watched.target, variant: watched.variant, provider: watched.provider,
        endpoint: watched.endpoint, through: detector.through, cursor: cursor,
        age: learning.age.microseconds, learning: learning.of?.microseconds))
  }

  /// Checkpoints, and how far the learning is.
  private mutating func recordProgress(of advanced: Set<WatchedTarget>, _ step: inout Step) {
    guard !isRecomputing else { return }
    for watched in advanced.sorted() {
      guard let detector = detectors[watched], !detector.isLearningAnew,
        var change = detectorChange(watched)
      else { continue }
      let through = detector.through
      if corrections[watched] == nil, checkpointTimes.isDue(watched, at: through),
        let state = try? detector.checkpoint(cursor: cursor)
      {
        change.checkpoint = DetectorCheckpointRecord(through: through, state: state)
        change.superfluous = checkpointTimes.add(through, of: watched)
        change.oldest = through - settings.memory
      } else if detector.target != nil, !checkpointTimes.isRecordDue(watched, at: through),
        followed[watched] == detector.followed
      {
        continue
      }
      checkpointTimes.recordProgress(watched, at: through)
      followed[watched] = detector.followed
      change.detector.power = detector.power
      step.changes.detectors.append(change)
    }
  }

  /// Checkpoints of all detectors, as when the collector ends.
  public mutating func checkpoints() -> FindingChanges {
    var changes = FindingChanges()
    for watched in detectors.keys.sorted() where corrections[watched] == nil {
      guard var change = detectorChange(watched), let detector = detectors[watched],
        !detector.isLearningAnew, let state = try? detector.checkpoint(cursor: cursor)
      else { continue }
      change.checkpoint = DetectorCheckpointRecord(through: detector.through, state: state)
      change.superfluous = checkpointTimes.add(detector.through, of: watched)
      change.detector.power = detector.power
      changes.detectors.append(change)
    }
    return changes
  }

  // MARK: - Findings

  private mutating func report(
    _ touched: Set<WatchedTarget>, _ reader: StoreReader, _ now: WallTime, _ step: inout Step
  ) throws {
    unrevised.formUnion(touched)
    // A recomputation says what it found at its end only: then of all that advanced, not of its last step alone.
    guard !isRecomputing || !step.isMore else { return }
    var changed: Set<String> = []
    var new: Set<String> = []
    var before: [String: FindingRecord] = [:]
    let seen = detectors.values.filter { $0.target != nil }.map(\.through).min() ?? .distantFuture
    for watched in unrevised.union(known.targets).sorted() {
      if unrevised.remove(watched) != nil { new.formUnion(revise(watched)) }
      let list = known[watched]
      for index in list.indices {
        let isSettled = list[index].isPending && list[index].episodeEnd <= seen
        guard list[index].isStale || isSettled else { continue }
        var finding = list[index]
        if !new.contains(finding.record.id) { before[finding.record.id] = finding.record }
        if finding.finding.status == .withdrawn {
          finding.record.status = Stored(.withdrawn)
        } else {
          try describe(&finding, others: list, reader)
        }
        finding.isStale = false
        finding.isPending = finding.episodeEnd > seen
        known.update(finding, at: index)
        changed.insert(finding.record.id)
      }
    }
    guard !changed.isEmpty else { return }
    changed.formUnion(known.groupIncidents())
    let records = findings.filter { changed.contains($0.id) }
    step.changes.findings = records
    // What only moved to another incident is as it was.
    for record in records where before[record.id] == nil && !new.contains(record.id) {
      before[record.id] = record
    }
    let notices = FindingNotices(
      records, before: before, spans: runs.recordedSpans, at: now
    )
    step.changes.events += notices.events
    step.changes.log += notices.log
    step.lines += notices.lines
  }

  /// - Returns: the ids of findings that are new.
  private mutating func revise(_ watched: WatchedTarget) -> Set<String> {
    guard let detector = detectors[watched],
      detector.target == nil || detector.through >= min(comparedAt[watched] ?? .distantPast, present)
    else { return [] }
    comparedAt[watched] = detector.through
    let found = (detectors[watched]?.drainRemoved() ?? []) + detector.findings
    let spans = runs[watched]
    return known.revise(
      watched, found: found, ownSince: detector.ownSince, reached: detector.through,
      forgottenBefore: detector.forgottenBefore,
      through: detector.target == nil ? .distantFuture : detector.through
    ) { finding in
      spans?.last { $0.start < finding.detectionTime }?.span ?? spans?.first?.span
    }
  }

  private func describe(_ known: inout KnownFinding, others: [KnownFinding], _ reader: StoreReader) throws {
    let watched = known.watched
    progress.begin(watched.series)
    let rate = runs.rate(of: watched)
    let all = runs.spans.values.flatMap { $0.map(\.span) }
    let description = FindingDescription(
      reader: reader, spans: all, watched: watched, settings: settings,
      binWidth: .microseconds(settings.usual(rate).binWidth))
    // A daily pattern is usual: nothing is left out because of it.
    try description.describe(&known, others: others.map(\.finding).filter { $0.daily == nil })
  }
}
