import Measurement
import Store

/// What runs came to: quantiles with intervals, states and rates, by target and variant.
public struct SummaryReport: Sendable, Equatable {
  public struct Run: Sendable, Equatable {
    public let record: RunRecord
    /// By name; a target without rows has no groups.
    public let targets: [TargetSummary]
    /// The run's own error; `nil` when nothing is known of it.
    public let instrument: InstrumentRecord?
  }

  /// Oldest first.
  public let runs: [Run]

  /// Reads the selection once. Long targets are read from rollups, in some hundred rows however many notifications there
  /// are; memory grows with runs and targets, unless every value is kept.
  ///
  /// - Parameter isExact: take quantiles from all values (8 bytes each), however many there are; otherwise from
  ///   histograms of three significant digits where a target has more than a hundred thousand notifications.
  public init(_ reader: StoreReader, _ selection: RowSelection = RowSelection(), isExact: Bool = false) throws
  {
    try self.init(reader, selection, depth: isExact ? .exact : .standard)
  }

  init(_ reader: StoreReader, _ selection: RowSelection, depth: RollupThreshold) throws {
    var runs: [Run] = []
    try Self.forEachTarget(reader, selection, depth) { run, summary in
      if let last = runs.last, last.record.id == run.id {
        runs[runs.count - 1] = Run(
          record: last.record, targets: last.targets + [summary], instrument: last.instrument)
      } else {
        runs.append(Run(record: run, targets: [summary], instrument: try reader.instrument(of: run.id)))
      }
    }
    self.runs = runs
  }

  /// Hands on each target as soon as its figures are read; one without rows has no groups.
  static func forEachTarget(
    _ reader: StoreReader, _ selection: RowSelection, _ depth: RollupThreshold,
    _ body: (RunRecord, TargetSummary) throws -> Void
  ) throws {
    let figures = TargetFigures(reader: reader, selection: selection, depth: depth)
    for entry in try TargetDirectory(reader, selection).entries {
      var tally = TargetAccumulator(entry, values: depth.values)
      try figures.read(
        entry.target, GroupAccumulator.figures, totals: { tally.add($0) }, row: { tally.add($0) })
      let summary = try tally.summary { due in
        try reader.pace(of: entry.target.id, from: selection.since, to: selection.until, due: due)
      }
      try body(entry.run, summary)
    }
  }
}
