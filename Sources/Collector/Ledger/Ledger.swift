import HTTPServer
import Measurement
import Store
import Transport

/// The state machine of a run: turns transport observations and receipts into sample states, rows and events. It has
/// no clock, thread or database; the recorder feeds it and commits its changes.
///
/// A notification is held from its planning until its state is settled and handed out. For a receipt that comes later the
/// recorder reloads its row from the store. Memory therefore depends on what is under way, not on the length of the run.
struct Ledger: Sendable {
  private struct Entry: Sendable {
    var sample: Sample
    var progress: NotificationProgress
    var receiptDeadline: Int64?
    var isDirty = false
    /// Not in the store yet: written as an insert.
    var isNew: Bool
    /// Planned by this run, whose timing thread may still observe it; `false` for one reloaded from the store.
    var isOurs: Bool
    var heard = HeardReceipts()
    /// What of it was handed out before.
    var reported = ReportedProgress()

    /// Once its receipt deadline has passed, what was not shown is unseen.
    mutating func giveUpDisplay() {
      if progress.isOverdue, sample.display == .awaited { sample.display = .unseen }
    }

    /// Only further receipts can change it. A receipt that overtakes the provider's answer does not end the wait for the
    /// answer.
    var isComplete: Bool {
      guard sample.state.isSettled else { return false }
      if isOurs, sample.display == .awaited, !progress.isOverdue { return false }
      return !isOurs || progress.answer != nil || progress.isMissed || progress.isInterrupted
    }
  }

  private let run: RunID
  /// This host's boot: receipts and rows with the same one share our monotonic clock.
  private let bootID: String
  /// Maps the monotonic clock to the wall clock; the recorder renews it.
  var anchor: ClockAnchor

  private var entries: [SampleID: Entry] = [:]
  private var dirty: [SampleID] = []
  private var deliveries: [TargetID: TargetDeliveries] = [:]
  private var limiter = EventRateLimiter()
  private var clocks = DeviceClockTable()
  private var contexts: DeviceContextTable
  private var diagnostics = ReceiptDiagnostics()
  /// Everything but rows: those are made of ``dirty`` entries when the changes are taken.
  private var changes = LedgerChanges()
  /// Whether ``LedgerChanges/observed`` is filled.
  private let isObserved: Bool
  /// How late the run's notifications were sent, µs: part of the tool's own error.
  private(set) var scheduleLags = LatencyHistogram()

  init(
    run: RunID, bootID: String, targets: [LedgerTarget], anchor: ClockAnchor,
    contexts: DeviceContextTable = DeviceContextTable(), isObserved: Bool = false
  ) {
    self.contexts = contexts
    self.isObserved = isObserved
    self.run = run
    self.bootID = bootID
    self.anchor = anchor
    for target in targets { deliveries[target.id] = TargetDeliveries(target: target) }
  }

  /// Notifications held in memory.
  var openCount: Int { entries.count }

  /// How many sent notifications wait for the provider's answer, and how many only for their receipt.
  var underWay: (unanswered: Int, unreceived: Int) {
    var counts = (unanswered: 0, unreceived: 0)
    for entry in entries.values where entry.isOurs && !entry.isComplete && entry.sample.state != .planned {
      if entry.progress.answer == nil { counts.unanswered += 1 } else { counts.unreceived += 1 }
    }
    return counts
  }

  /// When ``advance(to:)`` has something to do next: a receipt deadline or a held event count.
  var nextDeadline: MonotonicTime? {
    var next = limiter.nextDeadline
    for target in deliveries.values {
      guard let due = target.nextExpiry else { continue }
      next = min(next ?? due, due)
    }
    return next
  }

  // MARK: Transport observations

