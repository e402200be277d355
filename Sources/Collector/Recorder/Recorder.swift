import Measurement
import Store
import Transport

/// Records a run, one round at a time: takes the inbox, applies it to the ledger, commits the changes in one transaction, and
/// then acknowledges them to the schedule (its blocks) and to devices (their receipts).
///
/// Confined to one thread; ``RecorderThread`` runs it, tests step it.
final class Recorder {
  /// The shortest time between two commits, so that a busy run commits batches instead of rows.
  static let shortestRound = Duration.milliseconds(25)
  /// The longest time between two commits, even without changes: a heartbeat that crash recovery relies on.
  static let heartbeat = Duration.seconds(1)
  /// How long to wait before a failed commit is tried again.
  static let retryInterval = Duration.seconds(1)
  /// How often a batch of receipts is retried when the store cannot be read for it. After that the device, which waits, is
  /// told that it is not stored.
  static let maximumReadTries = 5
  static let readRetryInterval = Duration.milliseconds(200)
  /// The shortest time between two log lines about receipts that cannot be stored.
  static let failureNoteInterval = Duration.seconds(60)

  private let run: RunID
  private let store: CollectorStore
  private let inbox: RecorderInbox
  private let clock: any HostClock
  private let host: String
  private let loopLag: @Sendable () -> TimingStatistics.LoopLag
  private let onCommitted: @Sendable (PlannedBlock) -> Void
  /// Called with each log line, for the daemon's own output.
  private let onLog: @Sendable (LogLine) -> Void
  private let observer: (any CollectionObserver)?

  private var ledger: Ledger
  private var clockMonitor: ClockMonitor
  private var lastCommit: MonotonicTime
  private var lastAnchor: ClockAnchor?
  /// When the tool's own figures are written next.
  private var instrumentDue: MonotonicTime
  /// A batch that could not be committed yet; nothing else is taken before it is.
  private var pending: Pending?
  private(set) var closing: RecorderInbox.Closing?
  /// A batch of receipts waits because the store could not be read.
  private var isReadingInTrouble = false
  /// When the next log line about receipts that cannot be stored may be written.
  private var nextFailureNote: MonotonicTime?
  private(set) var statistics = RecorderStatistics()

  private struct Pending {
    var batch: WriteBatch
    var blocks: [PlannedBlock] = []
    var replies: [(outcome: ReceiptOutcome, reply: @Sendable (ReceiptOutcome) -> Void)] = []
    var isLast = false
    var observed: [SampleChange] = []
    var clockOffsets: [ObservedClockOffset] = []
    var failedHandshakes: [HandshakeFailure: Int] = [:]
  }

  /// - Parameters:
  ///   - host: the host's name; the tool's own error is recorded under it.
  ///   - known: clock exchanges from earlier runs of this boot, oldest first.
  ///   - contexts: the circumstances that the store has.
  ///   - loopLag: how late the timing thread woke so far.
  ///   - onCommitted: takes each planned block once it is committed; called on the recorder's thread.
  ///   - observer: told what was committed, on the recorder's thread.
  init(
    run: RunID, bootID: String, targets: [LedgerTarget], store: CollectorStore, inbox: RecorderInbox,
    clock: any HostClock, host: String = "", known: [DeviceExchange] = [],
    contexts: DeviceContextTable = DeviceContextTable(),
    loopLag: @escaping @Sendable () -> TimingStatistics.LoopLag = { TimingStatistics.LoopLag() },
    onCommitted: @escaping @Sendable (PlannedBlock) -> Void,
    onLog: @escaping @Sendable (LogLine) -> Void = { _ in }, observer: (any CollectionObserver)? = nil
  ) {
    self.observer = observer
    self.run = run
    self.store = store
    self.inbox = inbox
    self.clock = clock
    self.host = host
    self.loopLag = loopLag
    self.onCommitted = onCommitted
    self.onLog = onLog
    clockMonitor = ClockMonitor(clock: clock)
    ledger = Ledger(
      run: run, bootID: bootID, targets: targets, anchor: clockMonitor.anchor, contexts: contexts,
      isObserved: observer != nil)
    let slept = clockMonitor.suspended
    ledger.resume(
      known.filter { ($0.hostSlept - slept).magnitude < ClockMonitor.smallestSuspend })
    lastCommit = clock.monotonicNow()
    instrumentDue = lastCommit + Self.heartbeat
  }

