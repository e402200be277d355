import DequeModule
import Measurement

/// What the ledger keeps for one target beside its open notifications: the order of deliveries, and the receipt deadlines
/// still to come.
struct TargetDeliveries: Sendable {
  let target: LedgerTarget
  private var order = DeliveryOrder()
  /// Ascending in both.
  private var awaiting = Deque<(sequence: Int64, planned: Int64)>()

  init(target: LedgerTarget) { self.target = target }

  /// Remembers when the receipt for a planned notification is due, if one is expected.
  mutating func await(sequence: Int64, planned: MonotonicTime) {
    guard target.receiptDeadline != nil else { return }
    awaiting.append((sequence: sequence, planned: planned.microseconds))
  }

  /// Notes the first receipt for a notification.
  /// - Returns: whether a later one had been received earlier.
  mutating func noteReceived(sequence: Int64, at time: MonotonicTime) -> Bool {
    order.note(sequence: sequence, at: time)
  }

  /// The first instant at which a deadline has passed.
  var nextExpiry: MonotonicTime? {
    guard let deadline = target.receiptDeadline, let first = awaiting.first else { return nil }
    return MonotonicTime(microseconds: first.planned + deadline + 1)
  }

  /// The next sequence number whose deadline has passed by `now`, each once.
  mutating func takeExpired(at now: MonotonicTime) -> Int64? {
    guard let expiry = nextExpiry, expiry <= now else { return nil }
    return awaiting.removeFirst().sequence
  }
}

/// Tells whether a notification of one target was received after one with a later sequence number.
///
/// That depends only on sequences that were received earlier than all later ones, so only these are kept, ascending in sequence
/// and time, and of these the newest 4 096. An older sequence is compared with these, and found out of order.
struct DeliveryOrder: Sendable {
  static let window = 4096

  private var deliveries = Deque<(sequence: Int64, time: MonotonicTime)>()

  /// Deliveries remembered.
  var count: Int { deliveries.count }

  /// Notes that `sequence` was received at `time`.
  /// - Returns: whether a later sequence had been received earlier.
  mutating func note(sequence: Int64, at time: MonotonicTime) -> Bool {
    var place = deliveries.endIndex
    while place > deliveries.startIndex, deliveries[place - 1].sequence > sequence { place -= 1 }
    if place < deliveries.endIndex, deliveries[place].time < time { return true }
    var first = place
    while first > deliveries.startIndex, deliveries[first - 1].time >= time { first -= 1 }
    deliveries.replaceSubrange(first..<place, with: CollectionOfOne((sequence: sequence, time: time)))
    if deliveries.count > Self.window { deliveries.removeFirst(deliveries.count - Self.window) }
    return false
  }
}
