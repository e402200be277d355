import Measurement
import Store

/// Queries for the rows of the table `event` or `log`, and what their answers say.
struct FleetRecords<Row> {
  let table: ForwardedTable
  private let columns: String
  private let decode: (inout RowBinaryReader, Head) throws(FleetError) -> Row?

  /// What rows of both tables begin with.
  struct Head {
    var collector: String
    var revision: Int64
    var at: WallTime
    /// A name.
    var target: String?
    var run: RunID?
    var targetID: TargetID?
  }

  /// The run of rows that belong to none.
  static var noRun: String { "00000000-0000-0000-0000-000000000000" }

  /// - Parameter run: `nil` for rows of no run.
  func query(
    of run: String?, collector: String, in database: String, where conditions: [String], order: String,
    limit: Int
  ) -> String {
    let all =
      [
        "run = toUUID(\(EngineText.quoted(run ?? Self.noRun)))",
        "collector = toUUID(\(EngineText.quoted(collector)))",
      ]
      + conditions
    return """
      SELECT toString(collector), toInt64(revision), at, CAST(target AS Nullable(String)), \(columns)
      FROM \(database).\(table.rawValue) FINAL WHERE \(all.joined(separator: " AND ")) ORDER BY \(order) LIMIT \(limit)
      """
  }

  /// Reads a row.
  /// - Parameter id: of a target's name.
  /// - Returns: `nil` in `row` for what only a newer pushscope knows.
  func read(_ reader: inout RowBinaryReader, run: RunID?, id: (String) -> TargetID?) throws(FleetError)
    -> (revision: Int64, row: Row?)
  {
    var head = Head(
      collector: try reader.text(), revision: try reader.integer(), at: try reader.time(),
      target: try reader.optionalText(), run: run)
    head.targetID = head.target.flatMap(id)
    return (head.revision, try decode(&reader, head))
  }
}

extension FleetRecords<EventRecord> {
  static var events: FleetRecords<EventRecord> {
    FleetRecords(table: .event, columns: "toString(kind), connection_id, sequence, count, detail") {
      reader, head throws(FleetError) in
      let kind = EventKind(rawValue: try reader.text())
      let connection = try reader.optionalInteger()
      let sequence = try reader.optionalInteger()
      let count = Int(try reader.integer())
      let detail = try reader.text()
      return kind.map { kind in
        EventRecord(
          revision: head.revision, run: head.run, targetName: head.target,
          event: Event(
            at: head.at, kind: kind, target: head.targetID, connectionID: connection, sequence: sequence,
            count: count, detail: detail))
      }
    }
  }
}

extension FleetRecords<LogRecord> {
  static var log: FleetRecords<LogRecord> {
    FleetRecords(table: .log, columns: "toString(level), toString(label), message") {
      reader, head throws(FleetError) in
      let level = LogLine.Level(rawValue: try reader.text())
      let label = try reader.text()
      let message = try reader.text()
      return level.map { level in
        LogRecord(
          revision: head.revision, run: head.run, targetName: head.target,
          line: LogLine(at: head.at, level: level, target: head.targetID, label: label, message: message))
      }
    }
  }
}
