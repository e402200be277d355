import GRDB
import Measurement

/// Version 1: runs, targets, samples, receipts, events, log lines. docs/store.md explains the columns; times are µs
/// since 1970 (UTC), names ending in `_us` are µs.
enum SchemaVersion1 {
  static let sql = tables + StoreViews.sampleView() + StoreViews.eventView()

  private static let tables = """
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

/// Version 2: control commands, the collector's presence, deletions, rollups, clock exchanges, calibrations.
enum SchemaVersion2 {
  static let sql =
    control + rollups + clocks + instrument + "DROP VIEW event_view;\n"
    + StoreViews.eventView(where: "e.run_id IS NULL OR e.run_id NOT IN (SELECT run_id FROM deletion)")

  /// Commands of other processes, the heartbeat of an idle collector, and the runs that are being deleted. The targets
  /// of such a run are removed at once, so only the events' view needs a condition.
  private static let control = """
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

  /// Counts and latencies of the notifications planned in a second, minute or hour. `start` is in seconds since 1970,
  /// `span` its length in seconds. The primary key begins with time, since all queries are for ranges of time.
  private static let rollups = """
    CREATE TABLE rollup (
      span INTEGER NOT NULL,
      start INTEGER NOT NULL,
      target_id INTEGER NOT NULL,
      variant_id INTEGER NOT NULL,
      planned INTEGER NOT NULL,
      in_flight INTEGER NOT NULL,
      accepted INTEGER NOT NULL,
      delivered INTEGER NOT NULL,
      late INTEGER NOT NULL,
      lost INTEGER NOT NULL,
      rejected INTEGER NOT NULL,
      failed INTEGER NOT NULL,
      missed INTEGER NOT NULL,
      interrupted INTEGER NOT NULL,
      sent INTEGER NOT NULL,
      provider_accepted INTEGER NOT NULL,
      service BLOB,
      accept BLOB,
      delivery BLOB,
      PRIMARY KEY (span, start, target_id, variant_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE rollup_mark (
      span INTEGER PRIMARY KEY,
      covered_to INTEGER NOT NULL
    ) STRICT;

    """