  mutating func apply(_ observation: Observation) {
    switch observation {
    case .planned(let block): plan(block)
    case .withdrawn(let target, let sequences): withdraw(target, sequences)
    case .sent(let sent): record(sent)
    case .answered(let answer): record(answer)
    case .failed(let id, let reason, let attempt, let detail, let at):
      change(id, at: at, detail: detail) { entry in
        entry.progress.answer = .failed
        entry.sample.reason = reason.rawValue
        entry.sample.attempt = attempt
      }
      contradictEarlierReceipt(.failed, reason.rawValue, id: id, at: at)
    case .missed(let id, let reason, let at):
      change(id, at: at) { entry in
        entry.progress.isMissed = true
        entry.sample.reason = reason.rawValue
      }
    case .pinged(let ping):
      changes.pings.append(
        PingAnswer(
          target: ping.target, connectionID: ping.connectionID, at: anchor.wall(at: ping.at),
          roundTrip: ping.roundTrip))
    case .event(let event):
      // A service that drops every connection causes as many events as connections.
      let sinceAnchor = event.at.microseconds - anchor.wall.microseconds
      limiter.add(event, at: anchor.monotonic + .microseconds(sinceAnchor), to: &changes.events)
    case .log(let line): changes.log.append(line)
    }
  }

  private mutating func plan(_ block: PlannedBlock) {
    if let reason = block.missed { return miss(block, reason) }
    let deadline = deliveries[block.target]?.target.receiptDeadline
    for (offset, planned) in block.planned.enumerated() {
      let sequence = block.firstSequence + Int64(offset)
      let id = SampleID(target: block.target, sequence: sequence)
      let sample = Sample(
        id: id, variant: block.variants.isEmpty ? .none : block.variants[offset],
        plannedAt: anchor.wall(at: planned), plannedMonotonic: planned.microseconds)
      entries[id] = Entry(
        sample: sample, progress: NotificationProgress(), receiptDeadline: deadline, isDirty: true,
        isNew: true,
        isOurs: true)
      dirty.append(id)
      deliveries[block.target]?.await(sequence: sequence, planned: planned)
    }
  }

  /// Records what is missed before it was planned: nothing of it can change any more, so it is not held.
  private mutating func miss(_ block: PlannedBlock, _ reason: MissedReason) {
    for (offset, planned) in block.planned.enumerated() {
      var sample = Sample(
        id: SampleID(target: block.target, sequence: block.firstSequence + Int64(offset)),
        variant: block.variants.isEmpty ? .none : block.variants[offset], plannedAt: anchor.wall(at: planned),
        plannedMonotonic: planned.microseconds)
      sample.state = .missed
      sample.reason = reason.rawValue
      changes.inserted.append(sample)
      if isObserved {
        var reported = ReportedProgress()
        changes.observed.append(reported.advance(to: sample, isInFlight: false, run: run))
      }
    }
    guard let last = block.planned.last else { return }
    let event = Event(
      at: anchor.wall(at: last), kind: .missed, target: block.target, count: block.planned.count,
      detail: reason.rawValue)
    limiter.add(event, at: last, to: &changes.events)
  }

  /// Forgets plans that will not be sent. Their sequence numbers may be planned once more.
  private mutating func withdraw(_ target: TargetID, _ sequences: ClosedRange<Int64>) {
    for sequence in sequences {
      let id = SampleID(target: target, sequence: sequence)
      guard let entry = entries[id], entry.sample.state == .planned else { continue }
      entries[id] = nil
      if !entry.isNew { changes.withdrawn.append(id) }
    }
    dirty.removeAll { $0.target == target && sequences.contains($0.sequence) && entries[$0] == nil }
    deliveries[target]?.withdraw(from: sequences.lowerBound)
  }

  /// A target begins, or goes on with another configuration: what is planned from now on has its receipt deadline.
  mutating func adopt(_ target: LedgerTarget) {
    let reportedDisplay = deliveries[target.id]?.target.reportsDisplay ?? false
    deliveries[target.id, default: TargetDeliveries(target: target)].target = target
    if reportedDisplay { deliveries[target.id]?.target.reportsDisplay = true }
  }

  private mutating func record(_ sent: SentRequest) {
    var lag: Int64?
    change(sent.id, at: sent.at) { entry in
      entry.progress.isSent = true
      lag = sent.at.microseconds - entry.sample.plannedMonotonic
      entry.sample.scheduleLag = lag
      entry.sample.payloadBytes = sent.payloadBytes
      entry.sample.connection = sent.connection
      entry.sample.attempt = max(1, entry.sample.attempt)
    }
    if let lag { scheduleLags.record(lag) }
  }

