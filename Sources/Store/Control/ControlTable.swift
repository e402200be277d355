import GRDB
import Measurement

extension CollectorStore {
  /// The commands that are not answered yet, oldest first.
  public func controlRequests() throws -> [ControlRequest] {
    try read { db in
      try db.cachedRows("SELECT id, command, run, name FROM control WHERE done_at IS NULL ORDER BY id").map {
        ControlRequest(
          row: try $0.value(0),
          command: ControlCommand(word: try $0.value(1), run: try $0.optional(2), name: try $0.optional(3)))
      }
    }
  }

  /// Answers a command, and deletes answers that are a minute old.
  /// - Parameter refusal: the reason if it was refused.
  public func answer(_ row: Int64, refusal: String? = nil) throws {
    try transaction { db, _ in
      try db.execute(
        sql: "UPDATE control SET done_at = ?, refusal = ? WHERE id = ? AND done_at IS NULL",
        arguments: [clock.wallNow().microseconds, refusal, row])
      // Whoever left a command has read its answer by then.
      try db.execute(
        sql: "DELETE FROM control WHERE done_at < ?",
        arguments: [(clock.wallNow() - Self.answerLifetime).microseconds])
    }
  }

  private static let answerLifetime = Duration.seconds(60)

  /// Refuses commands from before the store was opened, and deletes answers that are a day old.
  public func refuseLeftoverRequests() throws {
    try transaction { db, _ in
      let now = clock.wallNow()
      try db.execute(
        sql: "UPDATE control SET done_at = ?, refusal = ? WHERE done_at IS NULL AND at < ?",
        arguments: [
          now.microseconds, "the collector ended before it carried out the command; try again",
          openedAt.microseconds,
        ])
      try db.execute(
        sql: "DELETE FROM control WHERE done_at < ?",
        arguments: [now.advanced(byMicroseconds: -86_400_000_000).microseconds])
    }
  }

  /// Writes the heartbeat of an idle collector. The run that it records is set by ``beginRun(_:)`` and
  /// ``endRun(_:at:reason:sendingEnded:)``.
  /// - Parameter staysAfterRun: whether it stays after a run, so that `start` begins another one.
  /// - Throws: ``StoreError``, as ``commit(_:)`` does.
  public func recordPresence(staysAfterRun: Bool) throws {
    _ = try checkedTransaction { db, _ in
      try db.cachedStatement(
        sql: """
          INSERT INTO presence (one, at, serves) VALUES (1, ?, ?)
          ON CONFLICT (one) DO UPDATE SET at = excluded.at, serves = excluded.serves
          """
      ).execute(arguments: [clock.wallNow().microseconds, staysAfterRun])
    }
  }

  /// - Throws: ``StoreError``, e.g. `unknownRun`.
  public func rename(_ run: RunID, to name: String?) throws {
    if let refusal = ControlCommand.refusal(ofName: name, path: path) { throw refusal }
    try transaction { db, state in
      state.revision += 1
      try db.execute(
        sql: """
          UPDATE run SET name = ?, revision = ? WHERE uuid = ? AND id NOT IN (SELECT run_id FROM deletion)
          """,
        arguments: [name, state.revision, run.description])
      guard db.changesCount == 1 else { throw StoreError.unknownRun(run.description, path: path) }
    }
  }
}

extension StoreReader {
  /// The outcome of the command in a row of the control table.
  func controlOutcome(row: Int64) throws -> ControlOutcome {
    try read { db in
      let rows = try db.cachedRows("SELECT done_at IS NULL, refusal FROM control WHERE id = ?", [row])
      guard let found = rows.first else { return .refused("the command is no longer in the store") }
      if found[0] { return .waiting }
      return (found[1] as String?).map(ControlOutcome.refused) ?? .done
    }
  }
}
