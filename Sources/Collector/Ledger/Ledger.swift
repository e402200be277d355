import Measurement

/// The book of a run: turns what was seen into states, rows and events. A pure state machine: no clock, no thread,
/// no database; the recorder feeds it and commits what it gives.
///
/// A notification is held from the moment it is planned until its state is settled and handed out; what a receipt
/// concerns later is recalled from the store. Memory so follows what is under way, not how long the run lasts.
struct Ledger: Sendable {
  struct Entry: Sendable {
    var sample: Sample
    var facts: NotificationProgress
    var receiptDeadline: Int64?
    var isDirty = false
    /// Not in the store yet: goes out as an insert.
    var isNew: Bool
    /// Of this run: what the timing thread sees of it is still to come. One that was recalled has all that there is.
    var isOurs: Bool
    /// The receipts that came for it, ``maximumReceipts`` at most.
    var heard: [ReceiptStamp] = []

    /// Nothing but further receipts can come: a receipt that overtakes the provider's answer does not end the
    /// wait for it.
    var isComplete: Bool {
      guard sample.state.isSettled else { return false }
      return !isOurs || facts.answer != nil || facts.isMissed || facts.isInterrupted
    }
  }

  /// So many receipts of one notification become rows; further ones are only counted, since whoever has seen one
  /// can make more without end.
  static let maximumReceipts = 100

  let run: RunID
  /// This host's boot: receipts and rows that name it share our monotonic clock.
  let bootID: String
  /// Ties the monotonic clock to the wall's; the recorder renews it.
  var anchor: ClockAnchor

  private var entries: [SampleID: Entry] = [:]
  private var dirty: [SampleID] = []
  private var books: [TargetID: TargetDeliveries] = [:]
  private var thinner = EventRateLimiter()
  private var receipts: [Receipt] = []
  private var events: [Event] = []
  private var log: [LogLine] = []
  var exchanges: [DeviceExchange] = []
  var clocks = DeviceClockTable()
  /// How late the run's notifications left, µs: part of the tool's own error.
  private(set) var scheduleLags = LatencyHistogram()

  init(run: RunID, bootID: String, targets: [LedgerTarget], anchor: ClockAnchor) {
    self.run = run
    self.bootID = bootID
    self.anchor = anchor
    for target in targets { books[target.id] = TargetDeliveries(target: target) }
  }

  /// Notifications whose end is still open.
  var openCount: Int { entries.count }

  /// How many notifications were sent and wait for the provider's answer, and how many for their receipt alone.
  var underWay: (unanswered: Int, unreceived: Int) {
    var counts = (unanswered: 0, unreceived: 0)
    for entry in entries.values where entry.isOurs && !entry.isComplete && entry.sample.state != .planned {
      if entry.facts.answer == nil { counts.unanswered += 1 } else { counts.unreceived += 1 }
    }
    return counts
  }

  /// When ``advance(to:)`` has something to do next: a receipt deadline or a held event count.
  var nextDeadline: MonotonicTime? {
    var next = thinner.nextDeadline
    for book in books.values {
      guard let due = book.nextExpiry else { continue }
      next = min(next ?? due, due)
    }
    return next
  }

  // MARK: What the timing thread saw

  mutating func apply(_ observation: Observation) {
    switch observation {
    case .planned(let block): plan(block)
    case .sent(let sent): note(sent)
    case .answered(let answer): note(answer)
    case .failed(let id, let reason, let attempt, let detail, let at):
      change(id, at: at, detail: detail) { entry in
        entry.facts.answer = .failed
        entry.sample.reason = reason.rawValue
        entry.sample.attempt = attempt
      }
      contradictEarlierReceipt(.failed, reason.rawValue, id: id, at: at)
    case .missed(let id, let reason, let at):
      change(id, at: at) { entry in
        entry.facts.isMissed = true
        entry.sample.reason = reason.rawValue
      }
    case .event(let event):
      // A service that drops every connection makes as many events as it has connections.
      let sinceAnchor = event.at.microseconds - anchor.wall.microseconds
      thinner.add(event, at: anchor.monotonic + .microseconds(sinceAnchor), to: &events)
    case .log(let line): log.append(line)
    }
  }