  private mutating func record(_ answer: AnsweredRequest) {
    change(answer.id, at: answer.at, detail: answer.reason ?? "") { entry in
      let latency = answer.at.microseconds - entry.sample.plannedMonotonic
      entry.progress.answer = answer.isAccepted ? .accepted : .rejected
      entry.sample.status = answer.status
      entry.sample.reason = answer.reason
      entry.sample.serviceTime = entry.sample.scheduleLag.map { latency - $0 }
      entry.sample.acceptLatency = answer.isAccepted ? latency : nil
      entry.sample.timestampSource = answer.source
      entry.sample.connection = answer.connection
      entry.sample.attempt = answer.attempt
      entry.sample.httpVersion = answer.httpVersion
      entry.sample.path = answer.path
      entry.sample.peerAck = answer.peerAck
      entry.sample.answerID = answer.answerID
    }
    if !answer.isAccepted {
      contradictEarlierReceipt(.rejected, answer.reason, id: answer.id, at: answer.at)
    }
  }

  // MARK: Receipts

  /// Whether a notification is held in memory; a receipt for any other needs its row from the store.
  func holds(_ id: SampleID) -> Bool { entries[id] != nil }

  /// Applies a receipt whose MAC is valid.
  /// - Parameters:
  ///   - reloaded: the notification from the store, where ``holds(_:)`` is `false`; `nil` when the store does not know it
  ///     either.
  ///   - isPruned: retention has deleted its row.
  mutating func apply(
    _ receipt: ArrivedReceipt, reloaded: ReloadedSample? = nil, isPruned: Bool = false
  ) -> ReceiptDisposition {
    let id = receipt.id.sample
    let isOurRun = receipt.id.runFingerprint == run.fingerprint
    if holds(id), isOurRun {
      return process(receipt, for: id, plannedOnThisBoot: true, isOurRun: true)
    }
    guard !holds(id), let reloaded, reloaded.runFingerprint == receipt.id.runFingerprint else {
      if isPruned {
        emit(
          .pruned, at: receipt.arrivedAt,
          detail: "a receipt came for a notification that retention has deleted")
        return .unknown
      }
      emit(.unknownReceipt, at: receipt.arrivedAt, detail: "no such notification: \(receipt.id)")
      return .unknown
    }
    if reloaded.heard.news(receipt) == .nothing { return .repeated }
    entries[id] = Entry(
      sample: reloaded.sample, progress: NotificationProgress(reloaded.sample),
      receiptDeadline: reloaded.receiptDeadline, isNew: false, isOurs: false,
      heard: reloaded.heard, reported: ReportedProgress(reloaded))
    return process(receipt, for: id, plannedOnThisBoot: reloaded.bootID == bootID, isOurRun: isOurRun)
  }

  private mutating func process(
    _ receipt: ArrivedReceipt, for id: SampleID, plannedOnThisBoot: Bool, isOurRun: Bool
  ) -> ReceiptDisposition {
    guard let entry = entries[id] else { return .unknown }
    let news = entry.heard.news(receipt)
    if news == .nothing { return .repeated }
    if receipt.validStages != receipt.stages {
      emitWrongStage(of: receipt, id, "before it received it")
    }
    let timing = ReceiptLatency(
      of: receipt, planned: entry.sample.plannedMonotonic,
      sent: entry.sample.plannedMonotonic + (entry.sample.scheduleLag ?? 0),
      plannedOnThisBoot: plannedOnThisBoot, bootID: bootID, reading: clocks.reading(of: receipt))
    if case .addition(let stages, let isContextNew, let isFirst) = news {
      return add(
        stages, isContextNew: isContextNew, isFirst: isFirst, of: receipt, to: id, timing, isOurRun: isOurRun)
    }
    if isOurRun {
      let note = diagnostics.recordReceipt(id.target, isSubscribed: isSubscribed(id.target))
      log(note, of: id.target, at: receipt.arrivedAt)
    }
    let isDuplicate = entry.progress.receipt != nil
    if isDuplicate, receipt.mayBeRepeated, let gap = receipt.gap,
      !plannedOnThisBoot || entry.sample.plannedMonotonic < gap.to.microseconds
    {
      return .repeated
    }
    return keep(receipt, timing, isDuplicate: isDuplicate, isOurRun: isOurRun, of: entry, id)
  }

