import Measurement
import Store

/// Queries for what plots need of notifications, and what their answers say.
struct FleetPoints {
  /// The database's name as an identifier.
  let database: String

  private static let states = NotificationState.allCases.filter { $0 != .planned }

  private static let columns = """
    toString(target), sequence, toInt64(revision), planned_at, planned_monotonic_us, schedule_lag_us, accept_us,
      delivery_us, delivery_error_us, status, toInt64(indexOf([\(states.map { EngineText.quoted($0.name) }
      .joined(separator: ", "))], toString(state))), ifNull(fresh_connection, false), out_of_order, delivery_high_us, path_us
    """

  /// A row of an answer.
  struct Row {
    let row: PointRow
    let revision: Int64

    var sequence: Int64 { row.id.sequence }
  }

  /// The newest version of each notification of targets from a sequence number on, by target and sequence.
  func from(_ starts: [(member: FleetDirectory.Member, sequence: Int64)]) -> String {
    """
    SELECT \(Self.columns) FROM \(database).sample FINAL WHERE \(Self.isFrom(starts)) ORDER BY target, sequence
    """
  }

  /// The newest of a range of planned time.
  func within(_ members: [FleetDirectory.Member], _ start: WallTime, _ end: WallTime, limit: Int) -> String {
    """
    SELECT \(Self.columns) FROM \(database).sample FINAL
    WHERE \(FleetRows.isOf(members)) AND \(FleetRows.isWithin("planned_at", start, end))
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
  static func read(_ reader: inout RowBinaryReader, _ id: (String) -> TargetID?) throws(FleetError) -> Row? {
    let target = try reader.text()
    let sequence = try reader.integer()
    let revision = try reader.integer()
    let plannedAt = try reader.time()
    let monotonic = try reader.integer()
    let lag = try reader.optionalInteger()
    let accept = try reader.optionalInteger()
    let delivery = try reader.optionalInteger()
    let error = try reader.optionalInteger()
    let status = try reader.optionalInteger()
    let state = Int(try reader.integer()) - 1
    let isFresh = try reader.flag()
    let isOutOfOrder = try reader.flag()
    let high = try reader.optionalInteger()
    let path = try reader.optionalInteger()
    guard let target = id(target) else { return nil }
    return Row(
      row: PointRow(
        id: SampleID(target: target, sequence: sequence),
        point: SamplePoint(
          plannedAt: plannedAt, plannedMonotonic: monotonic, scheduleLag: lag, acceptLatency: accept,
          deliveryLatency: delivery, state: states.indices.contains(state) ? states[state] : .inFlight,
          deliveryError: error, deliveryHigh: high, path: path, status: status.map { Int($0) },
          isFreshConnection: isFresh, isOutOfOrder: isOutOfOrder)),
      revision: revision)
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
