import Measurement
import Store

/// Queries for what plots need of notifications, and what their answers say.
struct FleetPoints {
  /// The database's name as an identifier.
  let database: String

  private static let sampleColumns = PointRow.sampleColumns.filter(\.use.isForwarded)
  private static let columns = "toString(target), sequence, toInt64(revision), \(sampleColumns.selected())"

  /// The newest version of each notification of targets from a sequence number on, by target and sequence.
  func from(_ starts: [(member: FleetDirectory.Member, sequence: Int64)]) -> String {
    """
    SELECT \(Self.columns) FROM \(database).sample FINAL WHERE \(Self.isFrom(starts)) ORDER BY target, sequence
    """
  }

  /// The newest of a range of planned time.
  func within(_ members: [FleetDirectory.Member], _ start: WallTime, _ end: WallTime, limit: Int) -> String {
    """
    SELECT \(Self.columns) FROM \(FleetRows(database: database).samples(of: members, start, end))
    ORDER BY planned_at DESC LIMIT \(limit)
    """
  }

  /// What was written after a revision, in that order; of one notification possibly several versions.
  func changes(
    _ starts: [(member: FleetDirectory.Member, sequence: Int64)], after revision: Int64, limit: Int
  ) -> String {
    """
    SELECT \(Self.columns) FROM \(database).sample
    WHERE \(Self.isFrom(starts)) AND toInt64(revision) > \(revision) ORDER BY revision LIMIT \(limit) WITH TIES
    """
  }

  /// The last sequence number of each target, from one on.
  func newest(_ starts: [(member: FleetDirectory.Member, sequence: Int64)]) -> String {
    """
    SELECT toString(target), max(sequence) FROM \(database).sample WHERE \(Self.isFrom(starts)) GROUP BY target
    """
  }

  private static func isFrom(_ starts: [(member: FleetDirectory.Member, sequence: Int64)]) -> String {
    let conditions = starts.map { "(\(FleetRows.isOf([$0.member])) AND sequence >= \($0.sequence))" }
    return conditions.isEmpty ? "0" : "(\(conditions.joined(separator: " OR ")))"
  }

  /// Reads a row.
  /// - Parameter id: of a target's name.
  /// - Returns: `nil` for another target.
  static func read(_ reader: inout RowBinaryReader, _ id: (String) -> TargetID?) throws(FleetError)
    -> (row: PointRow, revision: Int64)?
  {
    let target = id(try reader.text())
    let id = SampleID(target: target ?? TargetID(rawValue: 0), sequence: try reader.sequence())
    let revision = try reader.integer()
    let sample = try reader.sample(sampleColumns, id, .none)
    return target == nil ? nil : (PointRow(sample), revision)
  }

  /// Adds what is missing between ascending notifications of a target as planned ones: batches come in the order of the last
  /// changes, so that one that was answered late comes after later ones, and those that its collector has pruned never come.
  /// - Parameter next: the sequence number that the first one should have; `nil` where any will do.
  static func filled(_ rows: [PointRow], next: Int64? = nil) -> [PointRow] {
    var filled: [PointRow] = []
    filled.reserveCapacity(rows.count)
    var next = next ?? rows.first?.id.sequence ?? 0
    for row in rows {
      let missing = row.id.sequence - next
      if missing > 0, missing <= longestGap {
        for sequence in next..<row.id.sequence {
          filled.append(
            PointRow(
              id: SampleID(target: row.id.target, sequence: sequence),
              point: SamplePoint(
                plannedAt: WallTime(microseconds: row.point.plannedAt),
                plannedMonotonic: row.point.plannedMonotonic, scheduleLag: nil, acceptLatency: nil,
                deliveryLatency: nil, state: .planned)))
        }
      }
      filled.append(row)
      next = max(next, row.id.sequence + 1)
    }
    return filled
  }

  /// Where more are missing, what follows stands by itself.
  private static let longestGap: Int64 = 100_000
}
