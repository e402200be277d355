/// Version 8: how far retention has come, how targets were configured before a reload changed them, and how far the rollups
/// of a run that is being deleted are gone.
enum SchemaVersion8 {
  static let sql = retention + formerTargets

  /// `pruned_to` is in µs since 1970: what is older is deleted, or is going to be.
  private static let retention = """
    CREATE TABLE retention (
      subject TEXT PRIMARY KEY,
      pruned_to INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE deletion ADD COLUMN rollups_from INTEGER;

    """

  /// `until` is when the configuration in the row ended; `target` has the present one.
  private static let formerTargets = """
    CREATE TABLE former_target (
      revision INTEGER PRIMARY KEY,
      target_id INTEGER NOT NULL REFERENCES target (id) ON DELETE CASCADE,
      until INTEGER NOT NULL,
      provider TEXT NOT NULL,
      receipt_deadline_us INTEGER,
      asked_rate REAL NOT NULL,
      endpoint TEXT,
      device TEXT
    ) STRICT;
    CREATE INDEX former_target_target ON former_target (target_id);

    """
}
