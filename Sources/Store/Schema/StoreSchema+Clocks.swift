extension StoreSchema {
  /// Version 2: what is kept of the clocks of remote devices.
  static let clockTables = """
    ALTER TABLE receipt ADD COLUMN monotonic_ns INTEGER;

    CREATE TABLE clock_exchange (
      revision INTEGER PRIMARY KEY,
      run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
      device TEXT NOT NULL,
      boot_id TEXT,
      t1_ns INTEGER NOT NULL,
      t2_monotonic_ns INTEGER NOT NULL,
      t3_monotonic_ns INTEGER NOT NULL,
      t4_ns INTEGER NOT NULL,
      arrived_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX clock_exchange_run ON clock_exchange (run_id);

    """
}