  private static let clocks = """
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

  /// The instrument's own error. In `calibration_figure` the quantiles 0 and 1 are the minimum and the maximum, and a
  /// NULL value means that there were too few values.
  private static let instrument = """
    CREATE TABLE calibration (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      host TEXT NOT NULL,
      boot_id TEXT NOT NULL,
      rate REAL NOT NULL,
      length_us INTEGER NOT NULL,
      planned INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE calibration_figure (
      calibration_id INTEGER NOT NULL REFERENCES calibration (id) ON DELETE CASCADE,
      interval TEXT NOT NULL,
      quantile REAL NOT NULL,
      counted INTEGER NOT NULL,
      value_us INTEGER,
      low_us INTEGER,
      high_us INTEGER,
      PRIMARY KEY (calibration_id, interval, quantile)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE instrument (
      run_id INTEGER PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
      host TEXT NOT NULL,
      calibration_id INTEGER REFERENCES calibration (id) ON DELETE SET NULL,
      schedule_lag_count INTEGER NOT NULL,
      schedule_lag_p50_us INTEGER NOT NULL,
      schedule_lag_p99_us INTEGER NOT NULL,
      schedule_lag_max_us INTEGER NOT NULL,
      loop_lag_count INTEGER NOT NULL,
      loop_lag_p50_us INTEGER NOT NULL,
      loop_lag_p99_us INTEGER NOT NULL,
      loop_lag_max_us INTEGER NOT NULL,
      commits INTEGER NOT NULL,
      longest_commit_us INTEGER NOT NULL,
      commit_stalls INTEGER NOT NULL
    ) STRICT;

    """
}

/// Version 3: rollups with all figures of a report, which are rebuilt in steps by the collector; clock exchanges with
/// the host's time in suspend; the certainty of deliveries in `sample_view`.
enum SchemaVersion3 {
  static let sql =
    rollups + clocks + "DROP VIEW sample_view;\n" + StoreViews.sampleView(and: StoreViews.certainty)

  private static let rollups = """
    DROP TABLE rollup;
    CREATE TABLE rollup (
      span INTEGER NOT NULL,
      start INTEGER NOT NULL,
      target_id INTEGER NOT NULL,
      variant_id INTEGER NOT NULL,
      planned INTEGER NOT NULL,
      in_flight INTEGER NOT NULL,
      accepted INTEGER NOT NULL,
      delivered INTEGER NOT NULL,
      late INTEGER NOT NULL,
      lost INTEGER NOT NULL,
      rejected INTEGER NOT NULL,
      failed INTEGER NOT NULL,
      missed INTEGER NOT NULL,
      interrupted INTEGER NOT NULL,
      sent INTEGER NOT NULL,
      provider_accepted INTEGER NOT NULL,
      duplicates INTEGER NOT NULL,
      out_of_order INTEGER NOT NULL,
      fresh_connections INTEGER NOT NULL,
      service BLOB,
      accept BLOB,
      delivery BLOB,
      schedule_lag BLOB,
      fresh_service BLOB,
      fresh_accept BLOB,
      fresh_delivery BLOB,
      delivery_error BLOB,
      delivery_limit BLOB,
      PRIMARY KEY (span, start, target_id, variant_id)
    ) STRICT, WITHOUT ROWID;
    DELETE FROM rollup_mark;

    """

  /// NULL in older rows, which a later collector does not use.
  private static let clocks = """
    ALTER TABLE clock_exchange ADD COLUMN host_slept_us INTEGER;

    """
}

/// Version 4: the range of each delivery latency. Rows of version 3 are not rewritten, so that upgrading a large store
/// takes a moment: their ranges follow from value and error (``DeliveryRange``).
enum SchemaVersion4 {
  static func apply(_ db: Database) throws {
    try db.execute(
      sql: rangeColumns + "DROP VIEW sample_view;\n"
        + StoreViews.sampleView(and: StoreViews.certainty + StoreViews.ranges))
    try tellExchangesApart(db)
    try takeBackInexactRollups(db)
  }

  /// The columns of a rollup are NULL where they equal the latencies.
  private static let rangeColumns = """
    ALTER TABLE sample ADD COLUMN delivery_high_us INTEGER;
    ALTER TABLE rollup ADD COLUMN delivery_low BLOB;
    ALTER TABLE rollup ADD COLUMN delivery_high BLOB;
    ALTER TABLE rollup ADD COLUMN fresh_delivery_low BLOB;
    ALTER TABLE rollup ADD COLUMN fresh_delivery_high BLOB;

    """

  /// Writes the upper end where there was an exchange and the error equals the latency by chance: in version 3 such
  /// an error means "no clock exchange".
  private static func tellExchangesApart(_ db: Database) throws {
    guard try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM clock_exchange)") == true else { return }
    try db.execute(
      sql: """
        UPDATE sample SET delivery_high_us = delivery_us + delivery_error_us
        WHERE delivery_us > 0 AND delivery_error_us = delivery_us AND EXISTS (
          SELECT 1 FROM receipt c
          WHERE c.sample_id = sample.id AND c.duplicate = 0 AND c.offset_us IS NOT NULL)
        """)
  }

  /// Rollups of deliveries with an error lack the ranges. From the hour of the first of them on, rollups are deleted,
  /// and the next collector rebuilds them in steps. Older rollups, and those whose notifications were deleted, stay.
  private static func takeBackInexactRollups(_ db: Database) throws {
    func mark(_ span: Int64) throws -> Int64? {
      try Int64.fetchOne(db, sql: "SELECT covered_to FROM rollup_mark WHERE span = ?", arguments: [span])
    }
    func firstInexact(_ span: Int64, from start: Int64) throws -> Int64? {
      try Int64.fetchOne(
        db,
        sql: """
          SELECT start FROM rollup
          WHERE span = ? AND start >= ? AND (delivery_error IS NOT NULL OR delivery_limit IS NOT NULL)
          ORDER BY start LIMIT 1
          """,
        arguments: [span, start])
    }
    // Hours first, then what is newer than the last whole one, to read few rows.
    let starts = [
      try firstInexact(3600, from: .min), try firstInexact(60, from: mark(3600) ?? .min),
      try firstInexact(1, from: mark(60) ?? .min),
    ].compactMap { $0 }
    let oldest = try Int64.fetchOne(
      db, sql: "SELECT planned_at FROM sample INDEXED BY sample_planned_at ORDER BY planned_at LIMIT 1")
    guard let first = starts.min(), let oldest else { return }
    let cut = max(
      RollupSpan.hour.start(of: first),
      RollupSpan.hour.start(of: RollupSpan.second(of: WallTime(microseconds: oldest))))
    for span in [1, 60, 3600] as [Int64] {
      try db.execute(sql: "DELETE FROM rollup WHERE span = ? AND start >= ?", arguments: [span, cut])
    }
    try db.execute(
      sql: "UPDATE rollup_mark SET covered_to = ?1 WHERE covered_to > ?1", arguments: [cut])
  }
}
