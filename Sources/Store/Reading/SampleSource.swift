import Measurement

/// What reports and intervals are read from: the store of one collector, or the engine of a fleet.
///
/// Both count by themselves; figures are computed from what they return by the same functions, so that the same notifications
/// have the same figures. Times are half-open ranges of planned time. Every call may throw the error of its source.
public protocol SampleSource {
  /// The runs there are, oldest first.
  func runs() throws -> [RunRecord]
  func run(_ id: RunID) throws -> RunRecord?
  /// The targets of a run with their state counts, in the order of their names.
  func targets(of run: RunID) throws -> [TargetRecord]
  /// The measurement error of the run itself; `nil` where it is not recorded or not known here.
  func instrument(of run: RunID) throws -> InstrumentRecord?
  /// What the collector's objectives said last.
  func objectives() throws -> [ObjectiveRecord]
  /// How far retention has deleted rows.
  func pruned() throws -> PrunedSpans

  /// The planned times of the first and of the last notification of some targets that is due.
  func plannedTimes(of targets: [TargetID], from start: WallTime?, to end: WallTime?) throws -> ClosedRange<
    WallTime
  >?
  /// The pace of a target's schedule; `nil` when nothing was due.
  func pace(of target: TargetID, from start: WallTime?, to end: WallTime?, due: Int) throws -> PlannedPace?
  /// How many notifications there are, up to a limit.
  func pointCount(of targets: [TargetID], from start: WallTime, to end: WallTime, atMost limit: Int) throws
    -> Int
  /// The targets of all runs that measured the same as the given ones, these included.
  func targets(sameAs targets: [TargetID], recordedFrom from: WallTime, to: WallTime) throws
    -> [TargetStretch]
  /// The stretches of closed findings of what some targets measure.
  func closedFindings(of targets: [TargetID], variants: Set<VariantID>?, in range: Range<WallTime>) throws
    -> [Range<WallTime>]

  /// Visits notifications in the order of run, target, sequence.
  func forEachSample(_ selection: RowSelection, _ body: (borrowing SampleRow) throws -> Void) throws
  /// Visits a target's notifications in the order of their planned times or of their sequence numbers.
  /// - Parameter columns: what `body` asks the rows for. A source may read more.
  func forEachSample(
    of target: TargetID, plannedFrom start: WallTime, to end: WallTime, columns: SampleColumns,
    _ body: (borrowing SampleRow) throws -> Void) throws
  /// Visits counts and latencies by spans of planned time, ascending for each target. Ends that are `nil` are no limit.
  /// - Returns: the range that was visited, in whole seconds; the rest has to be read from the notifications.
  func forEachRollup(
    of targets: [TargetID], plannedFrom start: WallTime?, to end: WallTime?, span: RollupSpan,
    figures: Set<RollupFigure>, _ body: (RollupBin) -> Void
  ) throws -> Range<WallTime>?
  /// Visits the answered PINGs of some targets in the order of their arrival.
  func forEachPing(of targets: [TargetID], in range: Range<WallTime>, _ body: (PingAnswer) -> Void) throws

  /// The circumstances that devices reported, by the numbers in the notifications that were visited.
  func deviceContexts() throws -> [DeviceContextID: DeviceContext]
  /// The name that the first receipt of a target bears.
  func receiptDevice(of target: TargetID) throws -> String?
  /// The values of a label, of the runs that have it.
  func labels(named name: String) throws -> [RunID: String]

  /// Findings in the order of their starts.
  func findings(_ selection: FindingSelection) throws -> [FindingRecord]
  /// Visits receipts in the order of run, target, sequence, then arrival.
  func forEachReceipt(_ selection: RowSelection, _ body: (ReceiptRecord) throws -> Void) throws
  /// Visits events or log lines by run, then in order; those of no run come first.
  func forEachRecord<Content>(_ selection: RowSelection, _ body: (StoredRecord<Content>) throws -> Void)
    throws
}

extension StoreReader: SampleSource {}

extension SampleSource {
  /// Visits a target's notifications with all of their columns.
  public func forEachSample(
    of target: TargetID, plannedFrom start: WallTime, to end: WallTime,
    _ body: (borrowing SampleRow) throws -> Void
  ) throws {
    try forEachSample(of: target, plannedFrom: start, to: end, columns: .all, body)
  }
}