  private mutating func plan(_ block: PlannedBlock) {
    let deadline = books[block.target]?.target.receiptDeadline
    for (offset, planned) in block.planned.enumerated() {
      let sequence = block.firstSequence + Int64(offset)
      let id = SampleID(target: block.target, sequence: sequence)
      let sample = Sample(
        id: id, variant: block.variants.isEmpty ? .none : block.variants[offset],
        plannedAt: anchor.wall(at: planned), plannedMonotonic: planned.microseconds)
      entries[id] = Entry(
        sample: sample, facts: NotificationProgress(), receiptDeadline: deadline, isDirty: true, isNew: true,
        isOurs: true)
      dirty.append(id)
      books[block.target]?.await(sequence: sequence, planned: planned)
    }
  }

  private mutating func note(_ sent: SentRequest) {
    var lag: Int64?
    change(sent.id, at: sent.at) { entry in
      entry.facts.isSent = true
      lag = sent.at.microseconds - entry.sample.plannedMonotonic
      entry.sample.scheduleLag = lag
      entry.sample.payloadBytes = sent.payloadBytes
      entry.sample.connection = sent.connection
      entry.sample.attempt = max(1, entry.sample.attempt)
    }
    if let lag { scheduleLags.record(lag) }
  }

  private mutating func note(_ answer: AnsweredRequest) {
    change(answer.id, at: answer.at, detail: answer.reason ?? "") { entry in
      let latency = answer.at.microseconds - entry.sample.plannedMonotonic
      entry.facts.answer = answer.isAccepted ? .accepted : .rejected
      entry.sample.status = answer.status
      entry.sample.reason = answer.reason
      entry.sample.serviceTime = entry.sample.scheduleLag.map { latency - $0 }
      entry.sample.acceptLatency = answer.isAccepted ? latency : nil
      entry.sample.timestampSource = answer.source
      entry.sample.connection = answer.connection
      entry.sample.attempt = answer.attempt
      entry.sample.httpVersion = answer.httpVersion
    }
    if !answer.isAccepted {
      contradictEarlierReceipt(.rejected, answer.reason, id: answer.id, at: answer.at)
    }
  }

  // MARK: What devices said

  /// Whether a notification is held in memory; a receipt for one that is not needs its row recalled from the store.
  func holds(_ id: SampleID) -> Bool { entries[id] != nil }

  /// Takes a receipt whose MAC was right.
  /// - Parameter recalled: what the store has of the notification, where ``holds(_:)`` says no; `nil` when the
  ///   store does not know it either.
  mutating func apply(_ receipt: ArrivedReceipt, recalled: ReloadedSample? = nil) -> ReceiptDisposition {
    let id = receipt.id.sample
    let isOurRun = receipt.id.runFingerprint == run.fingerprint
    if holds(id), isOurRun {
      return take(receipt, for: id, plannedOnThisBoot: true, isOurRun: true)
    }
    guard !holds(id), let recalled, recalled.runFingerprint == receipt.id.runFingerprint else {
      emit(.unknownReceipt, at: receipt.arrivedAt, detail: "no such notification: \(receipt.id)")
      return .unknown
    }
    if recalled.heard.contains(receipt.stamp) { return .repeated }
    entries[id] = Entry(
      sample: recalled.sample, facts: NotificationProgress(recalled.sample),
      receiptDeadline: recalled.receiptDeadline, isNew: false, isOurs: false,
      heard: recalled.heard)
    return take(receipt, for: id, plannedOnThisBoot: recalled.bootID == bootID, isOurRun: isOurRun)
  }

