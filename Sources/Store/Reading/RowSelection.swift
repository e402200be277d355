import GRDB
import Measurement

/// Selects the rows to visit; by default all.
public struct RowSelection: Sendable, Equatable {
  public var run: RunID?
  /// The names of the targets to select. When this is set, rows without a target are left out.
  public var targets: Set<String>?
  /// Applies to the planned time of samples, the arrival of receipts, the time of events and log lines.
  public var since: WallTime?
  /// The end of the time, which is excluded.
  public var until: WallTime?

  public init(
    run: RunID? = nil, targets: Set<String>? = nil, since: WallTime? = nil, until: WallTime? = nil
  ) {
    self.run = run
    self.targets = targets
    self.since = since
    self.until = until
  }

  public static let everything = RowSelection()

  /// Whether it selects a run or a time.
  public var hasTime: Bool { run != nil || since != nil || until != nil }
}

extension StoreReader {
  /// Visits samples in the order of run, target, sequence. Memory does not grow with their number.
  ///
  /// Rows are copied in chunks and visited outside of any transaction, so `body` may block. While the store is written
  /// to, each row is as it was when its chunk was read.
  public func forEachSample(
    _ selection: RowSelection, _ body: (borrowing SampleRow) throws -> Void
  ) throws {
    for target in try targetIDs(selection) {
      try forEachSampleByKey(of: target, selection.since, selection.until, .all, body)
    }
  }

  /// Visits receipts in the order of run, target, sequence, then arrival.
  public func forEachReceipt(_ selection: RowSelection, _ body: (ReceiptRecord) throws -> Void) throws {
    for target in try targetIDs(selection) {
      let range = target.sampleIDs
      var last = (sample: range.lowerBound, revision: Int64.min)
      var parts = ReceiptParts()
      try stream(
        ReceiptQuery.select + """
           WHERE (x.sample_id, x.revision) > (?1, ?2) AND x.sample_id <= ?3 AND x.arrived_at >= ?4 AND x.arrived_at < ?5
          ORDER BY x.sample_id, x.revision LIMIT ?6
          """,
        bind: { statement in
          statement.bind(last.sample, at: 1)
          statement.bind(last.revision, at: 2)
          statement.bind(range.upperBound, at: 3)
          statement.bind(selection.since?.microseconds ?? .min, at: 4)
          statement.bind(selection.until?.microseconds ?? .max, at: 5)
          statement.bind(Self.chunk, at: 6)
        },
        visited: { last = ($0.integer(1), $0.integer(0)) }, ReceiptQuery.decode
      ) { try parts.add($0, finished: body) }
      try parts.finish(body)
    }
  }

  /// Rows of the smaller tables in a chunk.
  private static let chunk = 512

  /// The targets of a selection in the order of their ids.
  private func targetIDs(_ selection: RowSelection) throws -> [TargetID] {
    try read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT t.id, t.name FROM target t JOIN run r ON r.id = t.run_id
          WHERE ?1 IS NULL OR r.uuid = ?1 ORDER BY t.id
          """,
        arguments: [selection.run?.description]
      ).compactMap { row in
        guard selection.targets?.contains(row[1]) ?? true else { return nil }
        return TargetID(rawValue: row[0])
      }
    }
  }

  /// Visits events or log lines by run, then in order; those of no run come first.
  public func forEachRecord<Content: RecordContent>(
    _ selection: RowSelection, _ body: (StoredRecord<Content>) throws -> Void
  ) throws {
    let runs = try read { db in
      try Int64.fetchAll(
        db,
        sql: """
          SELECT id FROM run WHERE (?1 IS NULL OR uuid = ?1) AND id NOT IN (SELECT run_id FROM deletion) ORDER BY id
          """,
        arguments: [selection.run?.description])
    }
    for run in (selection.run == nil ? [nil] : []) + runs.map(Optional.some) {
      var last = Int64.min
      try stream(
        RecordQuery<Content>.select + """
           WHERE x.run_id IS ?1 AND x.revision > ?2 AND x.at >= ?3 AND x.at < ?4
          ORDER BY x.revision LIMIT ?5
          """,
        bind: { statement in
          statement.bind(run, at: 1)
          statement.bind(last, at: 2)
          statement.bind(selection.since?.microseconds ?? .min, at: 3)
          statement.bind(selection.until?.microseconds ?? .max, at: 4)
          statement.bind(Self.chunk, at: 5)
        },
        visited: { last = $0.integer(0) },
        { row in
          if let names = selection.targets {
            guard let name = row.text(2), names.contains(name) else { return nil }
          }
          return RecordQuery<Content>.decode(row)
        }, body)
    }
  }

  /// Reads chunks, each in a transaction of its own, until one is not full, and visits the rows between the
  /// transactions.
  private func stream<Record>(
    _ sql: String, bind: (RawStatement) -> Void, visited: (RawStatement) -> Void,
    _ decode: (RawStatement) throws -> Record?, _ body: (Record) throws -> Void
  ) throws {
    var records = ContiguousArray<Record>()
    var count = 0
    repeat {
      records.removeAll(keepingCapacity: true)
      count = 0
      try read { db in
        let statement = try RawStatement(db, sql)
        bind(statement)
        while try statement.step() {
          count += 1
          visited(statement)
          if let record = try decode(statement) { records.append(record) }
        }
      }
      for record in records { try body(record) }
    } while count == Self.chunk
  }
}

extension StoreReader {
  /// Visits samples by their ids, in the order of run, target, sequence. Unknown ids are skipped.
  ///
  /// Rows are copied in chunks and visited outside of any transaction.
  public func forEachSample(withIDs ids: [SampleID], _ body: (borrowing SampleRow) throws -> Void) throws {
    let sorted = ids.sorted()
    var chunk = SampleChunk(capacity: SampleChunk.streamCapacity)
    var next = 0
    while next < sorted.count {
      let end = min(sorted.count, next + SampleChunk.streamCapacity)
      // A JSON array, so that one prepared statement takes any number of ids.
      let list = "[" + sorted[next..<end].map { "\($0.rawValue)" }.joined(separator: ",") + "]"
      try read { db in
        let statement = try RawStatement(
          db,
          """
          SELECT \(SampleColumn.list) FROM sample
          WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id
          """)
        statement.bind(list, at: 1)
        try chunk.fill(from: statement)
      }
      try chunk.forEach(body)
      next = end
    }
  }
}
