import Measurement
import Store

/// Rows of the table `finding`.
enum FleetFindings {
  static func query(database: String, of members: [FleetDirectory.Member]) -> String {
    """
    SELECT \(FindingRecord.columns.selected()) FROM \(database).finding FINAL
    WHERE \(FleetRows.isOf(members)) ORDER BY started_at, id
    """
  }

  /// - Returns: `nil` where a value is not what this version knows.
  static func record(_ reader: inout RowBinaryReader) throws(FleetError) -> FindingRecord? {
    try reader.record(FindingRecord.columns, into: .blank)
  }
}
