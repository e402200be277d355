import FoundationEssentials
import GRDB
import Measurement

extension CollectorStore {
  /// Registers a run with its targets and variants. Numbers are given in the order of the targets' names, so that
  /// ordering rows by id is ordering them by run, target and sequence.
  ///
  /// - Throws: ``StoreError``, `identifiersExhausted` after four million targets over all runs.
  public func beginRun(_ run: RunDescription) throws -> RunRegistration {
    var registration = RunRegistration(run: run.id, targets: [])
    try transaction { db, state in
      state.revision += 1
      try db.execute(
        sql: """
          INSERT INTO run (revision, uuid, collector, name, started_at, started_monotonic_us, boot_id,
            notification_prefix)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          state.revision, run.id.description, collectorID.uuidString.lowercased(), run.name,
          run.startedAt.microseconds, run.startedMonotonic.microseconds, run.bootID,
          Self.notificationPrefix(of: run.id),
        ])
      let runRow = db.lastInsertedRowID
      state.runRows[run.id] = runRow
      try RecordWriter(db).beat(
        ClockAnchor(monotonic: run.startedMonotonic, wall: run.startedAt), runRow: runRow)
      // In one commit with the run itself: no reader sees one without the other.
      try db.execute(
        sql: """
          INSERT INTO presence (one, at, run, serves) VALUES (1, ?, ?, 0)
          ON CONFLICT (one) DO UPDATE SET at = excluded.at, run = excluded.run
          """,
        arguments: [run.startedAt.microseconds, run.id.description])
      let ordered = run.targets.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      registration.targets = try ordered.map { try register($0, runRow: runRow, db) }
    }
    return registration
  }

  private func register(_ target: TargetDescription, runRow: Int64, _ db: Database) throws -> RegisteredTarget
  {
    try db.execute(
      sql: """
        INSERT INTO target (run_id, name, provider, receipt_deadline_us, asked_rate) VALUES (?, ?, ?, ?, ?)
        """,
      arguments: [runRow, target.name, target.provider, target.receiptDeadline, target.askedRate])
    let id = TargetID(rawValue: db.lastInsertedRowID)
    guard id <= TargetID.maximum else {
      throw StoreError(
        .identifiersExhausted, path: path, detail: "every number for targets is used up",
        remedy: "begin a new store with --store")
    }
    let variants = try target.variants.map { try variant(named: $0, db) }
    for variant in variants.isEmpty ? [.none] : Set(variants) {
      try db.execute(
        sql: "INSERT INTO tally (target_id, variant_id) VALUES (?, ?)",
        arguments: [id.rawValue, variant.rawValue])
    }
    return RegisteredTarget(id: id, name: target.name, variants: variants)
  }

  /// Variants are numbered once per store by what they say, so that one keeps its number from run to run.
  private func variant(named name: String, _ db: Database) throws -> VariantID {
    try db.execute(sql: "INSERT INTO variant (name) VALUES (?) ON CONFLICT DO NOTHING", arguments: [name])
    let id = try Int64.fetchOne(db, sql: "SELECT id FROM variant WHERE name = ?", arguments: [name])
    return id.map(VariantID.init(rawValue:)) ?? .none
  }

  /// The first 19 characters of the UUIDs of a run's notifications, which the view completes with the sample's id.
  static func notificationPrefix(of run: RunID) -> String {
    String(
      NotificationID(run: run, sample: SampleID(rawValue: 0)).description.prefix(19))
  }

  /// Closes a run, by the rule that holds after a death too, whatever the reason: what is planned at the end of a sequence
  /// for later than the last instant at which anything may have been sent was never due and is taken out of the plan; any
  /// other row whose end is open may have gone out and is interrupted. Later receipts may still change rows.
  ///
  /// - Parameter sendingEnded: nothing that was planned for later was sent; `nil` means the instant of the call.
  public func endRun(
    _ run: RunID, at time: WallTime, reason: RunEndReason, sendingEnded: MonotonicTime? = nil
  ) throws {
    let lastDue = (sendingEnded ?? clock.monotonicNow()).microseconds
    try transaction { db, state in
      let row = try runRow(of: run, db, &state)
      var settlement = OpenRowSettlement()
      try settlement.settle(run: row, db, state: &state) { $0 <= lastDue }
      let records = RecordWriter(db)
      if settlement.interrupted > 0 {
        let event = Event(
          at: time, kind: .interrupted, count: settlement.interrupted,
          detail: "the run was closed before their end was known")
        try records.insert([event], revision: &state.revision) { _ in row }
      }
      try records.end(run: row, at: time, reason: reason, revision: &state.revision)
      try db.execute(
        sql: "UPDATE presence SET run = NULL WHERE run = ?", arguments: [run.description])
    }
  }

  /// A row as it is stored: for receipts that come after it left memory.
  public func sample(_ id: SampleID) throws -> Sample? {
    try read { try SampleQuery.sample(id, $0) }
  }

  /// What the receipts that are stored for a sample said, oldest first: by it a repetition is told from another one.
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

  /// Where a stored sample comes from; `nil` when the store does not have its target, or is deleting it.
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
