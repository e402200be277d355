import Measurement
import Store
import Synchronization

/// Where other threads leave what the recorder shall record. Leaving something costs a lock and an append.
public final class RecorderInbox: Sendable {
  /// A batch of receipts, what came with them of the devices' clocks, and the way to answer the device once they
  /// are committed.
  struct Delivery: Sendable {
    var receipts: [ArrivedReceipt]
    var exchanges: [DeviceExchange] = []
    var reply: @Sendable (ReceiptOutcome) -> Void
    /// How often the store could not be read for it.
    var tries = 0

    /// Answers that nothing of it was stored.
    func fail() { reply(ReceiptOutcome(failed: receipts.count)) }
  }

  /// Receipts that were turned away, by kind: only their number, and who sent the last of them.
  struct Refusals: Sendable {
    var count = 0
    var lastSource = ""
  }

  struct Content: Sendable {
    var observations: [Observation] = []
    var deliveries: [Delivery] = []
    var refusals: [ReceiptRefusal.Kind: Refusals] = [:]
    /// Nothing more is planned: to be told with what is still under way.
    var ending: Ending?
    var closing: Closing?
    /// Nothing can be stored any more.
    var hasFailed = false
  }

  /// Why nothing more is planned, and how long the run waits for what is under way.
  struct Ending: Sendable {
    var reason: String
    var atMost: Duration
  }

  /// The run is to be closed: as soon as every notification has its end, at the latest at the deadline.
  struct Closing: Sendable {
    var deadline: MonotonicTime
    /// Until when a last commit that fails is tried again.
    var lastTry: MonotonicTime
  }

  private let content = Mutex(Content())
  /// Room for observations that is not in use.
  private let spare = Mutex<[Observation]>([])
  private let wake = WakeSignal()

  public init() {}

  public func post(_ observations: [Observation]) {
    guard !observations.isEmpty else { return }
    leave { content in
      content.observations += observations
    }
  }

  func post(_ delivery: Delivery) {
    var hasFailed = false
    leave { content in
      hasFailed = content.hasFailed
      if !hasFailed { content.deliveries.append(delivery) }
    }
    if hasFailed { delivery.fail() }
  }

  /// Answers every batch of receipts, those to come too, that it is not stored: nobody records any more.
  func fail() {
    let deliveries = content.withLock { content in
      defer { content.deliveries = [] }
      content.hasFailed = true
      return content.deliveries
    }
    for delivery in deliveries { delivery.fail() }
  }

  func note(_ refusal: ReceiptRefusal) {
    leave { content in
      content.refusals[refusal.kind, default: Refusals()].count += refusal.count
      content.refusals[refusal.kind]?.lastSource = refusal.source
    }
  }

  func announce(_ ending: Ending) {
    leave { $0.ending = ending }
  }

  /// Asks for the run to be closed. Of several deadlines the earliest holds.
  /// - Parameter lastTry: until when a failed commit is tried again, if later than the deadline.
  func close(by deadline: MonotonicTime, lastTry: MonotonicTime? = nil) {
    leave { content in
      let deadline = min(deadline, content.closing?.deadline ?? deadline)
      content.closing = Closing(deadline: deadline, lastTry: max(lastTry ?? deadline, deadline))
    }
  }

  /// Set once the run is to be closed.
  var closing: Closing? { content.withLock { $0.closing } }

  /// Everything that has come since the last call. Give the observations back when they are done with.
  func take() -> Content {
    let room = spare.withLock { spare in
      let room = spare
      spare = []
      return room
    }
    return content.withLock { content in
      let taken = content
      content = Content(observations: room)
      content.closing = taken.closing
      content.hasFailed = taken.hasFailed
      return taken
    }
  }

  /// Takes the room of observations for the next ones. What one thread allocates and another frees makes the first wait
  /// for the allocator's lock while the second, which the kernel may have set aside, holds it.
  func reuse(_ observations: inout [Observation]) {
    observations.removeAll(keepingCapacity: observations.capacity <= Self.mostRoom)
    spare.withLock { spare in
      if spare.capacity < observations.capacity { swap(&spare, &observations) }
    }
  }

  /// What a stalled store let pile up is not kept for ever.
  private static let mostRoom = 16_384

  /// Waits until something was left since the last wait, or the interval is over.
  func wait(atMost interval: Duration) {
    wake.wait(atMost: interval)
  }

  private func leave(_ change: (inout Content) -> Void) {
    let isFirst = content.withLock { content in
      let wasEmpty =
        content.observations.isEmpty && content.deliveries.isEmpty && content.refusals.isEmpty
        && content.ending == nil
      change(&content)
      return wasEmpty || content.closing != nil
    }
    if isFirst { wake.raise() }
  }
}
