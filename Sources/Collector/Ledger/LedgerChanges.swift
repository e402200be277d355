import Measurement
import Store

/// The changes of one round, for the store.
struct LedgerChanges: Sendable, Equatable {
  /// Plans to delete, before rows with the same ids are inserted.
  var withdrawn: [SampleID] = []
  /// Rows the store does not have yet, ascending by id.
  var inserted: [Sample] = []
  /// Rows that changed, ascending by id.
  var updated: [Sample] = []
  var receipts: [Receipt] = []
  /// Circumstances that the receipts are the first to have.
  var contexts: [StoredDeviceContext] = []
  var events: [Event] = []
  var log: [LogLine] = []
  var exchanges: [DeviceExchange] = []
  var pings: [PingAnswer] = []
  /// The inserted and updated rows with what is new in them, for the observer.
  var observed: [SampleChange] = []
  var clockOffsets: [ObservedClockOffset] = []

  var isEmpty: Bool {
    withdrawn.isEmpty && inserted.isEmpty && updated.isEmpty && receipts.isEmpty && events.isEmpty
      && log.isEmpty
      && exchanges.isEmpty && pings.isEmpty
  }
}

/// What the ledger knows of a target of the run.
struct LedgerTarget: Sendable, Equatable {
  var id: TargetID
  /// µs from planned; `nil` when no receipt is expected.
  var receiptDeadline: Int64?
  /// Whether its device has reported that it showed a notification.
  var reportsDisplay = false
  /// Whether the collector subscribes to the target's messages itself; otherwise a device posts its receipts.
  var isSubscribed = false
}

/// A notification reloaded from the store for a late receipt: its row, and facts of its run.
struct ReloadedSample: Sendable, Equatable {
  var sample: Sample
  var runFingerprint: UInt64
  /// The boot its planned monotonic time belongs to.
  var bootID: String
  /// µs from planned; `nil` when no receipt was expected.
  var receiptDeadline: Int64?
  /// The notification's stored receipts.
  var heard = HeardReceipts()
  /// The notification's target and variant by name; `nil` where nobody asks.
  var origin: SampleChange.Origin?
  /// Whether its row was settled since this collector opened the store.
  var isSettledSinceStart = false
}

/// How the ledger took a receipt.
enum ReceiptDisposition: Sendable, Equatable {
  case accepted
  case duplicate
  /// Equal to an earlier receipt, as when the answer to that was lost: nothing changes.
  case repeated
  case unknown
}
