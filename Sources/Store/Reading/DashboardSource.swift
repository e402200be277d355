import Measurement

/// What a dashboard is read from: beside the figures of reports, the newest notifications, events and log lines of a run, and
/// what has changed of them since.
///
/// Cursors are revisions of the collector that recorded the run, and serve the source that gave them. Every call may throw the
/// error of its source.
public protocol DashboardSource: SampleSource {
  /// Whether anything may have changed since the last call; `true` the first time. Cheap enough for every frame.
  func hasChanged() throws -> Bool
  /// Whether the place that was opened still leads to what this reads.
  func isStillAt(_ place: String) -> Bool
  /// What was opened; `nil` where that is no file.
  var identity: StoreIdentity? { get }
  /// Gives up what is open; nothing else is called afterwards.
  func close()

  /// The run that began last.
  func latestRun() throws -> RunRecord?
  /// What the collector does; `nil` where it cannot be known from here.
  func presence() throws -> CollectorPresence?
  /// What waits to be forwarded to a fleet; `nil` where nothing does.
  func forwardPause() throws -> ForwardPause?
  /// Why retention deletes less than it is asked to; `nil` where it does not wait, or where it cannot be known from here.
  func retentionWait() throws -> RetentionWait?
  /// The parts of the collector that are switched off because they failed; none where that cannot be known from here.
  func failedParts() throws -> [FailedPart]
  /// The last failed handshake with a run's receipt listener; `nil` where there was none, or where it cannot be known from here.
  func lastHandshakeFailure(of run: RunID) throws -> HandshakeFailure?
  /// Alerts that could not be delivered so far.
  func undeliveredAlerts() throws -> Int
  /// Findings of a run that were written after a cursor, the last change last; hidden ones too.
  func findings(of run: RunID, changedAfter cursor: Int64) throws -> [FindingRecord]

  /// The last notifications of each target, at most so many of each, without gaps in their sequences.
  func lastPoints(of targets: [TargetID], limit: Int) throws -> PointPage
  /// The notifications of some targets in a range of planned time; the newest where there are more than the limit.
  func points(of targets: [TargetID], plannedFrom start: WallTime, to end: WallTime, limit: Int) throws
    -> PointPage
  /// The notifications that changed after a cursor, in their current state; those of other targets may be among them.
  func changedPoints(of targets: [TargetID], after cursor: Int64, limit: Int) throws -> ChangePage<PointRow>
  /// A notification; `nil` where it is gone.
  func sample(_ id: SampleID) throws -> Sample?
  /// Visits the notifications with some ids in the order of the table `samples`; those that are gone are left out.
  func forEachSample(withIDs ids: [SampleID], _ body: (borrowing SampleRow) throws -> Void) throws
  /// The receipts of one notification, in the order in which they were stored.
  func receipts(of id: SampleID, atMost limit: Int) throws -> [Receipt]

  /// Counts and latencies by spans of planned time, ascending by start for each target. Latencies are as exact as plots show
  /// them: to 1 %.
  func rollups(
    of targets: [TargetID], from start: WallTime, to end: WallTime, span: RollupSpan,
    metrics: Set<Metric>, limit: Int
  ) throws -> RollupPage
  /// The end of the planned time that ``rollups(of:from:to:span:metrics:limit:)`` knows of some targets; `nil` for none.
  func rollupsCoverTo(of targets: [TargetID]) throws -> WallTime?

  /// The last events or log lines of a run up to a place, oldest first, and the cursor to follow from.
  func last<Content>(_: Content.Type, of run: RunID, through place: RecordPlace, limit: Int) throws
    -> ChangePage<StoredRecord<Content>>
  /// The first ones after a place, oldest first.
  func first<Content>(_: Content.Type, of run: RunID, after place: RecordPlace, limit: Int) throws
    -> ContiguousArray<StoredRecord<Content>>
  /// Those that were written after a cursor; those of other runs may be among them.
  func changes<Content>(_: Content.Type, of run: RunID, after cursor: Int64, limit: Int) throws
    -> ChangePage<StoredRecord<Content>>
  /// The number of them before a place.
  func count<Content: RecordContent>(_: Content.Type, of run: RunID, before place: RecordPlace) throws -> Int
}

extension SampleSource {
  /// The answered PINGs of some targets in a range of time, by target, then in the order of their arrival.
  public func pings(of targets: [TargetID], in range: Range<WallTime>) throws -> [PingAnswer] {
    var pings: [PingAnswer] = []
    try forEachPing(of: targets, in: range) { pings.append($0) }
    return pings
  }
}

/// One cursor serves all runs and targets of a store.
extension StoreReader: DashboardSource {
  public func presence() throws -> CollectorPresence? { try collector() }

  public func undeliveredAlerts() throws -> Int {
    try alerts().count { alert in alert.deliveries.values.contains { $0.problem != nil } }
  }

  public func findings(of run: RunID, changedAfter cursor: Int64) throws -> [FindingRecord] {
    try findings(changedAfter: cursor)
  }

  public func changedPoints(of targets: [TargetID], after cursor: Int64, limit: Int) throws
    -> ChangePage<PointRow>
  {
    try changedPoints(after: cursor, limit: limit)
  }

  public func rollupsCoverTo(of targets: [TargetID]) throws -> WallTime? { try rollupsCoverTo() }

  public func changes<Content>(_: Content.Type, of run: RunID, after cursor: Int64, limit: Int) throws
    -> ChangePage<StoredRecord<Content>>
  {
    try changes(Content.self, after: cursor, limit: limit)
  }
}
