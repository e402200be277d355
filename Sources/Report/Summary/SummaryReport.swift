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

  /// Reads the selection's rows once; memory grows with runs and targets, not with rows, unless every value is kept.
  ///
  /// - Parameter isExact: take quantiles from all values (8 bytes each), however many there are; otherwise from
  ///   histograms of three significant digits where there are more than a few hundred thousand.
  public init(_ reader: StoreReader, _ selection: RowSelection = RowSelection(), isExact: Bool = false) throws
  {
    try self.init(reader, selection, exactValues: isExact ? .max : TargetTally.exactValues)
  }

  init(_ reader: StoreReader, _ selection: RowSelection, exactValues: Int) throws {
    var summaries: [TargetID: TargetSummary] = [:]
    try Self.forEachTarget(reader, selection, exactValues: exactValues) { _, summary in
      summaries[summary.record.id] = summary
    }
    var runs: [Run] = []
    for entry in try TargetDirectory(reader, selection).entries {
      let summary =
        summaries[entry.target.id] ?? TargetSummary(record: entry.target, rates: nil, groups: [])
      if let last = runs.last, last.record.id == entry.run.id {
        runs[runs.count - 1] = Run(
          record: last.record, targets: last.targets + [summary], instrument: last.instrument)
      } else {
        runs.append(
          Run(record: entry.run, targets: [summary], instrument: try reader.instrument(of: entry.run.id)))
      }
    }
    self.runs = runs
  }

  /// Hands on each target that has rows as soon as they are through.
  static func forEachTarget(
    _ reader: StoreReader, _ selection: RowSelection, exactValues: Int = TargetTally.exactValues,
    _ body: (RunRecord, TargetSummary) throws -> Void
  ) throws {
    try TargetWalk.forEach(
      reader, selection, start: { TargetTally($0, exactValues: exactValues) }, add: { $0.add($1) },
      finish: { try body($0.run, $1.summary()) })
  }
}
