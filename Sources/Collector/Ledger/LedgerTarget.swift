import Measurement

/// What the ledger has to know of a target of the run.
struct LedgerTarget: Sendable, Equatable {
  var id: TargetID
  /// µs from planned; `nil` when no receipt is expected.
  var receiptDeadline: Int64?

  init(id: TargetID, receiptDeadline: Int64?) {
    self.id = id
    self.receiptDeadline = receiptDeadline
  }
}

/// A stored notification that a receipt brought back: its row and what its run knows.
struct ReloadedSample: Sendable, Equatable {
  var sample: Sample
  var runFingerprint: UInt64
  /// The boot its planned monotonic time belongs to.
  var bootID: String
  /// µs from planned; `nil` when no receipt was expected.
  var receiptDeadline: Int64?
  /// The receipts that are stored for it, ``Ledger/maximumReceipts`` at most.
  var heard: [ReceiptStamp] = []
}