  /// Notifications held in memory.
  var openCount: Int { ledger.openCount }

  /// What to do after a round.
  enum Outcome: Equatable {
    /// Wait this long, or until something is posted to the inbox.
    case wait(Duration)
    /// Wait this long in any case.
    case pause(Duration)
    /// The run is closed and everything of it is committed.
    case closed
  }

  /// Runs one round.
  /// - Throws: the store's error when a commit fails. Nothing is lost: the next round retries the same commit.
  func round() throws -> Outcome {
    if pending == nil { pending = collect() }
    guard let ready = pending else {
      return isReadingInTrouble ? .pause(Self.readRetryInterval) : .wait(untilNextDeadline())
    }
    let now = clock.monotonicNow()
    let took = try store.commit(ready.batch).duration
    statistics.record(rows: ready.batch.rowCount, took: took)
    lastCommit = now
    pending = nil
    observer?.committed(
      ObservedCommit(
        changes: ready.observed, clockOffsets: ready.clockOffsets,
        failedHandshakes: ready.failedHandshakes, took: took, at: ledger.anchor.wall(at: now)))
    for block in ready.blocks { onCommitted(block) }
    for answer in ready.replies { answer.reply(answer.outcome) }
    if ready.isLast { return .closed }
    return .pause(isReadingInTrouble ? Self.readRetryInterval : Self.shortestRound)
  }

  /// Tells waiting devices that their receipts are not stored: the recorder ends without another commit.
  /// - Returns: what is not in the store.
  func fail() -> RecordingLoss {
    var loss = inbox.loss(until: clock.monotonicNow())
    if let batch = pending?.batch {
      let now = clock.monotonicNow().microseconds
      loss.notifications += batch.inserted.count { $0.plannedMonotonic <= now }
      loss.changes += batch.updated.count
      loss.receipts += batch.receipts.count
      loss.events += batch.events.count + batch.log.count
    }
    for answer in pending?.replies ?? [] {
      let outcome = answer.outcome
      answer.reply(
        ReceiptOutcome(
          failed: outcome.accepted + outcome.duplicate + outcome.unknown + outcome.failed))
    }
    pending = nil
    inbox.fail()
    return loss
  }