  /// Stores a receipt that is new.
  private mutating func keep(
    _ receipt: ArrivedReceipt, _ timing: ReceiptLatency, isDuplicate: Bool, isOurRun: Bool, of entry: Entry,
    _ id: SampleID
  ) -> ReceiptDisposition {
    var context: DeviceContextID?
    if entry.heard.hasRoom {
      context = number(of: receipt.context)
      entries[id]?.heard.record(receipt, hasContext: context != nil)
      var row = Receipt(of: receipt, for: id, timing, isDuplicate: isDuplicate, anchor: anchor)
      (row.stages, row.contextID) = (receipt.validStages, context)
      changes.receipts.append(row)
    }
    if isDuplicate {
      change(id, at: receipt.arrivedAt) { $0.sample.duplicates += 1 }
      emit(.duplicate, at: receipt.arrivedAt, id: id, detail: "from \(receipt.device)")
      return .duplicate
    }
    let isOutOfOrder =
      isOurRun
      && deliveries[id.target]?.recordReceived(sequence: id.sequence, at: timing.receivedAt) ?? false
    let contradicted = entry.sample.state
    let deadline = entry.receiptDeadline
    let isLate = timing.latency.map { latency in deadline.map { latency > $0 } ?? false } ?? true
    let reportsDisplay = isOurRun && deliveries[id.target]?.target.reportsDisplay ?? false
    change(id, at: receipt.arrivedAt) { entry in
      entry.sample.deliveryLatency = timing.latency
      entry.sample.deliveryError = timing.error
      entry.sample.deliveryHigh = timing.high
      entry.sample.isOutOfOrder = isOutOfOrder
      entry.progress.receipt = isLate ? .late : .inTime
    }
    var isTaken = true
    change(id, at: receipt.arrivedAt) { entry in
      if reportsDisplay, !isLate { entry.sample.display = .awaited }
      isTaken = entry.sample.apply(receipt, deadline: deadline, context: context, isCounted: isOurRun)
      entry.giveUpDisplay()
    }
    if !isTaken { emitWrongStage(of: receipt, id, "after it said so") }
    expectDisplay(of: id)
    if isOutOfOrder { emit(.outOfOrder, at: receipt.arrivedAt, id: id) }
    contradict(contradicted, entry.sample.reason, id: id, at: receipt.arrivedAt)
    return .accepted
  }

  /// Stores what a known receipt adds: a row with that alone.
  private mutating func add(
    _ stages: ReceiptStages, isContextNew: Bool, isFirst: Bool, of receipt: ArrivedReceipt, to id: SampleID,
    _ timing: ReceiptLatency, isOurRun: Bool
  ) -> ReceiptDisposition {
    let context = isContextNew ? number(of: receipt.context) : nil
    // Circumstances that have no number are not stored, and would be new each time.
    guard context != nil || !stages.isEmpty else { return .repeated }
    var row = Receipt(of: receipt, for: id, timing, isDuplicate: !isFirst, anchor: anchor)
    (row.stages, row.contextID, row.isAddition) = (stages, context, true)
    changes.receipts.append(row)
    var isTaken = true
    change(id, at: receipt.arrivedAt) { entry in
      entry.heard.record(receipt, hasContext: context != nil)
      // Of further receipts the stages stay with them.
      guard isFirst else { return }
      isTaken = entry.sample.apply(
        receipt, deadline: entry.receiptDeadline, context: context, isCounted: isOurRun)
    }
    if !isTaken { emitWrongStage(of: receipt, id, "after it said so") }
    expectDisplay(of: id)
    return .accepted
  }

  private mutating func emitWrongStage(of receipt: ArrivedReceipt, _ id: SampleID, _ when: String) {
    emit(
      .malformedReceipt, at: receipt.arrivedAt, id: id,
      detail: "\(receipt.device) says that it showed or opened it \(when): that time is left out")
  }

  /// Expects a target's device to show what it receives, once it has shown one.
  private mutating func expectDisplay(of id: SampleID) {
    if entries[id]?.sample.shownLatency != nil { deliveries[id.target]?.target.reportsDisplay = true }
  }

