/// Version 9: what forwarding to a fleet needs: how far it has come, runs that were deleted, revisions of targets, the labels of
/// a run, and the ids that the collector had before the store was adopted.
enum SchemaVersion9 {
  static let sql = runs + forwarding

  /// `labels` is a JSON object; NULL in runs of older versions. A target has the revision of what changed it last.
  private static let runs = """
    ALTER TABLE run ADD COLUMN labels TEXT;
    ALTER TABLE target ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    UPDATE target SET revision = (SELECT r.revision FROM run r WHERE r.id = target.run_id);
    CREATE INDEX target_revision ON target (revision);

    CREATE TABLE tombstone (
      revision INTEGER PRIMARY KEY,
      run TEXT NOT NULL UNIQUE,
      collector TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;

    """

  /// All rows up to `revision` are in the fleet. `opened_at_revision` is the store's revision when a collector first opened it
  /// after the fleet was compared with it the last time. Rows up to the revision of an adoption are of its collector.
  private static let forwarding = """
    CREATE TABLE forward_cursor (
      fleet TEXT PRIMARY KEY,
      revision INTEGER NOT NULL,
      opened_at_revision INTEGER,
      is_current INTEGER NOT NULL,
      moved_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE adoption (
      revision INTEGER PRIMARY KEY,
      collector TEXT NOT NULL
    ) STRICT;

    """
}
