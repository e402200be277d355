/// Version 12: when retention looked at the clocks last, and what keeps it from deleting.
enum SchemaVersion12 {
  /// `counts_as` and `wall` are µs since 1970: the time from which ages count, and what the wall clock said. The last sign of a
  /// collector of an older version is taken for its last look; of which boot it was is not known.
  static let sql = """
    CREATE TABLE retention_look (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      counts_as INTEGER NOT NULL,
      wall INTEGER NOT NULL,
      boottime_us INTEGER NOT NULL,
      boot_id TEXT NOT NULL,
      held_since INTEGER,
      held_ran_us INTEGER NOT NULL,
      has_ages INTEGER NOT NULL
    ) STRICT;
    INSERT INTO retention_look (one, counts_as, wall, boottime_us, boot_id, held_ran_us, has_ages)
      SELECT 1, at, at, 0, '', 0, 0 FROM heartbeat ORDER BY at DESC LIMIT 1;
    CREATE TABLE retention_wait (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      since INTEGER NOT NULL,
      holder INTEGER
    ) STRICT;

    """
}
