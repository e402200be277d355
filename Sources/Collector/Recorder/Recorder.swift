import Measurement
import Store

/// The recorder's work, one round at a time: take what was left, book it, commit it in one transaction, and only then
/// say so to whoever waits for it (the schedule for its next block, a device for its receipt).
///
/// Confined to one thread; ``RecorderThread`` runs it, tests step it.
final class Recorder {
  /// No two commits follow each other faster, so that a busy run commits batches and not rows.
  static let shortestRound = Duration.milliseconds(25)
  /// A commit happens at least this often even when nothing happens: a heartbeat that recovery relies on.
  static let heartbeat = Duration.seconds(1)
  /// How long to wait before a failed commit is tried again.
  static let retryInterval = Duration.seconds(1)
  /// So often a batch of receipts is tried again when the store cannot be read for it, before it is answered that it is
  /// not stored: the device waits for the answer.
  static let mostReadTries = 5
  static let readRetryInterval = Duration.milliseconds(200)
  /// Receipts that cannot be stored are told of in the log at most this often.
  static let failureNoteInterval = Duration.seconds(60)

  private let run: RunID
  private let store: CollectorStore
  private let inbox: RecorderInbox
  private let clock: any HostClock
  private let host: String
  private let loopLag: @Sendable () -> TimingStatistics.LoopLag
  private let onCommitted: @Sendable (PlannedBlock) -> Void
  /// Told of each log line, for the daemon's own output.
  private let onLog: @Sendable (LogLine) -> Void

  private var ledger: Ledger
  private var clockMonitor: ClockMonitor
  private var lastCommit: MonotonicTime
  private var lastAnchor: ClockAnchor?
  /// When the instrument's own figures are to be written next.
  private var instrumentDue: MonotonicTime
  /// What could not be committed yet; nothing new is taken before it is.
  private var pending: Pending?
  private(set) var closing: RecorderInbox.Closing?
  /// A batch of receipts waits for a store that could not be read just now.
  private var isReadingInTrouble = false
  /// When a receipt that cannot be stored is told of in the log again.
  private var nextFailureNote: MonotonicTime?
  private(set) var statistics = RecorderStatistics()

  private struct Pending {
    var batch: WriteBatch
    var blocks: [PlannedBlock] = []
    var replies: [(outcome: ReceiptOutcome, reply: @Sendable (ReceiptOutcome) -> Void)] = []
    var isLast = false
  }

  /// - Parameters:
  ///   - host: as it calls itself; the run's own error is recorded under it.
  ///   - known: what earlier runs of this boot heard of devices' clocks, oldest first.
  ///   - loopLag: how late the timing thread woke so far.
  ///   - onCommitted: told of each planned block once it is committed; called on the recorder's thread.
  init(
    run: RunID, bootID: String, targets: [LedgerTarget], store: CollectorStore, inbox: RecorderInbox,
    clock: any HostClock, host: String = "", known: [DeviceExchange] = [],
    loopLag: @escaping @Sendable () -> TimingStatistics.LoopLag = { TimingStatistics.LoopLag() },
    onCommitted: @escaping @Sendable (PlannedBlock) -> Void,
    onLog: @escaping @Sendable (LogLine) -> Void = { _ in }
  ) {
    self.run = run
    self.store = store
    self.inbox = inbox
    self.clock = clock
    self.host = host
    self.loopLag = loopLag
    self.onCommitted = onCommitted
    self.onLog = onLog
    clockMonitor = ClockMonitor(clock: clock)
    ledger = Ledger(run: run, bootID: bootID, targets: targets, anchor: clockMonitor.anchor)
    let slept = clockMonitor.suspended
    ledger.resume(
      known.filter { abs(($0.hostSlept - slept).nanoseconds) < ClockMonitor.smallestSuspend.nanoseconds })
    lastCommit = clock.monotonicNow()
    instrumentDue = lastCommit + Self.heartbeat
  }

  /// Notifications whose end is open.
  var openCount: Int { ledger.openCount }