  private mutating func number(of context: DeviceContext?) -> DeviceContextID? {
    guard let context else { return nil }
    var new: [StoredDeviceContext] = []
    let number = contexts.id(of: context) { new.append($0) }
    changes.contexts += new
    return number
  }

  /// A receipt overrides the provider's answer; an event records the contradiction.
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

  /// Emits the event of a refusal that came after the notification's receipt.
  private mutating func contradictEarlierReceipt(
    _ kind: EventKind, _ reason: String?, id: SampleID, at time: MonotonicTime
  ) {
    guard let entry = entries[id], entry.progress.receipt != nil else { return }
    let word = reason.map { ": \($0)" } ?? ""
    emit(
      kind, at: time, id: id,
      detail: "contradicted by an earlier receipt (is \(entry.sample.state.name)\(word))")
  }

  /// Counts receipts that the listener rejected: forged, malformed, too many.
  mutating func recordRefused(_ kind: EventKind, count: Int, detail: String, at now: MonotonicTime) {
    diagnostics.recordRefused(kind, count: count)
    let event = Event(at: anchor.wall(at: now), kind: kind, count: count, detail: detail)
    limiter.add(event, at: now, to: &changes.events)
  }

  /// Counts TLS handshakes with the listener that failed.
  mutating func recordHandshakes(
    _ failure: HandshakeFailure, count: Int, from source: String, at now: MonotonicTime
  ) {
    let network = SourceAddress.network(source)
    log(diagnostics.recordHandshakes(failure, count: count, from: network, at: now), of: nil, at: now)
    let event = Event(
      at: anchor.wall(at: now), kind: .handshakeFailed, count: count,
      detail: HandshakeDetail(failure: failure, network: network).text)
    limiter.add(event, by: failure, at: now, to: &changes.events)
  }

  private mutating func log(_ note: ReceiptDiagnostics.Note?, of target: TargetID?, at now: MonotonicTime) {
    if let note { changes.log.append(note.line(of: target, at: anchor.wall(at: now))) }
  }

  // MARK: Time

  /// Applies receipt deadlines and writes the held event counts that are due.
  mutating func advance(to now: MonotonicTime) {
    for target in deliveries.keys.sorted() { expire(target, at: now) }
    limiter.flush(at: now, to: &changes.events)
  }

  private mutating func expire(_ target: TargetID, at now: MonotonicTime) {
    while let sequence = deliveries[target]?.removeExpired(at: now) {
      change(SampleID(target: target, sequence: sequence), at: now) { entry in
        entry.progress.isOverdue = true
        entry.giveUpDisplay()
      }
    }
  }

  // MARK: Devices' clocks

  /// Restores what an earlier run of this boot knew of devices' clocks. The bound that an exchange gives widens with time, by
  /// what the clocks can drift apart, and so stays true.
  mutating func resume(_ known: [DeviceExchange]) {
    for exchange in known { _ = clocks.add(exchange, at: exchange.exchange.t3) }
  }

  /// Applies the exchanges that came with authentic receipts; to be called before these receipts are applied.
  /// - Parameter now: when they arrived.
  /// - Returns: the exchanges to store.
  mutating func apply(_ arrived: [DeviceExchange], at now: MonotonicTime) -> [DeviceExchange] {
    var taken: [DeviceExchange] = []
    for exchange in arrived where add(exchange, at: now) { taken.append(exchange) }
    // After all of them, so that the announcement has the best estimate.
    for exchange in taken.reversed() { announce(exchange, at: now) }
    return taken
  }

  /// - Returns: whether it is new.
  private mutating func add(_ arrived: DeviceExchange, at now: MonotonicTime) -> Bool {
    let outcome = clocks.add(arrived, at: now)
    if let event = outcome.event(of: arrived.device, coarseness: clocks.coarseness(of: arrived)) {
      emit(event.kind, at: now, detail: event.detail)
    }
    return outcome != .repeated && outcome != .outdated
  }

  /// The host was suspended, and has resumed by now.
  mutating func recordSleep(until now: MonotonicTime) { clocks.hostSlept(until: now) }

