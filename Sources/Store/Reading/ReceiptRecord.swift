import Measurement

/// A stored receipt.
public struct ReceiptRecord: Sendable, Equatable {
  public var revision: Int64
  public var receipt: Receipt

  public init(revision: Int64, receipt: Receipt) { (self.revision, self.receipt) = (revision, receipt) }
}

extension Receipt {
  /// The columns of the table `receipt`, beside the notification's.
  public static let columns: [RecordColumn<Receipt>] = [
    .init("device", \.device, .exported, as: .name),
    .init("received_at", \.receivedAt, .exported),
    .init("arrived_at", \.arrivedAt, .exported),
    .init("same_clock", \.isSameClock, .exported),
    .init("offset_us", \.offset, .exported),
    .init("offset_error_us", \.offsetError, .exported),
    .init("duplicate", \.isDuplicate, .exported),
    .init("monotonic_ns", \.monotonic, .local),
  ]

  /// A receipt for the columns to be read into.
  public static func blank(of sample: SampleID) -> Receipt {
    let time = WallTime(microseconds: 0)
    return Receipt(sample: sample, device: "", receivedAt: time, arrivedAt: time, isSameClock: false)
  }
}

/// Selects and decodes rows of the table `receipt`.
enum ReceiptQuery {
  static let select =
    "SELECT x.revision, x.sample_id, \(Receipt.columns.map(\.sql).joined(separator: ", ")) FROM receipt x"

  static func decode(_ row: RawStatement) -> ReceiptRecord? {
    row.record(Receipt.columns, from: 2, into: .blank(of: SampleID(rawValue: row.integer(1)))).map {
      ReceiptRecord(revision: row.integer(0), receipt: $0)
    }
  }
}

extension StoreReader {
  /// The receipts of one notification, in the order in which they were stored.
  public func receipts(of id: SampleID, atMost limit: Int) throws -> [Receipt] {
    try read { db in
      let statement = try RawStatement(
        db, ReceiptQuery.select + " WHERE x.sample_id = ?1 ORDER BY x.sample_id, x.revision LIMIT ?2")
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
