import Measurement

/// The rows of one transaction.
public struct WriteBatch: Sendable, Equatable {
  /// The run whose heartbeat is written. Rows with a target belong to that target's run, which may be an earlier one;
  /// all others belong to this one.
  public var run: RunID?
  /// New rows; ascending by id for speed.
  public var inserted: [Sample]
  /// The current state of stored rows; ascending by id for speed. Deleted rows are skipped.
  public var updated: [Sample]
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
    run: RunID?, inserted: [Sample] = [], updated: [Sample] = [], receipts: [Receipt] = [],
    events: [Event] = [], log: [LogLine] = [], anchors: [ClockAnchor] = [],
    exchanges: [DeviceExchange] = [], pings: [PingAnswer] = [], instrument: InstrumentFigures? = nil
  ) {
    self.run = run
    self.inserted = inserted
    self.updated = updated
    self.receipts = receipts
    self.events = events
    self.log = log
    self.anchors = anchors
    self.exchanges = exchanges
    self.pings = pings
    self.instrument = instrument
  }

  public var rowCount: Int {
    inserted.count + updated.count + receipts.count + events.count + log.count + anchors.count
      + exchanges.count + pings.count
  }
}

/// The cost of a commit.
public struct CommitStatistics: Sendable, Equatable {
  /// From the start of the call to the end of the transaction, with the checkpoint if there was one.
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

  public init(bootID: String, durability: Durability = .normal) {
    self.bootID = bootID
    self.durability = durability
  }
}

/// What a power failure may lose. A crash of the collector alone loses nothing in either mode.
public enum Durability: String, Sendable, Hashable, CaseIterable {
  /// A power failure may lose the last commits; the store stays consistent.
  case normal
  /// Each commit is synced to disk.
  case full
}