  /// Adds exchanges to the changes for the store.
  mutating func record(_ taken: [DeviceExchange]) {
    changes.exchanges += taken
    guard isObserved else { return }
    for exchange in taken {
      if let offset = clocks.offset(after: exchange, anchor: anchor) {
        changes.clockOffsets.append(ObservedClockOffset(device: exchange.device, offset: offset))
      }
    }
  }

  private mutating func announce(_ arrived: DeviceExchange, at now: MonotonicTime) {
    guard let announcement = clocks.announcement(after: arrived, at: now) else { return }
    emit(
      .clockOffset, at: now, detail: "the clock of \(arrived.device) is \(announcement.words(anchor: anchor))"
    )
  }

  // MARK: Changes for the store

  /// Returns every change since the last call, in the order of sample ids, and forgets what is settled.
  mutating func drainChanges() -> LedgerChanges {
    var changes = changes
    self.changes = LedgerChanges()
    let hasMissed = !changes.inserted.isEmpty
    dirty.sort()
    for id in dirty {
      guard var entry = entries[id] else { continue }
      if entry.isNew { changes.inserted.append(entry.sample) } else { changes.updated.append(entry.sample) }
      if isObserved {
        let waits = entry.isOurs && entry.progress.isSent && entry.progress.answer == nil && !entry.isComplete
        changes.observed.append(entry.reported.advance(to: entry.sample, isInFlight: waits, run: run))
      }
      if entry.isComplete {
        entries[id] = nil
      } else {
        entry.isDirty = false
        entry.isNew = false
        entries[id] = entry
      }
    }
    dirty.removeAll(keepingCapacity: true)
    if hasMissed { changes.inserted.sort { $0.id < $1.id } }
    return changes
  }

  /// Forgets notifications that are only planned, after the end of the schedule. The store removes their rows when it ends
  /// the run.
  mutating func dropUnduePlans() {
    for (id, entry) in entries where entry.sample.state == .planned { entries[id] = nil }
  }

  /// Ends the run: notifications without an end are interrupted, and held event counts are written.
  mutating func close(at now: MonotonicTime) {
    dropUnduePlans()
    var interrupted: [TargetID: Int] = [:]
    for id in entries.keys.sorted() where entries[id]?.sample.state.isSettled == false {
      change(id, at: now) { $0.progress.isInterrupted = true }
      interrupted[id.target, default: 0] += 1
    }
    for (target, count) in interrupted.sorted(by: { $0.key < $1.key }) {
      changes.events.append(
        Event(
          at: anchor.wall(at: now), kind: .interrupted, target: target, count: count,
          detail: "the run was closed before their end was known"))
    }
    limiter.finish(to: &changes.events)
  }

  // MARK: Entries

  private func isSubscribed(_ target: TargetID) -> Bool { deliveries[target]?.target.isSubscribed ?? false }

  /// Changes a held notification, derives its state, and emits an event for a new state. Unknown ids are ignored: they are
  /// settled, and only receipts concern them.
  private mutating func change(
    _ id: SampleID, at time: MonotonicTime, detail: String = "", _ body: (inout Entry) -> Void
  ) {
    guard let index = entries.index(forKey: id) else { return }
    let before = entries.values[index].sample.state
    body(&entries.values[index])
    let after = entries.values[index].progress.state(
      expectsReceipt: entries.values[index].receiptDeadline != nil)
    entries.values[index].sample.state = after
    if !entries.values[index].isDirty {
      entries.values[index].isDirty = true
      dirty.append(id)
    }
    guard before != after, let kind = after.event else { return }
    if after == .lost, entries.values[index].isOurs {
      let note = diagnostics.recordLost(id.target, isSubscribed: isSubscribed(id.target))
      log(note, of: id.target, at: time)
    }
    let word = entries.values[index].sample.reason
    emit(kind, at: time, id: id, detail: detail.isEmpty ? word ?? "" : detail)
  }

  private mutating func emit(
    _ kind: EventKind, at time: MonotonicTime, id: SampleID? = nil, detail: String = ""
  ) {
    let event = Event(
      at: anchor.wall(at: time), kind: kind, target: id?.target,
      connectionID: id.flatMap { entries[$0]?.sample.connection?.id },
      sequence: id?.sequence, detail: detail)
    limiter.add(event, at: time, to: &changes.events)
  }
}
