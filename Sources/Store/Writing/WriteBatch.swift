import Measurement

/// The rows of one transaction.
public struct WriteBatch: Sendable, Equatable {
  /// The run whose heartbeat is written. Rows with a target belong to that target's run, which may be an earlier one;
  /// all others belong to this one.
  public var run: RunID?
  /// Plans that are taken back: they were stored and will not be sent. Deleted before new rows are inserted, which may have
  /// the same ids.
  public var withdrawn: [SampleID]
  /// New rows; ascending by id for speed.
  public var inserted: [Sample]
  /// The current state of stored rows; ascending by id for speed. Deleted rows are skipped.
  public var updated: [Sample]
  /// Circumstances that receipts are the first to have.
  public var contexts: [StoredDeviceContext]
  public var receipts: [Receipt]
  public var events: [Event]
  public var log: [LogLine]
  /// New clock anchors: one at the start of a run, one after each step or suspend.
  public var anchors: [ClockAnchor]
  /// Clock exchanges that devices reported.
  public var exchanges: [DeviceExchange]
  /// Answered PINGs.
  public var pings: [PingAnswer]
  /// The run's instrument figures so far, which replace the stored ones.
  public var instrument: InstrumentFigures?

  public init(
    run: RunID?, withdrawn: [SampleID] = [], inserted: [Sample] = [], updated: [Sample] = [],
    contexts: [StoredDeviceContext] = [], receipts: [Receipt] = [],
    events: [Event] = [], log: [LogLine] = [], anchors: [ClockAnchor] = [],
    exchanges: [DeviceExchange] = [], pings: [PingAnswer] = [], instrument: InstrumentFigures? = nil
  ) {
    self.run = run
    self.withdrawn = withdrawn
    self.inserted = inserted
    self.updated = updated
    self.contexts = contexts
    self.receipts = receipts
    self.events = events
    self.log = log
    self.anchors = anchors
    self.exchanges = exchanges
    self.pings = pings
    self.instrument = instrument
  }

  public var rowCount: Int {
    withdrawn.count + inserted.count + updated.count + receipts.count + events.count + log.count
      + anchors.count
      + exchanges.count + pings.count
  }
}

/// The cost of a commit.
public struct CommitStatistics: Sendable, Equatable {
  /// The time from the start of the call to the end of the transaction, including the checkpoint if there was one.
  public var duration: Duration
  public var rows: Int
  /// The store's revision after the commit.
  public var revision: Int64
}

/// Options of a collector's store.
public struct CollectorStoreOptions: Sendable, Equatable {
  public var durability: Durability
  /// This boot's id (`/proc/sys/kernel/random/boot_id`), which tells whether an open run is of this boot.
  public var bootID: String
  public var access: StoreAccess

  public init(bootID: String, durability: Durability = .normal, access: StoreAccess = .owner) {
    self.bootID = bootID
    self.durability = durability
    self.access = access
  }
}

/// Who may read a store besides its owner.
public enum StoreAccess: Sendable, Hashable {
  case owner
  /// The group with this number.
  case group(UInt32)
  /// Whoever may now, as far as the last collector allowed it.
  case kept
}

/// What a power failure may lose. A crash of the collector alone loses nothing in either mode.
public enum Durability: String, Sendable, Hashable, CaseIterable {
  /// A power failure may lose what was committed after the last sync of the log, which comes once a second while
  /// ``CollectorStore/syncLog()`` is called; the store stays consistent.
  case normal
  /// Each commit is synced to disk.
  case full
}
