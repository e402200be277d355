/// Version 7: what the collector's objectives said last, and the alerts that are open or not delivered yet.
enum SchemaVersion7 {
  static let sql = """
    CREATE TABLE objective (
      name TEXT PRIMARY KEY,
      position INTEGER NOT NULL,
      target TEXT NOT NULL,
      metric TEXT,
      limit_us INTEGER,
      share REAL,
      window_us INTEGER,
      silence_us INTEGER,
      verdict TEXT NOT NULL,
      good INTEGER NOT NULL,
      valid INTEGER NOT NULL,
      share_low REAL,
      share_high REAL,
      burn TEXT NOT NULL,
      quiet_us INTEGER NOT NULL,
      breached_at INTEGER,
      ended_at INTEGER,
      evaluated_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE alert (
      id TEXT PRIMARY KEY,
      fingerprint TEXT NOT NULL,
      kind TEXT NOT NULL,
      labels TEXT NOT NULL,
      annotations TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      ended_at INTEGER,
      deliveries TEXT NOT NULL
    ) STRICT;

    """
}
