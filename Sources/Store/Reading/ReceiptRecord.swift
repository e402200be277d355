import GRDB
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
    .init("shown_at", \.stages.shownAt, .exported),
    .init("opened_at", \.stages.openedAt, .exported),
    .init("provider_at", \.stages.providerAt, .exported),
    .init("context", \.context, [.exported, .readOnly], sql: StoreViews.context("x")),
    .init("context_id", \.contextID, .local),
    .init("addition", \.isAddition),
  ]

  /// A receipt for the columns to be read into.
  public static func blank(of sample: SampleID) -> Receipt {
    let time = WallTime(microseconds: 0)
    return Receipt(sample: sample, device: "", receivedAt: time, arrivedAt: time, isSameClock: false)
  }
}

/// Selects and decodes rows of the table `receipt`.
enum ReceiptQuery {
  static let select = "SELECT x.revision, x.sample_id, \(Receipt.columns.selectList()) FROM receipt x"

  /// The rows of one notification, in the order in which they were stored.
  /// - Parameter receipt: gets `nil` for a row that cannot be read.
  static func rows(
    of id: SampleID, atMost limit: Int, _ db: Database, _ receipt: (ReceiptRecord?) throws -> Receipt?
  ) throws -> [Receipt] {
    let statement = try RawStatement(
      db, select + " WHERE x.sample_id = ?1 ORDER BY x.sample_id, x.revision LIMIT ?2")
    statement.bind(id.rawValue, at: 1)
    statement.bind(Int64(limit), at: 2)
    defer { statement.reset() }
    var rows: [Receipt] = []
    while try statement.step() {
      if let row = try receipt(decode(statement)) { rows.append(row) }
    }
    return rows
  }

  static func decode(_ row: RawStatement) -> ReceiptRecord? {
    row.record(Receipt.columns, from: 2, into: .blank(of: SampleID(rawValue: row.integer(1)))).map {
      ReceiptRecord(revision: row.integer(0), receipt: $0)
    }
  }
}

/// Joins the rows of a receipt that a device posted in parts.
public struct ReceiptParts {
  private var receipts: [ReceiptRecord] = []

  public init() {}

  /// Adds a row; rows come in the order of notifications, then in that in which they were stored.
  /// - Parameter finished: called with the receipts of the notification before.
  public mutating func add(
    _ record: ReceiptRecord, finished: (ReceiptRecord) throws -> Void
  ) rethrows {
    if let last = receipts.last, last.receipt.sample != record.receipt.sample { try finish(finished) }
    guard record.receipt.isAddition else { return receipts.append(record) }
    // What was posted before the time that is read has its receipt there.
    if let place = receipts.firstIndex(where: { $0.receipt.stamp == record.receipt.stamp }) {
      receipts[place].receipt.add(record.receipt)
    }
  }

  /// Ends the rows.
  public mutating func finish(_ finished: (ReceiptRecord) throws -> Void) rethrows {
    defer { receipts.removeAll(keepingCapacity: true) }
    for record in receipts { try finished(record) }
  }

  /// The receipts of rows.
  public static func joined(_ rows: [Receipt]) -> [Receipt] {
    var parts = ReceiptParts()
    var receipts: [Receipt] = []
    for row in rows { parts.add(ReceiptRecord(revision: 0, receipt: row)) { receipts.append($0.receipt) } }
    parts.finish { receipts.append($0.receipt) }
    return receipts
  }
}

extension StoreReader {
  /// The receipts of one notification, in the order in which they were stored.
  public func receipts(of id: SampleID, atMost limit: Int) throws -> [Receipt] {
    try read { db in
      ReceiptParts.joined(try ReceiptQuery.rows(of: id, atMost: limit, db) { $0?.receipt })
    }
  }
}