  private mutating func take(
    _ receipt: ArrivedReceipt, for id: SampleID, plannedOnThisBoot: Bool, isOurRun: Bool
  ) -> ReceiptDisposition {
    guard let entry = entries[id] else { return .unknown }
    if entry.heard.contains(receipt.stamp) { return .repeated }
    let timing = ReceiptLatency(
      of: receipt, planned: entry.sample.plannedMonotonic,
      sent: entry.sample.plannedMonotonic + (entry.sample.scheduleLag ?? 0),
      plannedOnThisBoot: plannedOnThisBoot, bootID: bootID, reading: clocks.reading(of: receipt))
    let isDuplicate = entry.facts.receipt != nil
    if entry.heard.count < Self.maximumReceipts {
      entries[id]?.heard.append(receipt.stamp)
      receipts.append(row(of: receipt, for: id, timing, isDuplicate: isDuplicate))
    }
    if isDuplicate {
      change(id, at: receipt.arrivedAt) { $0.sample.duplicates += 1 }
      emit(.duplicate, at: receipt.arrivedAt, id: id, detail: "from \(receipt.device)")
      return .duplicate
    }
    let isOutOfOrder =
      isOurRun
      && books[id.target]?.order.note(sequence: id.sequence, at: timing.receivedAt) ?? false
    let contradicted = entry.sample.state
    let deadline = entry.receiptDeadline
    change(id, at: receipt.arrivedAt) { entry in
      entry.sample.deliveryLatency = timing.latency
      entry.sample.deliveryError = timing.error
      entry.sample.deliveryHigh = timing.high
      entry.sample.isOutOfOrder = isOutOfOrder
      let isLate = timing.latency.map { latency in deadline.map { latency > $0 } ?? false } ?? true
      entry.facts.receipt = isLate ? .late : .inTime
    }
    if isOutOfOrder { emit(.outOfOrder, at: receipt.arrivedAt, id: id) }
    contradict(contradicted, entry.sample.reason, id: id, at: receipt.arrivedAt)
    return .accepted
  }

  private func row(
    of receipt: ArrivedReceipt, for id: SampleID, _ timing: ReceiptLatency, isDuplicate: Bool
  ) -> Receipt {
    let half = ArrivedReceipt.resolution / 2 / 1000
    let offset = timing.reading.map { reading in
      receipt.receivedAt.microseconds + half - anchor.wall(at: reading.instant).microseconds
    }
    return Receipt(
      sample: id, device: receipt.device, receivedAt: receipt.receivedAt,
      arrivedAt: anchor.wall(at: receipt.arrivedAt), isSameClock: timing.isSameClock,
      monotonic: receipt.receivedMonotonic?.nanoseconds, offset: offset,
      offsetError: timing.reading?.error.microseconds, isDuplicate: isDuplicate)
  }

  /// A receipt outweighs the provider's word; that they disagreed is kept.
  private mutating func contradict(
    _ state: NotificationState, _ reason: String?, id: SampleID, at time: MonotonicTime
  ) {
    let kind: EventKind
    switch state {
    case .rejected: kind = .rejected
    case .failed: kind = .failed
    default: return
    }
    let word = reason.map { ": \($0)" } ?? ""
    emit(kind, at: time, id: id, detail: "contradicted by a receipt (was \(state.name)\(word))")
  }

  /// The same the other way round: the receipt was here before the provider said no.
  private mutating func contradictEarlierReceipt(
    _ kind: EventKind, _ reason: String?, id: SampleID, at time: MonotonicTime
  ) {
    guard let entry = entries[id], entry.facts.receipt != nil else { return }
    let word = reason.map { ": \($0)" } ?? ""
    emit(
      kind, at: time, id: id,
      detail: "contradicted by an earlier receipt (is \(entry.sample.state.name)\(word))")
  }

  /// Counts receipts that were turned away before they reached the book: forged, malformed, too many.
  mutating func noteRefused(_ kind: EventKind, count: Int, detail: String, at now: MonotonicTime) {
    let event = Event(at: anchor.wall(at: now), kind: kind, count: count, detail: detail)
    thinner.add(event, at: now, to: &events)
  }

  // MARK: Time

