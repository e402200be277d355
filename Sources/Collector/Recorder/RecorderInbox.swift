import Measurement
import Store
import Synchronization
import Threads
import Transport

/// The recorder's mailbox: other threads post here what is to be recorded. A post costs a lock and an append.
final class RecorderInbox: Sendable {
  /// A batch of receipts, the clock exchanges that came with it, and the way to answer the device once it is committed.
  struct Delivery: Sendable {
    var receipts: [ArrivedReceipt]
    var exchanges: [DeviceExchange] = []
    var reply: @Sendable (ReceiptOutcome) -> Void
    /// How often the store could not be read for it.
    var tries = 0

    /// Answers that nothing of it was stored.
    func fail() { reply(ReceiptOutcome(failed: receipts.count)) }
  }

  /// Rejected receipts or failed handshakes of one kind: their number, and the source of the last one.
  struct Refusals: Sendable {
    var count = 0
    var lastSource = ""
  }

  struct Content: Sendable {
    var observations: [Observation] = []
    /// Targets that begin, or go on with another configuration; to be applied before the observations, which are of them.
    var targets: [LedgerTarget] = []
    var deliveries: [Delivery] = []
    var refusals: [ReceiptRefusal.Kind: Refusals] = [:]
    /// TLS handshakes with the listener that failed.
    var handshakes: [HandshakeFailure: Refusals] = [:]
    /// Nothing more is planned; the log is to say so, and what is still under way.
    var ending: Ending?
    var closing: Closing?
    /// Nothing can be stored any more.
    var hasFailed = false
  }

  /// Why nothing more is planned, and how long the run waits for what is under way.
  struct Ending: Sendable, Equatable {
    var reason: String
    var atMost: Duration
  }

  /// The run is to be closed as soon as every notification has its end, and at the deadline at the latest.
  struct Closing: Sendable, Equatable {
    var deadline: MonotonicTime
    /// The instant until which a failed last commit is retried.
    var lastTry: MonotonicTime
  }

  private let content = Mutex(Content())
  /// An array whose storage is not in use.
  private let spare = Mutex<[Observation]>([])
  private let wake: WakeSignal

  /// - Throws: ``ThreadError`` when the system has no descriptor left.
  init() throws(ThreadError) { wake = try WakeSignal() }

  func post(_ observations: [Observation]) {
    guard !observations.isEmpty else { return }
    update { content in
      content.observations += observations
    }
  }

  /// Announces targets of which observations will come.
  func post(_ targets: [LedgerTarget]) {
    guard !targets.isEmpty else { return }
    update { $0.targets += targets }
  }

  func post(_ delivery: Delivery) {
    var hasFailed = false
    update { content in
      hasFailed = content.hasFailed
      if !hasFailed { content.deliveries.append(delivery) }
    }
    if hasFailed { delivery.fail() }
  }

  /// Answers every batch of receipts, and every later one, that it is not stored: the recorder has given up.
  func fail() {
    let deliveries = content.withLock { content in
      defer { content.deliveries = [] }
      content.hasFailed = true
      return content.deliveries
    }
    for delivery in deliveries { delivery.fail() }
  }

  /// What is in it, and would not be recorded without another round.
  /// - Parameter now: what was planned for later was never due.
  func loss(until now: MonotonicTime) -> RecordingLoss {
    content.withLock { content in
      var loss = RecordingLoss()
      for observation in content.observations {
        switch observation {
        case .planned(let block): loss.notifications += block.planned.count { $0 <= now }
        case .log, .event: loss.events += 1
        default: loss.changes += 1
        }
      }
      loss.receipts = content.deliveries.reduce(0) { $0 + $1.receipts.count }
      return loss
    }
  }

  func announce(_ ending: Ending) {
    update { $0.ending = ending }
  }

  /// Asks for the run to be closed. Of several deadlines the earliest holds.
  /// - Parameter lastTry: until when a failed commit is retried, if later than the deadline.
  func close(by deadline: MonotonicTime, lastTry: MonotonicTime? = nil) {
    update { content in
      let deadline = min(deadline, content.closing?.deadline ?? deadline)
      content.closing = Closing(deadline: deadline, lastTry: max(lastTry ?? deadline, deadline))
    }
  }

  /// Set once the run is to be closed.
  var closing: Closing? { content.withLock { $0.closing } }

  /// Removes and returns everything posted since the last call. Pass its observations to ``reuse(_:)`` afterwards.
  func drain() -> Content {
    let storage = spare.withLock { spare in
      defer { spare = [] }
      return spare
    }
    return content.withLock { content in
      let taken = content
      content = Content(observations: storage)
      content.closing = taken.closing
      content.hasFailed = taken.hasFailed
      return taken
    }
  }

  /// Keeps the storage of observations for the next ones. When one thread allocates what another frees, the first waits for
  /// the allocator's lock while the second, which the kernel may have suspended, holds it.
  func reuse(_ observations: inout [Observation]) {
    observations.removeAll(keepingCapacity: observations.capacity <= Self.maximumSpare)
    spare.withLock { spare in
      if spare.capacity < observations.capacity { swap(&spare, &observations) }
    }
  }

  /// Larger storage, from a time when the store stalled, is freed.
  private static let maximumSpare = 16_384

  /// Waits until something was posted since the last wait, at most for `interval`.
  func wait(atMost interval: Duration) { wake.wait(atMost: interval) }

  private func update(_ change: (inout Content) -> Void) {
    let isFirst = content.withLock { content in
      let wasEmpty =
        content.observations.isEmpty && content.deliveries.isEmpty && content.refusals.isEmpty
        && content.handshakes.isEmpty && content.ending == nil && content.targets.isEmpty
      change(&content)
      return wasEmpty || content.closing != nil
    }
    if isFirst { wake.raise() }
  }
}

extension RecorderInbox: ReceiptSink {
  func receive(
    _ receipts: [ArrivedReceipt], exchanges: [DeviceExchange],
    reply: @escaping @Sendable (ReceiptOutcome) -> Void
  ) {
    post(Delivery(receipts: receipts, exchanges: exchanges, reply: reply))
  }

  func refused(_ refusal: ReceiptRefusal) {
    update { content in
      content.refusals[refusal.kind, default: Refusals()].count += refusal.count
      content.refusals[refusal.kind]?.lastSource = refusal.source
    }
  }

  func handshakeFailed(_ failure: HandshakeFailure, from source: String) {
    update { content in
      content.handshakes[failure, default: Refusals()].count += 1
      content.handshakes[failure]?.lastSource = source
    }
  }
}
