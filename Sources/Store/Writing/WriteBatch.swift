import Measurement

/// What is committed in one transaction: all of it or nothing.
public struct WriteBatch: Sendable, Equatable {
  /// The run whose heartbeat the commit is. Rows that name a target belong to that target's run, which may be an
  /// earlier one; the others belong to this one.
  public var run: RunID?
  /// Rows the store does not have yet; ascending by id for speed.
  public var inserted: [Sample]
  /// Rows it has, as they are now; ascending by id for speed. A row that was deleted meanwhile stays deleted.
  public var updated: [Sample]
  public var receipts: [Receipt]
  public var events: [Event]
  public var log: [LogLine]
  /// New ties between the clocks; one at the start of a run, one after each step or suspend.
  public var anchors: [ClockAnchor]
  /// What devices reported of their clocks.
  public var exchanges: [DeviceExchange]
  /// What the run's machinery did so far, in place of what was written before.
  public var instrument: InstrumentFigures?

  public init(
    run: RunID?, inserted: [Sample] = [], updated: [Sample] = [], receipts: [Receipt] = [],
    events: [Event] = [], log: [LogLine] = [], anchors: [ClockAnchor] = [],
    exchanges: [DeviceExchange] = [], instrument: InstrumentFigures? = nil
  ) {
    self.run = run
    self.inserted = inserted
    self.updated = updated
    self.receipts = receipts
    self.events = events
    self.log = log
    self.anchors = anchors
    self.exchanges = exchanges
    self.instrument = instrument
  }

  public var rowCount: Int {
    inserted.count + updated.count + receipts.count + events.count + log.count + anchors.count
      + exchanges.count
  }
}

/// What a commit cost: the recorder's share of the tool's own error.
public struct CommitStatistics: Sendable, Equatable {
  /// From taking up the batch to the end of the transaction, checkpoint included when one was due.
  public var duration: Duration
  public var rows: Int
  /// The store's revision after it.
  public var revision: Int64
}

/// How a collector opens its store.
public struct CollectorStoreOptions: Sendable, Equatable {
  public var durability: Durability
  /// This boot's id (`/proc/sys/kernel/random/boot_id`): tells whether the monotonic clock of an unfinished run is
  /// still running.
  public var bootID: String

  public init(bootID: String, durability: Durability = .normal) {
    self.bootID = bootID
    self.durability = durability
  }
}

/// What a power cut may cost. Neither loses anything when only the collector dies.
public enum Durability: String, Sendable, Hashable, CaseIterable {
  /// The last commits may be gone after a power cut; the store stays whole.
  case normal
  /// Each commit is on the disk before it counts: an fsync each.
  case full
}
