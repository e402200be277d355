import GRDB

extension StoreReader {
  /// What came of the command in a row of the control table.
  func controlOutcome(row: Int64) throws -> ControlOutcome {
    try read { db in
      let rows = try db.cachedRows("SELECT done_at IS NULL, refusal FROM control WHERE id = ?", [row])
      guard let found = rows.first else { return .refused("the command is no longer in the store") }
      if found[0] { return .waiting }
      return (found[1] as String?).map(ControlOutcome.refused) ?? .done
    }
  }
}
