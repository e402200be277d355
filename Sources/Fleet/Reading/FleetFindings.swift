import Measurement
import Store

/// Rows of the table `finding`.
enum FleetFindings {
  static func query(database: String, of members: [FleetDirectory.Member]) -> String {
    """
    SELECT \(FindingRecord.columns.map(\.answered).joined(separator: ", ")) FROM \(database).finding FINAL
    WHERE \(FleetRows.isOf(members)) ORDER BY started_at, id
    """
  }

  /// - Returns: `nil` where a value is not what this version knows.
  static func record(_ reader: inout RowBinaryReader) throws(FleetError) -> FindingRecord? {
    try FindingRecord.columns.read(into: .blank) { column throws(FleetError) in
      try reader.value(of: column.type)
    }
  }
}

extension RecordColumn {
  /// The column in a query whose answer ``RowBinaryReader/value(of:)`` reads.
  fileprivate var answered: String {
    switch type.kind {
    case .name where type.isOptional: "CAST(\(name) AS Nullable(String))"
    case .uuid, .name: "toString(\(name))"
    case .revision: "toInt64(\(name))"
    case .text, .list, .integer, .real, .time, .flag, .labels: name
    }
  }
}