  /// What a round leaves to be done.
  enum Outcome: Equatable {
    /// Wait this long, or until the inbox has something.
    case wait(Duration)
    /// Wait this long in any case.
    case pause(Duration)
    /// The run is closed and everything of it is committed.
    case closed
  }

  /// Takes, books and commits once.
  /// - Throws: what the store says when a commit fails. Nothing is lost by it: the next round tries the same again.
  func round() throws -> Outcome {
    if pending == nil { pending = collect() }
    guard let ready = pending else {
      return isReadingInTrouble ? .pause(Self.readRetryInterval) : .wait(untilNextDeadline())
    }
    let now = clock.monotonicNow()
    try statistics.note(rows: ready.batch.rowCount, took: store.commit(ready.batch).duration)
    lastCommit = now
    pending = nil
    for block in ready.blocks { onCommitted(block) }
    for answer in ready.replies { answer.reply(answer.outcome) }
    if ready.isLast { return .closed }
    return .pause(isReadingInTrouble ? Self.readRetryInterval : Self.shortestRound)
  }

  /// Answers whoever waits that nothing more is stored: the recorder ends without having committed what it holds.
  func fail() {
    for answer in pending?.replies ?? [] {
      let outcome = answer.outcome
      answer.reply(
        ReceiptOutcome(
          failed: outcome.accepted + outcome.duplicate + outcome.unknown + outcome.failed))
    }
    pending = nil
    inbox.fail()
  }

  /// Books what the inbox holds and what time has brought.
  /// - Returns: `nil` when there is nothing to commit.
  private func collect() -> Pending? {
    var content = inbox.take()
    var blocks: [PlannedBlock] = []
    var clockEvents = clockMonitor.look(at: clock)
    if !clockEvents.isEmpty { ledger.anchor = clockMonitor.anchor }
    if clockEvents.contains(where: { $0.kind == .suspended }) {
      ledger.noteSleep(until: clock.monotonicNow())
    }
    for observation in content.observations {
      ledger.apply(observation)
      if case .planned(let block) = observation { blocks.append(block) }
    }
    inbox.reuse(&content.observations)
    isReadingInTrouble = false
    let replies = content.deliveries.compactMap(book)
    let now = clock.monotonicNow()
    for kind in ReceiptRefusal.Kind.allCases {
      guard let refusals = content.refusals[kind] else { continue }
      ledger.noteRefused(
        kind.event, count: refusals.count, detail: "\(kind.words), last from \(refusals.lastSource)", at: now)
    }
    ledger.advance(to: now)
    if let ending = content.ending { note(ending, at: now) }
    if content.closing != nil { ledger.dropUnduePlans() }
    let isLast = content.closing.map { ledger.openCount == 0 || now >= $0.deadline } ?? false
    closing = content.closing
    if isLast { ledger.close(at: now) }
    let changes = ledger.takeChanges()
    for line in changes.log { onLog(line) }
    guard
      isLast || !changes.isEmpty || !clockEvents.isEmpty || !replies.isEmpty
        || now - lastCommit >= Self.heartbeat
    else { return nil }
    clockEvents += changes.events
    let batch = WriteBatch(
      run: run, inserted: changes.inserted, updated: changes.updated, receipts: changes.receipts,
      events: clockEvents, log: changes.log,
      anchors: ledger.anchor == lastAnchor ? [] : [ledger.anchor], exchanges: changes.exchanges,
      instrument: isLast || now >= instrumentDue ? instrument() : nil)
    if batch.instrument != nil { instrumentDue = now + Self.heartbeat }
    lastAnchor = ledger.anchor
    return Pending(batch: batch, blocks: blocks, replies: replies, isLast: isLast)
  }

  /// What the run's machinery did so far; the commit that carries it is not in it.
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