  /// Lets time pass: deadlines run out, held counts are written.
  mutating func advance(to now: MonotonicTime) {
    for target in books.keys.sorted() { expire(target, at: now) }
    thinner.flush(at: now, to: &events)
  }

  private mutating func expire(_ target: TargetID, at now: MonotonicTime) {
    while let sequence = books[target]?.takeExpired(at: now) {
      change(SampleID(target: target, sequence: sequence), at: now) { $0.facts.isOverdue = true }
    }
  }

  // MARK: What goes to the store

  /// Hands out every change since the last call, in the order of sample ids, and lets go of what is settled.
  mutating func takeChanges() -> LedgerChanges {
    var changes = LedgerChanges(receipts: receipts, events: events, log: log, exchanges: exchanges)
    dirty.sort()
    for id in dirty {
      guard var entry = entries[id] else { continue }
      if entry.isNew { changes.inserted.append(entry.sample) } else { changes.updated.append(entry.sample) }
      if entry.isComplete {
        entries[id] = nil
      } else {
        entry.isDirty = false
        entry.isNew = false
        entries[id] = entry
      }
    }
    dirty.removeAll(keepingCapacity: true)
    receipts.removeAll()
    events.removeAll()
    log.removeAll()
    exchanges.removeAll()
    return changes
  }

  /// Forgets what is still only planned: for when the schedule has ended, so that its time will never come. The store
  /// takes such rows out of the plan when it ends the run.
  mutating func dropUnduePlans() {
    for (id, entry) in entries where entry.sample.state == .planned { entries[id] = nil }
  }

  /// Ends the book at the end of a run: what is still open is interrupted, since nobody listens for its end any more,
  /// and held event counts are written.
  mutating func close(at now: MonotonicTime) {
    dropUnduePlans()
    var interrupted: [TargetID: Int] = [:]
    for id in entries.keys.sorted() where entries[id]?.sample.state.isSettled == false {
      change(id, at: now) { $0.facts.isInterrupted = true }
      interrupted[id.target, default: 0] += 1
    }
    for (target, count) in interrupted.sorted(by: { $0.key < $1.key }) {
      events.append(
        Event(
          at: anchor.wall(at: now), kind: .interrupted, target: target, count: count,
          detail: "the run was closed before their end was known"))
    }
    thinner.finish(to: &events)
  }

  // MARK: Changing an entry

  /// Applies new facts to a held notification, derives its state and emits the event of a new one. Unknown ids are
  /// ignored: what is settled and handed out takes no more news but receipts.
  private mutating func change(
    _ id: SampleID, at time: MonotonicTime, detail: String = "", _ body: (inout Entry) -> Void
  ) {
    guard let index = entries.index(forKey: id) else { return }
    let before = entries.values[index].sample.state
    body(&entries.values[index])
    let after = entries.values[index].facts.state(
      expectsReceipt: entries.values[index].receiptDeadline != nil)
    entries.values[index].sample.state = after
    if !entries.values[index].isDirty {
      entries.values[index].isDirty = true
      dirty.append(id)
    }
    guard before != after, let kind = Self.event(for: after) else { return }
    let word = entries.values[index].sample.reason
    emit(kind, at: time, id: id, detail: detail.isEmpty ? word ?? "" : detail)
  }

  private static func event(for state: NotificationState) -> EventKind? {
    switch state {
    case .rejected: .rejected
    case .failed: .failed
    case .missed: .missed
    case .lost: .lost
    case .late: .late
    case .planned, .inFlight, .accepted, .delivered, .interrupted: nil
    }
  }

  mutating func emit(
    _ kind: EventKind, at time: MonotonicTime, id: SampleID? = nil, detail: String = ""
  ) {
    let event = Event(
      at: anchor.wall(at: time), kind: kind, target: id?.target,
      connectionID: id.flatMap { entries[$0]?.sample.connection?.id },
      sequence: id?.sequence, detail: detail)
    thinner.add(event, at: time, to: &events)
  }
}
