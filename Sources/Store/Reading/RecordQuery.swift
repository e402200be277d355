import GRDB
import Measurement

/// How rows of the smaller tables are selected and decoded.
enum RecordQuery {
  static let events = """
    SELECT e.revision, r.uuid, t.name, e.at, e.kind, e.target_id, e.connection_id, e.sequence, e.count, e.detail
    FROM event e LEFT JOIN run r ON r.id = e.run_id LEFT JOIN target t ON t.id = e.target_id
    """

  /// `nil` for a kind this version does not know.
  static func event(_ row: RawStatement) -> EventRecord? {
    guard let kind = row.text(4).flatMap(EventKind.init(rawValue:)) else { return nil }
    return EventRecord(
      revision: row.integer(0), run: row.text(1).flatMap { RunID($0) }, targetName: row.text(2),
      event: Event(
        at: WallTime(microseconds: row.integer(3)), kind: kind,
        target: row.optionalInteger(5).map(TargetID.init(rawValue:)),
        connectionID: row.optionalInteger(6), sequence: row.optionalInteger(7), count: Int(row.integer(8)),
        detail: row.text(9) ?? ""))
  }

  static let log = """
    SELECT e.revision, r.uuid, t.name, e.at, e.level, e.target_id, e.label, e.message
    FROM log e LEFT JOIN run r ON r.id = e.run_id LEFT JOIN target t ON t.id = e.target_id
    """

  static func log(_ row: RawStatement) -> LogRecord? {
    guard let level = row.text(4).flatMap(LogLine.Level.init(rawValue:)) else { return nil }
    return LogRecord(
      revision: row.integer(0), run: row.text(1).flatMap { RunID($0) }, targetName: row.text(2),
      line: LogLine(
        at: WallTime(microseconds: row.integer(3)), level: level,
        target: row.optionalInteger(5).map(TargetID.init(rawValue:)), label: row.text(6) ?? "",
        message: row.text(7) ?? ""))
  }

  static let receipts = """
    SELECT revision, sample_id, device, received_at, arrived_at, same_clock, offset_us, offset_error_us, duplicate,
      monotonic_ns
    FROM receipt
    """

  static func receipt(_ row: RawStatement) -> ReceiptRecord? {
    ReceiptRecord(
      revision: row.integer(0),
      receipt: Receipt(
        sample: SampleID(rawValue: row.integer(1)), device: row.text(2) ?? "",
        receivedAt: WallTime(microseconds: row.integer(3)),
        arrivedAt: WallTime(microseconds: row.integer(4)), isSameClock: row.integer(5) != 0,
        monotonic: row.optionalInteger(9), offset: row.optionalInteger(6),
        offsetError: row.optionalInteger(7),
        isDuplicate: row.integer(8) != 0))
  }
}
