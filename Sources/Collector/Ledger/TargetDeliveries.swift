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

/// Tells whether a notification was received after one with a later sequence number, for one target.
///
/// Only the sequences that are the earliest received among all later ones matter for that question, so only these
/// are kept, ascending in both sequence and time, and of those the newest 4 096: a receipt for something older than
/// that window is compared with the window and found out of order, as it is.
struct DeliveryOrder: Sendable {
  static let window = 4096

  private var sequences: [Int64] = []
  private var times: [MonotonicTime] = []
  /// Entries before this index are forgotten; the arrays are cut in one go now and then.
  private var start = 0

  init() {}

  /// Deliveries remembered.
  var count: Int { sequences.count }

  /// Notes that `sequence` was received at `time`.
  /// - Returns: whether a later sequence had been received earlier.
  mutating func note(sequence: Int64, at time: MonotonicTime) -> Bool {
    var place = sequences.endIndex
    while place > start, sequences[place - 1] > sequence { place -= 1 }
    if place < sequences.endIndex, times[place] < time { return true }
    var first = place
    while first > start, times[first - 1] >= time { first -= 1 }
    sequences.replaceSubrange(first..<place, with: CollectionOfOne(sequence))
    times.replaceSubrange(first..<place, with: CollectionOfOne(time))
    forget()
    return false
  }

  private mutating func forget() {
    start = max(start, sequences.count - Self.window)
    if start >= Self.window {
      sequences.removeFirst(start)
      times.removeFirst(start)
      start = 0
    }
  }
}
