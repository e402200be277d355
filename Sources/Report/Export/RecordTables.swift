import Formats
import FoundationEssentials
import Measurement
import Store

/// The columns of `receipts`: one row for each receipt of a known notification.
enum ReceiptsTable {
  static let columns: [Column<Receipt, TargetDirectory.Entry>] =
    [
      Column("run") { $2.uuid($1.run.id.uuid.words) },
      Column("target") { $2.text($1.target.name) },
      Column("sequence") { $2.integer($0.sample.sequence) },
      Column("notification_id") { $2.uuid($1.target.notificationID($0.sample).uuid.words) },
    ] + exported(Receipt.columns) { $0 }
}

/// The exported columns of a record.
/// - Parameter record: gives the record of a row.
func exported<Row, Context, Record>(
  _ columns: [RecordColumn<Record>], _ record: @escaping @Sendable (Row) -> Record
) -> [Column<Row, Context>] {
  columns.filter { $0.use.contains(.exported) }.map { column in
    Column(column.name) { row, _, writer in
      writer.value(column.exportedValue(of: record(row)), of: column.type)
    }
  }
}

extension Exporter {
  func receipts(to sink: any ByteSink) throws -> Int64 {
    let columns = ReceiptsTable.columns
    let directory = try TargetDirectory(reader, selection)
    return try write(columns, to: sink) { writer in
      try reader.forEachReceipt(selection) { record in
        let entry = try directory.entry(for: record.receipt.sample.target)
        try write(record.receipt, entry, columns, to: &writer)
      }
      try directory.checkRuns(reader)
    }
  }
}

/// The columns of `events`.
enum EventsTable {
  static let columns: [Column<EventRecord, Void>] =
    [Column("run") { $2.text($0.run?.description) }]
    + Event.list(exported(Event.columns) { $0.content }, with: Column("target") { $2.text($0.targetName) })
}

extension Exporter {
  func events(to sink: any ByteSink) throws -> Int64 {
    let columns = EventsTable.columns
    return try write(columns, to: sink) { writer in
      try reader.forEachEvent(selection) { try write($0, (), columns, to: &writer) }
    }
  }
}

/// The columns of `log`.
enum LogTable {
  static let columns: [Column<LogRecord, Void>] = LogLine.list(
    exported(LogLine.columns) { $0.content }, with: Column("run") { $2.text($0.run?.description) },
    Column("target") { $2.text($0.targetName) })
}

extension Exporter {
  func log(to sink: any ByteSink) throws -> Int64 {
    let columns = LogTable.columns
    return try write(columns, to: sink) { writer in
      try reader.forEachLogLine(selection) { try write($0, (), columns, to: &writer) }
    }
  }
}

/// The columns of `runs`. `planned`, `sent` and `accepted` count how far notifications came; the others count their final
/// states.
enum RunsTable {
  static let columns: [Column<RunRecord, Void>] =
    exported(RunRecord.columns) { $0 } + [
      Column("targets") { $2.text($0.targetNames.joined(separator: " ")) },
      Column("planned") { $2.integer($0.counts.planned) },
      Column("sent") { $2.integer($0.counts.sent) },
      Column("accepted") { $2.integer($0.counts.acceptedByProvider) },
    ] + states.map(state)

  /// Final states.
  static let states = NotificationState.settledColumns

  private static func state(_ state: NotificationState) -> Column<RunRecord, Void> {
    Column(state.name) { $2.integer($0.counts[state]) }
  }
}

extension Exporter {
  /// The runs that began in the time of the selection and have one of its targets.
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
