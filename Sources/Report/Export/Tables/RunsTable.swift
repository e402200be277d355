import Formats
import FoundationEssentials
import Measurement
import Store

/// The columns of `runs`. `planned`, `sent` and `accepted` count how far notifications came: into the plan, onto the
/// wire, past the provider; the others count how they ended.
enum RunsTable {
  static let columns: [Column<RunRecord, Void>] =
    [
      Column("run") { $2.uuid($0.id.uuid.words) },
      Column("name") { $2.text($0.name) },
      Column("collector") { $2.uuid($0.collectorID.words) },
      Column("started_at") { $2.time($0.startedAt) },
      Column("ended_at") { $2.time($0.endedAt) },
      Column("end_reason") { $2.text($0.endReason?.rawValue) },
      Column("targets") { $2.text($0.targetNames.joined(separator: " ")) },
      Column("planned") { $2.integer($0.counts.planned) },
      Column("sent") { $2.integer($0.counts.sent) },
      Column("accepted") { $2.integer($0.counts.acceptedByProvider) },
    ] + states.map(state)

  /// How they ended.
  static let states: [NotificationState] = [
    .delivered, .late, .lost, .rejected, .failed, .missed, .interrupted,
  ]

  private static func state(_ state: NotificationState) -> Column<RunRecord, Void> {
    Column(state.name) { $2.integer($0.counts[state]) }
  }
}

extension Exporter {
  /// The runs of the selection: those that began in its time and have one of its targets.
  func runs(to sink: any ByteSink) throws -> Int64 {
    let columns = RunsTable.columns
    return try write(columns, to: sink) { writer in
      for run in try selection.runs(in: reader) where selection.includes(run) {
        try write(run, (), columns, to: &writer)
      }
    }
  }
}

extension RowSelection {
  func includes(_ run: RunRecord) -> Bool {
    if let since, run.startedAt < since { return false }
    if let until, run.startedAt >= until { return false }
    return targets.map { !$0.isDisjoint(with: run.targetNames) } ?? true
  }
}
