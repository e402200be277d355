import GRDB
import Measurement

/// The earliest planned time among the changed notifications of a target and variant.
public struct ChangedSeries: Sendable, Hashable {
  public var target: TargetID
  public var variant: VariantID
  public var earliest: WallTime
}

/// What changed in a store between two of its revisions.
public struct SeriesChanges: Sendable {
  /// The order is not defined.
  public var series: [ChangedSeries] = []
  /// The instants of annotations.
  public var annotated: [WallTime] = []
  /// The store's revision when the read began: the cursor of the next one.
  public var revision: Int64

  /// Nothing, at a revision.
  public init(revision: Int64) { self.revision = revision }
}

extension StoreReader {
  /// Which series have notifications that changed after a cursor.
  ///
  /// Reads in several transactions. What changes meanwhile has a higher revision than the one that is returned.
  /// - Parameters:
  ///   - rowsAtOnce: the rows of each transaction; long ones would keep the log from being emptied.
  ///   - onPart: told after each transaction, since all of them may take minutes.
  /// - Throws: ``StoreError``.
  public func changedSeries(
    after cursor: Int64, rowsAtOnce: Int64 = 100_000, onPart: () -> Void = {}
  ) throws -> SeriesChanges {
    var changes = SeriesChanges(revision: cursor)
    (changes.annotated, changes.revision) = try read { db in
      let rows = try db.cachedRows(
        "SELECT at FROM event WHERE revision > ? AND kind = ?", [cursor, EventKind.annotation.rawValue])
      return (rows.map { WallTime(microseconds: $0[0]) }, try Self.revision(db))
    }
    var earliest: [TargetVariant: Int64] = [:]
    var after = cursor
    while after < changes.revision {
      let (count, last) = try read { db in
        try Self.addChanges(after: after, to: changes.revision, atMost: rowsAtOnce, &earliest, db)
      }
      onPart()
      guard count == rowsAtOnce else { break }
      after = last
    }
    changes.series = earliest.map {
      ChangedSeries(target: $0.target, variant: $0.variant, earliest: WallTime(microseconds: $1))
    }
    return changes
  }

  private struct TargetVariant: Hashable {
    var target: TargetID
    var variant: VariantID
  }

  /// Adds the first rows after a revision.
  /// - Returns: how many rows those were, and the last revision among them.
  private static func addChanges(
    after cursor: Int64, to revision: Int64, atMost limit: Int64, _ earliest: inout [TargetVariant: Int64],
    _ db: Database
  ) throws -> (count: Int64, last: Int64) {
    let statement = try RawStatement(
      db,
      """
      SELECT id >> \(SampleID.sequenceBits), variant_id, min(planned_at), count(*), max(revision) FROM (
        SELECT id, variant_id, planned_at, revision FROM sample
        WHERE revision > ?1 AND revision <= ?2 ORDER BY revision LIMIT ?3)
      GROUP BY 1, 2
      """)
    statement.bind(cursor, at: 1)
    statement.bind(revision, at: 2)
    statement.bind(limit, at: 3)
    defer { statement.reset() }
    var (count, last) = (Int64(0), cursor)
    while try statement.step() {
      let key = TargetVariant(
        target: TargetID(rawValue: statement.integer(0)), variant: VariantID(rawValue: statement.integer(1)))
      earliest[key] = min(earliest[key] ?? .max, statement.integer(2))
      count += statement.integer(3)
      last = max(last, statement.integer(4))
    }
    return (count, last)
  }
}
