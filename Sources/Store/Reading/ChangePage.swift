import GRDB
import Measurement

/// Rows that changed after a cursor, in the order of their changes.
public struct ChangePage<Row: Sendable>: Sendable {
  public var rows: ContiguousArray<Row>
  /// The cursor for the next read.
  public var next: Int64
  /// Whether these were all changes; otherwise the limit was reached, and there may be more.
  public var isComplete: Bool

  public init(rows: ContiguousArray<Row>, next: Int64, isComplete: Bool) {
    (self.rows, self.next, self.isComplete) = (rows, next, isComplete)
  }
}

extension ChangePage: Equatable where Row: Equatable {}

/// A stored receipt.
public struct ReceiptRecord: Sendable, Equatable {
  public var revision: Int64
  public var receipt: Receipt

  public init(revision: Int64, receipt: Receipt) { (self.revision, self.receipt) = (revision, receipt) }
}

/// Selects and decodes rows of the table `receipt`.
enum ReceiptQuery {
  static let select = """
    SELECT revision, sample_id, device, received_at, arrived_at, same_clock, offset_us, offset_error_us, duplicate,
      monotonic_ns
    FROM receipt
    """

  static func decode(_ row: RawStatement) -> ReceiptRecord? {
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

extension StoreReader {
  /// The receipts of one notification, in the order in which they were stored.
  public func receipts(of id: SampleID, atMost limit: Int) throws -> [Receipt] {
    try read { db in
      let statement = try RawStatement(
        db, ReceiptQuery.select + " WHERE sample_id = ?1 ORDER BY sample_id, revision LIMIT ?2")
      statement.bind(id.rawValue, at: 1)
      statement.bind(Int64(limit), at: 2)
      defer { statement.reset() }
      var receipts: [Receipt] = []
      while try statement.step() {
        if let record = ReceiptQuery.decode(statement) { receipts.append(record.receipt) }
      }
      return receipts
    }
  }
}