  /// Says that nothing more is planned, and what is waited for.
  private func note(_ ending: RecorderInbox.Ending, at now: MonotonicTime) {
    let open = ledger.underWay
    let seconds = (ending.atMost.nanoseconds + 999_999_999) / 1_000_000_000
    let parts = [(open.unanswered, "answer"), (open.unreceived, "receipt")].filter { $0.0 > 0 }
      .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
    let waiting =
      parts.isEmpty
      ? "nothing is under way" : "waiting at most \(seconds) s for \(parts.joined(separator: " and "))"
    ledger.apply(.log(logLine(.info, "\(ending.reason): \(waiting)", at: now)))
  }

  private func logLine(_ level: LogLine.Level, _ message: String, at now: MonotonicTime) -> LogLine {
    LogLine(at: ledger.anchor.wall(at: now), level: level, label: "recorder", message: message)
  }

  /// Books a batch of receipts.
  /// - Returns: the answer to give after the commit; `nil` when the store could not be read just now, in which case the
  ///   batch is back in the inbox and nothing of it is booked.
  private func book(
    _ delivery: RecorderInbox.Delivery
  ) -> (outcome: ReceiptOutcome, reply: @Sendable (ReceiptOutcome) -> Void)? {
    // Each once: a flood of copies of one notification may come as one batch.
    var recalled: [SampleID: ReloadedSample] = [:]
    var unreadable: Set<SampleID> = []
    for id in Set(delivery.receipts.lazy.map(\.id.sample)) where !ledger.holds(id) {
      do {
        recalled[id] = try recall(id)
      } catch {
        let isPassing = (error as? StoreError)?.isTransient ?? false
        if isPassing, delivery.tries < Self.mostReadTries {
          var again = delivery
          again.tries += 1
          isReadingInTrouble = true
          inbox.post(again)
          return nil
        }
        noteFailure(error)
        unreadable.insert(id)
      }
    }
    // First the clocks, by which the receipts are read.
    let arrival = delivery.receipts.first?.arrivedAt ?? clock.monotonicNow()
    var exchanges = ledger.apply(delivery.exchanges, at: arrival)
    for index in exchanges.indices { exchanges[index].hostSlept = clockMonitor.suspended }
    var outcome = ReceiptOutcome()
    for receipt in delivery.receipts {
      if unreadable.contains(receipt.id.sample) {
        outcome.failed += 1
        continue
      }
      switch ledger.apply(receipt, recalled: recalled[receipt.id.sample]) {
      case .accepted: outcome.accepted += 1
      case .duplicate: outcome.duplicate += 1
      case .repeated:
        outcome.accepted += 1
        outcome.repeated += 1
      case .unknown: outcome.unknown += 1
      }
    }
    // Who repeats old receipts does not fill the store with exchanges.
    if outcome.accepted > outcome.repeated { ledger.note(exchanges) }
    return (outcome, delivery.reply)
  }

  /// Says in the log that receipts cannot be stored, seldom: whoever has one can post it without end.
  private func noteFailure(_ error: any Error) {
    let now = clock.monotonicNow()
    if let next = nextFailureNote, now < next { return }
    nextFailureNote = now + Self.failureNoteInterval
    ledger.apply(.log(logLine(.error, "a receipt cannot be stored: \(error)", at: now)))
  }

  private func recall(_ id: SampleID) throws -> ReloadedSample? {
    guard let sample = try store.sample(id), let origin = try store.origin(of: id) else { return nil }
    return ReloadedSample(
      sample: sample, runFingerprint: origin.run.fingerprint, bootID: origin.bootID,
      receiptDeadline: origin.receiptDeadline,
      heard: try store.receiptStamps(of: id, atMost: Ledger.maximumReceipts))
  }

  private func untilNextDeadline() -> Duration {
    let now = clock.monotonicNow()
    var next = min(lastCommit + Self.heartbeat, clockMonitor.nextDeadline)
    if let closing { next = min(next, closing.deadline) }
    if let deadline = ledger.nextDeadline { next = min(next, deadline) }
    return max(.zero, next - now)
  }
}

extension ReceiptRefusal.Kind {
  /// What was turned away unread is counted with what it came after.
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
