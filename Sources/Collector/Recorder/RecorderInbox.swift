import Dispatch
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
    var closing: Closing?
  }

  /// The run is to be closed: as soon as every notification has its end, at the latest at the deadline.
  struct Closing: Sendable {
    var deadline: MonotonicTime
  }

  private let content = Mutex(Content())
  /// Room for observations that is not in use.
  private let spare = Mutex<[Observation]>([])
  private let wake = DispatchSemaphore(value: 0)

  public init() {}

  public func post(_ observations: [Observation]) {
    guard !observations.isEmpty else { return }
    leave { content in
      content.observations += observations
    }
  }

  func post(_ delivery: Delivery) {
    leave { $0.deliveries.append(delivery) }
  }

  func note(_ refusal: ReceiptRefusal) {
    leave { content in
      content.refusals[refusal.kind, default: Refusals()].count += refusal.count
      content.refusals[refusal.kind]?.lastSource = refusal.source
    }
  }

  func close(by deadline: MonotonicTime) {
    leave { $0.closing = Closing(deadline: deadline) }
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
    _ = wake.wait(timeout: .now() + .nanoseconds(Int(max(0, interval.nanoseconds))))
  }

  private func leave(_ change: (inout Content) -> Void) {
    let isFirst = content.withLock { content in
      let wasEmpty =
        content.observations.isEmpty && content.deliveries.isEmpty && content.refusals.isEmpty
      change(&content)
      return wasEmpty || content.closing != nil
    }
    if isFirst { wake.signal() }
  }
}
