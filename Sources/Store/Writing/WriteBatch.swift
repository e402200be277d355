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