  /// Applies the inbox and elapsed time to the ledger.
  /// - Returns: `nil` when there is nothing to commit.
  private func collect() -> Pending? {
    var content = inbox.drain()
    var blocks: [PlannedBlock] = []
    var clockEvents = clockMonitor.check(clock)
    if !clockEvents.isEmpty { ledger.anchor = clockMonitor.anchor }
    if clockEvents.contains(where: { $0.kind == .suspended }) {
      ledger.recordSleep(until: clock.monotonicNow())
    }
    for target in content.targets { ledger.adopt(target) }
    for observation in content.observations {
      ledger.apply(observation)
      if case .planned(let block) = observation { blocks.append(block) }
    }
    if let observer {
      let connections = content.observations.compactMap(ObservedConnection.init)
      if !connections.isEmpty { observer.observed(connections) }
    }
    inbox.reuse(&content.observations)
    isReadingInTrouble = false
    let replies = content.deliveries.compactMap(apply)
    let now = clock.monotonicNow()
    for kind in ReceiptRefusal.Kind.allCases {
      guard let refusals = content.refusals[kind] else { continue }
      ledger.recordRefused(
        kind.event, count: refusals.count, detail: "\(kind.words), last from \(refusals.lastSource)", at: now)
    }
    for (failure, seen) in content.handshakes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      ledger.recordHandshakes(failure, count: seen.count, from: seen.lastSource, at: now)
    }
    ledger.advance(to: now)
    if let ending = content.ending { log(ending, at: now) }
    if content.closing != nil { ledger.dropUnduePlans() }
    let isLast = content.closing.map { ledger.openCount == 0 || now >= $0.deadline } ?? false
    closing = content.closing
    if isLast { ledger.close(at: now) }
    let changes = ledger.drainChanges()
    for line in changes.log { onLog(line) }
    guard
      isLast || !changes.isEmpty || !clockEvents.isEmpty || !replies.isEmpty || !content.handshakes.isEmpty
        || now - lastCommit >= Self.heartbeat
    else { return nil }
    clockEvents += changes.events
    let batch = WriteBatch(
      run: run, withdrawn: changes.withdrawn, inserted: changes.inserted, updated: changes.updated,
      contexts: changes.contexts, receipts: changes.receipts,
      events: clockEvents, log: changes.log,
      anchors: ledger.anchor == lastAnchor ? [] : [ledger.anchor], exchanges: changes.exchanges,
      pings: changes.pings,
      instrument: isLast || now >= instrumentDue ? instrument() : nil)
    if batch.instrument != nil { instrumentDue = now + Self.heartbeat }
    lastAnchor = ledger.anchor
    return Pending(
      batch: batch, blocks: blocks, replies: replies, isLast: isLast, observed: changes.observed,
      clockOffsets: changes.clockOffsets, failedHandshakes: content.handshakes.mapValues(\.count))
  }

  /// The tool's own figures so far, without the commit that stores them.
  private func instrument() -> InstrumentFigures {
    let loop = loopLag()
    let lags = ledger.scheduleLags
    return InstrumentFigures(
      host: host,
      scheduleLag: InstrumentFigures.Lag(
        count: Int64(lags.count), median: lags.value(.p50) ?? 0, p99: lags.value(.p99) ?? 0,
        maximum: lags.maximum ?? 0),
      loopLag: InstrumentFigures.Lag(
        count: loop.count, median: (loop.median + 999) / 1000, p99: (loop.p99 + 999) / 1000,
        maximum: (loop.maximum + 999) / 1000),
      commits: Int64(statistics.commits), longestCommit: statistics.longestCommit.microseconds,
      commitStalls: Int64(statistics.stalls))
  }

  /// Logs that nothing more is planned, and what the run waits for.
  private func log(_ ending: RecorderInbox.Ending, at now: MonotonicTime) {
    let open = ledger.underWay
    let parts = [(open.unanswered, "answer"), (open.unreceived, "receipt")].filter { $0.0 > 0 }
      .map { CountText.text($0.0, $0.1) }
    let waiting =
      parts.isEmpty
      ? "nothing is under way"
      : "waiting at most \(LengthText.text(ending.atMost)) for \(ListText.and(parts))"
    ledger.apply(.log(logLine(.info, "\(ending.reason): \(waiting)", at: now)))
  }

  private func logLine(_ level: LogLine.Level, _ message: String, at now: MonotonicTime) -> LogLine {
    LogLine(at: ledger.anchor.wall(at: now), level: level, label: "recorder", message: message)
  }

  /// Applies a batch of receipts to the ledger.
  /// - Returns: the answer to give after the commit; `nil` when the store could not be read, in which case the batch is back
  ///   in the inbox and nothing of it is applied.
  private func apply(
    _ delivery: RecorderInbox.Delivery
  ) -> (outcome: ReceiptOutcome, reply: @Sendable (ReceiptOutcome) -> Void)? {
    // Each id once: a batch may hold many copies of one receipt.
    var reloaded: [SampleID: ReloadedSample] = [:]
    var unreadable: Set<SampleID> = []
    var pruned: Set<SampleID> = []
    let origins = Dictionary(delivery.receipts.lazy.map { ($0.id.sample, $0.id.runFingerprint) }) {
      first, _ in first
    }
    for (id, fingerprint) in origins where !ledger.holds(id) {
      do {
        reloaded[id] = try reload(id)
        if reloaded[id] == nil, try store.isPruned(id, ofRun: fingerprint) { pruned.insert(id) }
      } catch {
        let isPassing = (error as? StoreError)?.isTransient ?? false
        if isPassing, delivery.tries < Self.maximumReadTries {
          var again = delivery
          again.tries += 1
          isReadingInTrouble = true
          inbox.post(again)
          return nil
        }
        logFailure(error)
        unreadable.insert(id)
      }
    }
    // Clocks first: they date the receipts.
    let arrival = delivery.receipts.first?.arrivedAt ?? clock.monotonicNow()
    var exchanges = ledger.apply(delivery.exchanges, at: arrival)
    for index in exchanges.indices { exchanges[index].hostSlept = clockMonitor.suspended }
    var outcome = ReceiptOutcome()
    for receipt in delivery.receipts {
      if unreadable.contains(receipt.id.sample) {
        outcome.failed += 1
        continue
      }
      let id = receipt.id.sample
      switch ledger.apply(receipt, reloaded: reloaded[id], isPruned: pruned.contains(id)) {
      case .accepted: outcome.accepted += 1
      case .duplicate: outcome.duplicate += 1
      case .repeated:
        outcome.accepted += 1
        outcome.repeated += 1
      case .unknown: outcome.unknown += 1
      }
    }
    // Repeated receipts must not fill the store with exchanges.
    if outcome.accepted > outcome.repeated { ledger.record(exchanges) }
    return (outcome, delivery.reply)
  }

  /// Logs that a receipt cannot be stored, at a limited rate: a device may post it without end.
  private func logFailure(_ error: any Error) {
    let now = clock.monotonicNow()
    if let next = nextFailureNote, now < next { return }
    nextFailureNote = now + Self.failureNoteInterval
    ledger.apply(.log(logLine(.error, "a receipt cannot be stored: \(error)", at: now)))
  }

  private func reload(_ id: SampleID) throws -> ReloadedSample? {
    guard let sample = try store.sample(id), let origin = try store.origin(of: id) else { return nil }
    var reloaded = ReloadedSample(
      sample: sample, runFingerprint: origin.run.fingerprint, bootID: origin.bootID,
      receiptDeadline: origin.receiptDeadline,
      heard: HeardReceipts(
        try store.receiptRows(of: id, atMost: HeardReceipts.maximumCount * HeardReceipts.rowsOfEach)))
    if observer != nil, let series = try store.series(of: sample) {
      reloaded.origin = series.origin
      reloaded.isSettledSinceStart = series.isChangedSinceStart
    }
    return reloaded
  }

  private func untilNextDeadline() -> Duration {
    let now = clock.monotonicNow()
    var next = min(lastCommit + Self.heartbeat, clockMonitor.nextDeadline)
    if let closing { next = min(next, closing.deadline) }
    if let deadline = ledger.nextDeadline { next = min(next, deadline) }
    return max(.zero, next - now)
  }
}

extension ObservedConnection {
  /// - Returns: `nil` for another observation.
  fileprivate init?(_ observation: Observation) {
    guard case .event(let event) = observation, event.kind == .connected || event.kind == .disconnected,
      let target = event.target, let connection = event.connectionID
    else { return nil }
    self.init(target: target, connection: connection, isOpen: event.kind == .connected, at: event.at)
  }
}

extension ReceiptRefusal.Kind {
  /// Requests beyond a source's limit count with the forged receipts.
  fileprivate var event: EventKind {
    switch self {
    case .wrongMAC, .rateLimited: .forgedReceipt
    case .malformed: .malformedReceipt
    }
  }

  fileprivate var words: String {
    switch self {
    case .wrongMAC: "wrong MAC"
    case .malformed: "malformed request"
    case .rateLimited: "too many bad requests"
    }
  }
}
