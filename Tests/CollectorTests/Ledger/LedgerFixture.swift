import Measurement

@testable import Collector
@testable import Transport

/// A run with one target, driven by hand: time is what the test says it is.
struct LedgerFixture {
  static let boot = "11111111-2222-3333-4444-555555555555"
  static let target = TargetID(rawValue: 7)

  let run: RunID
  var ledger: Ledger
  /// What the store would hold: every row the ledger handed out, the newest state of each.
  var stored: [SampleID: Sample] = [:]
  var receipts: [Receipt] = []
  var events: [Event] = []
  /// Rows handed out as inserts that the store had, or as updates that it had not: always empty.
  var misplaced: [SampleID] = []
  let deadline: Int64?

  init(deadline: Duration?) {
    var generator = SystemRandomNumberGenerator()
    run = RunID(at: WallTime(microseconds: 1_700_000_000_000_000), using: &generator)
    self.deadline = deadline?.microseconds
    ledger = Ledger(
      run: run, bootID: Self.boot,
      targets: [LedgerTarget(id: Self.target, receiptDeadline: deadline?.microseconds)],
      anchor: ClockAnchor(monotonic: .zero, wall: WallTime(microseconds: 1_700_000_000_000_000)))
  }

  func id(_ sequence: Int64) -> SampleID { SampleID(target: Self.target, sequence: sequence) }

  /// Plans `count` notifications, one a millisecond from `start`.
  mutating func plan(_ count: Int, from start: MonotonicTime = at(1000), first: Int64 = 1) {
    ledger.apply(
      .planned(
        PlannedBlock(
          target: Self.target, firstSequence: first,
          planned: (0..<count).map { start + .milliseconds($0) })))
  }

  mutating func send(_ sequence: Int64, at time: MonotonicTime) {
    ledger.apply(.sent(SentRequest(id: id(sequence), at: time, payloadBytes: 200)))
  }

  mutating func answer(
    _ sequence: Int64, at time: MonotonicTime, status: Int = 200, reason: String? = nil
  ) {
    ledger.apply(
      .answered(
        AnsweredRequest(
          id: id(sequence), at: time, source: .kernel, status: status, isAccepted: status == 200,
          reason: reason,
          connection: ConnectionUse(id: 3, age: 10, isFresh: false, streamsInFlight: 1), attempt: 1,
          httpVersion: .http2)))
  }

  @discardableResult
  mutating func receive(
    _ sequence: Int64, at time: MonotonicTime, arriving: MonotonicTime? = nil, boot: String? = boot,
    repeatedSince opening: MonotonicTime? = nil
  ) -> ReceiptDisposition {
    let arrived = arriving ?? time
    var receipt = ArrivedReceipt(
      id: NotificationID(run: run, sample: id(sequence)), device: "phone", arrivedAt: arrived,
      receivedAt: WallTime(microseconds: 5), bootID: boot, receivedMonotonic: time)
    receipt.gap = opening.map { ListeningGap(from: at(0), to: $0) }
    receipt.mayBeRepeated = opening != nil
    return ledger.apply(
      receipt,
      reloaded: ledger.holds(id(sequence)) ? nil : recall(sequence))
  }

  /// What the store would say of a notification.
  func recall(_ sequence: Int64) -> ReloadedSample? {
    sample(sequence).map {
      ReloadedSample(
        sample: $0, runFingerprint: run.fingerprint, bootID: Self.boot, receiptDeadline: deadline,
        heard: HeardReceipts(receipts.filter { $0.sample == id(sequence) }))
    }
  }

  mutating func commit() {
    let changes = ledger.drainChanges()
    for sample in changes.inserted {
      if stored[sample.id] != nil { misplaced.append(sample.id) }
      stored[sample.id] = sample
    }
    for sample in changes.updated {
      if stored[sample.id] == nil { misplaced.append(sample.id) }
      stored[sample.id] = sample
    }
    receipts += changes.receipts
    events += changes.events
  }

  func sample(_ sequence: Int64) -> Sample? { stored[id(sequence)] }

  func kinds() -> [EventKind] { events.map(\.kind) }
}

/// Milliseconds on the test's monotonic clock.
func at(_ milliseconds: Double) -> MonotonicTime {
  MonotonicTime(nanoseconds: Int64(milliseconds * 1_000_000))
}
