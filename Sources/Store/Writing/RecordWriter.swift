import GRDB
import Measurement

/// Writes all rows but those of samples and runs.
struct RecordWriter {
  let db: Database

  init(_ db: Database) { self.db = db }

  func insert(_ contexts: [StoredDeviceContext]) throws {
    guard !contexts.isEmpty else { return }
    let statement = try RawStatement(db, "INSERT INTO context (id, context) VALUES (?1, ?2)")
    for row in contexts {
      statement.bind(row.id.rawValue, at: 1)
      statement.bind(row.context.text, at: 2)
      try statement.run()
    }
  }

  /// Skips receipts for deleted targets.
  func insert(_ receipts: [Receipt], revision: inout Int64) throws {
    guard !receipts.isEmpty else { return }
    let inserted = Inserted(Receipt.columns, after: ["revision", "sample_id"])
    let statement = try RawStatement(
      db,
      """
      INSERT INTO receipt (\(inserted.names)) SELECT \(inserted.parameters)
      WHERE EXISTS (SELECT 1 FROM target WHERE id = ?2 >> \(SampleID.sequenceBits))
      """)
    for receipt in receipts {
      revision += 1
      statement.bind(revision, at: 1)
      statement.bind(receipt.sample.rawValue, at: 2)
      inserted.bind(receipt, in: statement)
      try statement.run()
    }
    try DeviceActivity.record(receipts, db)
  }

  /// Skips PINGs of deleted targets.
  func insert(_ pings: [PingAnswer], revision: inout Int64) throws {
    guard !pings.isEmpty else { return }
    let inserted = Inserted(PingAnswer.columns, after: ["revision", "target_id"])
    let statement = try RawStatement(
      db,
      """
      INSERT INTO path (\(inserted.names), run_id) SELECT \(inserted.parameters), run_id FROM target WHERE id = ?2
      """)
    for ping in pings {
      revision += 1
      statement.bind(revision, at: 1)
      statement.bind(ping.target.rawValue, at: 2)
      inserted.bind(ping, in: statement)
      try statement.run()
    }
  }

  /// Inserts events or log lines.
  /// - Parameter runRow: gives the run's row for a record's target.
  func insert<Content: RecordContent>(
    _ records: [Content], revision: inout Int64, runRow: (TargetID?) throws -> Int64?
  ) throws {
    guard !records.isEmpty else { return }
    let inserted = Inserted(Content.columns, after: ["revision", "run_id", "target_id"])
    let statement = try RawStatement(
      db,
      "INSERT INTO \(Content.table.rawValue) (\(inserted.names)) VALUES (\(inserted.parameters))")
    for record in records {
      revision += 1
      statement.bind(revision, at: 1)
      statement.bind(try runRow(record.target), at: 2)
      statement.bind(record.target?.rawValue, at: 3)
      inserted.bind(record, in: statement)
      try statement.run()
    }
  }

  /// The row of a run; `nil` without one.
  func row(of run: RunID?) throws -> Int64? {
    try run.flatMap { run in
      try Int64.fetchOne(db, sql: "SELECT id FROM run WHERE uuid = ?", arguments: [run.description])
    }
  }

  /// Inserts events and log lines of the runs of their targets.
  /// - Parameter runRow: the run of those without a target.
  func insert(_ events: [Event], _ log: [LogLine], runRow: Int64?, _ state: inout WriterState) throws {
    var revision = state.revision
    let rowForTarget = { (target: TargetID?) throws -> Int64? in
      try target.flatMap { try state.runRow(of: $0, db) } ?? runRow
    }
    try insert(events, revision: &revision, runRow: rowForTarget)
    try insert(log, revision: &revision, runRow: rowForTarget)
    state.revision = revision
  }

  func insert(_ anchors: [ClockAnchor], runRow: Int64) throws {
    guard !anchors.isEmpty else { return }
    let statement = try RawStatement(
      db, "INSERT OR REPLACE INTO anchor (run_id, monotonic_us, at) VALUES (?1, ?2, ?3)")
    for anchor in anchors {
      statement.bind(runRow, at: 1)
      statement.bind(anchor.monotonic.microseconds, at: 2)
      statement.bind(anchor.wall.microseconds, at: 3)
      try statement.run()
    }
  }

