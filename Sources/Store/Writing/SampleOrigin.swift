import GRDB
import Measurement

/// The run and target of a stored notification, for receipts of runs that are no longer in memory.
public struct SampleOrigin: Sendable, Equatable {
  public var run: RunID
  /// The boot that the sample's planned monotonic time belongs to.
  public var bootID: String
  public var target: String
  public var provider: String
  /// µs from planned; `nil` when no receipt was expected.
  public var receiptDeadline: Int64?
}

extension CollectorStore {
  /// A stored row, for receipts that come after it left memory.
  public func sample(_ id: SampleID) throws -> Sample? {
    try read { try SampleQuery.sample(id, $0) }
  }

  /// The stamps of a sample's stored receipts, oldest first, which tell a repeated receipt from another one.
  public func receiptStamps(of id: SampleID, atMost limit: Int) throws -> [ReceiptStamp] {
    try read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT device, received_at, monotonic_ns FROM receipt WHERE sample_id = ? ORDER BY revision LIMIT ?
          """,
        arguments: [id.rawValue, limit]
      ).map { ReceiptStamp(device: $0[0], receivedAt: WallTime(microseconds: $0[1]), monotonic: $0[2]) }
    }
  }

  /// The run and target of a stored sample; `nil` when the store does not have its target, or is deleting it.
  public func origin(of id: SampleID) throws -> SampleOrigin? {
    try read { db in
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT r.uuid, r.boot_id, t.name, t.provider, t.receipt_deadline_us
          FROM target t JOIN run r ON r.id = t.run_id WHERE t.id = ?
          """,
        arguments: [id.target.rawValue])
      guard let row, let run = RunID(row[0]) else { return nil }
      return SampleOrigin(
        run: run, bootID: row[1], target: row[2], provider: row[3], receiptDeadline: row[4])
    }
  }
}
