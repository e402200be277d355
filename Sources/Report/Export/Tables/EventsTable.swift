import Formats
import Measurement
import Store

/// The columns of `events`.
enum EventsTable {
  static let columns: [Column<EventRecord, Void>] = [
    Column("run") { $2.text($0.run?.description) },
    Column("at") { $2.time($0.event.at) },
    Column("target") { $2.text($0.targetName) },
    Column("kind") { $2.text($0.event.kind.rawValue) },
    Column("connection_id") { $2.integer($0.event.connectionID) },
    Column("sequence") { $2.integer($0.event.sequence) },
    Column("count") { $2.integer($0.event.count) },
    Column("detail") { $2.text($0.event.detail) },
  ]
}

extension Exporter {
  func events(to sink: any ByteSink) throws -> Int64 {
    let columns = EventsTable.columns
    return try write(columns, to: sink) { writer in
      try reader.forEachEvent(selection) { try write($0, (), columns, to: &writer) }
    }
  }
}
