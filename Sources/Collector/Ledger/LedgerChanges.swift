import Measurement

/// What one round of the ledger has for the store.
struct LedgerChanges: Sendable, Equatable {
  /// Rows the store does not have yet, ascending by id.
  var inserted: [Sample] = []
  /// Rows that changed, ascending by id.
  var updated: [Sample] = []
  var receipts: [Receipt]
  var events: [Event]
  var log: [LogLine]
  var exchanges: [DeviceExchange] = []

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && receipts.isEmpty && events.isEmpty && log.isEmpty
      && exchanges.isEmpty
  }
}

/// What a receipt was worth.
enum ReceiptDisposition: Sendable, Equatable {
  case accepted
  case duplicate
  /// The same words again, as when the answer to them was lost: nothing changes by it.
  case repeated
  case unknown
}
