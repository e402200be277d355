extension StoreSchema {
  /// Version 2: what other processes ask of the collector, that it lives while it records nothing, and which runs are
  /// on their way out.
  static let controlTables = """
    CREATE TABLE control (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      command TEXT NOT NULL,
      run TEXT,
      name TEXT,
      done_at INTEGER,
      refusal TEXT
    ) STRICT;

    CREATE TABLE presence (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      at INTEGER NOT NULL,
      run TEXT,
      serves INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE deletion (
      id INTEGER PRIMARY KEY,
      run_id INTEGER NOT NULL,
      target_id INTEGER
    ) STRICT;

    """
}
