import Formats
import Measurement
import Store

/// The columns of `receipts`: one row for each receipt that named a notification of ours.
enum ReceiptsTable {
  static let columns: [Column<Receipt, TargetDirectory.Entry>] = [
    Column("run") { $2.uuid($1.run.id.uuid.words) },
    Column("target") { $2.text($1.target.name) },
    Column("sequence") { $2.integer($0.sample.sequence) },
    Column("notification_id") { $2.uuid(NotificationID(run: $1.run.id, sample: $0.sample).uuid.words) },
    Column("device") { $2.text($0.device) },
    Column("received_at") { $2.time($0.receivedAt) },
    Column("arrived_at") { $2.time($0.arrivedAt) },
    Column("same_clock") { $2.boolean($0.isSameClock) },
    Column("offset_us") { $2.integer($0.offset) },
    Column("offset_error_us") { $2.integer($0.offsetError) },
    Column("duplicate") { $2.boolean($0.isDuplicate) },
  ]
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
    }
  }
}