  func insert(
    _ exchanges: [DeviceExchange], at now: WallTime, revision: inout Int64, runRow: Int64
  ) throws {
    guard !exchanges.isEmpty else { return }
    let statement = try RawStatement(
      db,
      """
      INSERT INTO clock_exchange (revision, run_id, device, boot_id, t1_ns, t2_monotonic_ns, t3_monotonic_ns, t4_ns,
        arrived_at, host_slept_us)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """)
    for row in exchanges {
      revision += 1
      statement.bind(revision, at: 1)
      statement.bind(runRow, at: 2)
      statement.bind(row.device, at: 3)
      statement.bind(row.bootID, at: 4)
      statement.bind(row.exchange.t1, at: 5)
      statement.bind(row.exchange.t2.nanoseconds, at: 6)
      statement.bind(row.exchange.t3.nanoseconds, at: 7)
      statement.bind(row.exchange.t4, at: 8)
      statement.bind(now.microseconds, at: 9)
      statement.bind(row.hostSlept.microseconds, at: 10)
      try statement.run()
    }
  }

  /// Writes the run's heartbeat.
  func beat(_ now: ClockAnchor, runRow: Int64) throws {
    let statement = try RawStatement(
      db, "INSERT OR REPLACE INTO heartbeat (run_id, at, monotonic_us) VALUES (?1, ?2, ?3)")
    statement.bind(runRow, at: 1)
    statement.bind(now.wall.microseconds, at: 2)
    statement.bind(now.monotonic.microseconds, at: 3)
    try statement.run()
  }

  /// Skips deleted targets.
  func apply(_ deltas: CounterDeltas) throws {
    guard !deltas.counts.isEmpty else { return }
    let statement = try RawStatement(db, Self.tallySQL)
    for (key, counts) in deltas.counts {
      statement.bind(key.target.rawValue, at: 1)
      statement.bind(key.variant.rawValue, at: 2)
      for place in StateCounts.columns.indices {
        statement.bind(counts[column: place], at: Int32(3 + place))
      }
      try statement.run()
    }
  }

  /// Closes a run.
  func end(run row: Int64, at time: WallTime, reason: RunEndReason, revision: inout Int64) throws {
    revision += 1
    try db.execute(
      sql: "UPDATE run SET ended_at = ?, end_reason = ?, revision = ? WHERE id = ?",
      arguments: [time.microseconds, reason.rawValue, revision, row])
  }

  func store(revision: Int64) throws {
    let statement = try RawStatement(db, "UPDATE meta SET revision = ?1")
    statement.bind(revision, at: 1)
    try statement.run()
  }

  private static let tallySQL: String = {
    let columns = StateCounts.columns
    return """
      INSERT INTO tally (target_id, variant_id, \(columns.joined(separator: ", ")))
      SELECT \((1...columns.count + 2).map { "?\($0)" }.joined(separator: ", "))
      WHERE EXISTS (SELECT 1 FROM target WHERE id = ?1)
      ON CONFLICT DO UPDATE SET \(columns.map { "\($0) = \($0) + excluded.\($0)" }.joined(separator: ", "))
      """
  }()
}

/// The columns of a record as parameters of a statement.
struct Inserted<Record>: Sendable {
  /// All columns of the statement, and a parameter for each.
  let names: String
  let parameters: String
  private let columns: [(parameter: Int32, column: RecordColumn<Record>)]

  /// - Parameter first: the columns before those of the record.
  init(_ columns: [RecordColumn<Record>], after first: [String]) {
    let written = columns.written()
    let all = first + written.map(\.name)
    names = all.joined(separator: ", ")
    parameters = (1...all.count).map { "?\($0)" }.joined(separator: ", ")
    self.columns = written.enumerated().map { (Int32(first.count + $0.offset + 1), $0.element) }
  }

  func bind(_ record: Record, in statement: RawStatement) {
    for (parameter, column) in columns { statement.bind(column.value(record), at: parameter) }
  }
}
