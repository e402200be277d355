extension StoreSchema {
  /// Version 1. What the columns mean is in docs/store.md; times are µs since 1970 (UTC), names ending in `_us` are µs.
  static let firstTables = """
    CREATE TABLE meta (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      collector TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      revision INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE run (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      revision INTEGER NOT NULL UNIQUE,
      uuid TEXT NOT NULL UNIQUE,
      collector TEXT NOT NULL,
      name TEXT,
      started_at INTEGER NOT NULL,
      started_monotonic_us INTEGER NOT NULL,
      boot_id TEXT NOT NULL,
      ended_at INTEGER,
      end_reason TEXT,
      notification_prefix TEXT NOT NULL
    ) STRICT;

    CREATE TABLE heartbeat (
      run_id INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
      at INTEGER NOT NULL,
      monotonic_us INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE anchor (
      run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
      monotonic_us INTEGER NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (run_id, monotonic_us)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE target (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      provider TEXT NOT NULL,
      receipt_deadline_us INTEGER,
      asked_rate REAL NOT NULL,
      UNIQUE (run_id, name)
    ) STRICT;

    CREATE TABLE variant (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE tally (
      target_id INTEGER NOT NULL REFERENCES target (id) ON DELETE CASCADE,
      variant_id INTEGER NOT NULL,
      planned INTEGER NOT NULL DEFAULT 0,
      in_flight INTEGER NOT NULL DEFAULT 0,
      accepted INTEGER NOT NULL DEFAULT 0,
      delivered INTEGER NOT NULL DEFAULT 0,
      late INTEGER NOT NULL DEFAULT 0,
      lost INTEGER NOT NULL DEFAULT 0,
      rejected INTEGER NOT NULL DEFAULT 0,
      failed INTEGER NOT NULL DEFAULT 0,
      missed INTEGER NOT NULL DEFAULT 0,
      interrupted INTEGER NOT NULL DEFAULT 0,
      sent INTEGER NOT NULL DEFAULT 0,
      provider_accepted INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (target_id, variant_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE sample (
      id INTEGER PRIMARY KEY,
      revision INTEGER NOT NULL,
      variant_id INTEGER NOT NULL,
      planned_at INTEGER NOT NULL,
      planned_monotonic_us INTEGER NOT NULL,
      state INTEGER NOT NULL,
      status INTEGER,
      reason TEXT,
      schedule_lag_us INTEGER,
      service_us INTEGER,
      accept_us INTEGER,
      delivery_us INTEGER,
      delivery_error_us INTEGER,
      timestamp_source INTEGER,
      duplicates INTEGER NOT NULL DEFAULT 0,
      out_of_order INTEGER NOT NULL DEFAULT 0,
      connection_id INTEGER,
      connection_age_ms INTEGER,
      fresh_connection INTEGER,
      streams_in_flight INTEGER,
      attempt INTEGER NOT NULL DEFAULT 0,
      payload_bytes INTEGER,
      dns_us INTEGER,
      connect_us INTEGER,
      tls_us INTEGER,
      http_version INTEGER
    ) STRICT;
    CREATE INDEX sample_revision ON sample (revision);
    CREATE INDEX sample_planned_at ON sample (planned_at);

    CREATE TABLE receipt (
      revision INTEGER PRIMARY KEY,
      sample_id INTEGER NOT NULL,
      device TEXT NOT NULL,
      received_at INTEGER NOT NULL,
      arrived_at INTEGER NOT NULL,
      same_clock INTEGER NOT NULL,
      offset_us INTEGER,
      offset_error_us INTEGER,
      duplicate INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX receipt_sample ON receipt (sample_id);

    CREATE TABLE event (
      revision INTEGER PRIMARY KEY,
      run_id INTEGER REFERENCES run (id) ON DELETE CASCADE,
      target_id INTEGER,
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      connection_id INTEGER,
      sequence INTEGER,
      count INTEGER NOT NULL,
      detail TEXT NOT NULL
    ) STRICT;
    CREATE INDEX event_run ON event (run_id);

    CREATE TABLE log (
      revision INTEGER PRIMARY KEY,
      run_id INTEGER REFERENCES run (id) ON DELETE CASCADE,
      target_id INTEGER,
      at INTEGER NOT NULL,
      level TEXT NOT NULL,
      label TEXT NOT NULL,
      message TEXT NOT NULL
    ) STRICT;
    CREATE INDEX log_run ON log (run_id);

    """
}
