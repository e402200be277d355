import Formats
import Measurement
import Store

/// The columns of `log`.
enum LogTable {
  static let columns: [Column<LogRecord, Void>] = [
    Column("at") { $2.time($0.line.at) },
    Column("level") { $2.text($0.line.level.rawValue) },
    Column("run") { $2.text($0.run?.description) },
    Column("target") { $2.text($0.targetName) },
    Column("label") { $2.text($0.line.label) },
    Column("message") { $2.text($0.line.message) },
  ]
}

extension Exporter {
  func log(to sink: any ByteSink) throws -> Int64 {
    let columns = LogTable.columns
    return try write(columns, to: sink) { writer in
      try reader.forEachLogLine(selection) { try write($0, (), columns, to: &writer) }
    }
  }
}
