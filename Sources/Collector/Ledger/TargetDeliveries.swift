import Measurement

/// What the ledger keeps for one target beside its open notifications: the order of deliveries and the receipt
/// deadlines still to come.
struct TargetDeliveries: Sendable {
  let target: LedgerTarget
  var order = DeliveryOrder()

  /// Ascending in both; what lies before `start` has expired and is given back in large steps.
  private var awaiting: [(sequence: Int64, planned: Int64)] = []
  private var start = 0

  init(target: LedgerTarget) { self.target = target }

  /// Remembers when the receipt for a planned notification is due; a no-op when none is expected.
  mutating func await(sequence: Int64, planned: MonotonicTime) {
    guard target.receiptDeadline != nil else { return }
    awaiting.append((sequence: sequence, planned: planned.microseconds))
  }

  /// The first instant at which a deadline has passed.
  var nextExpiry: MonotonicTime? {
    guard let deadline = target.receiptDeadline, start < awaiting.count else { return nil }
    return MonotonicTime(microseconds: awaiting[start].planned + deadline + 1)
  }

  /// The next sequence number whose deadline has passed by `now`, each once.
  mutating func takeExpired(at now: MonotonicTime) -> Int64? {
    guard let expiry = nextExpiry, expiry <= now else { return nil }
    let sequence = awaiting[start].sequence
    start += 1
    if start > 1024, start * 2 > awaiting.count {
      awaiting.removeFirst(start)
      start = 0
    }
    return sequence
  }
}
