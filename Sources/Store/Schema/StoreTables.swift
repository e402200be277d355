/// The tables of schema version 14. They do not change: later versions are steps of ``StoreSchema``. docs/store.md explains the
/// columns; times are µs since 1970 (UTC), names ending in `_us` are µs.
enum StoreTables {
  static let sql = [
    runs, notifications, records, control, rollups, instrument, findings, objectives, retention, forwarding,
  ].joined(separator: "\n")

  /// Runs, their targets and what they were configured as. Clocks are compared by `anchor`; `tally` counts notifications by
  /// state.
  private static let runs = """
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
      notification_prefix TEXT NOT NULL,
      labels TEXT
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
      endpoint TEXT,
      device TEXT,
      revision INTEGER NOT NULL DEFAULT 0,
      UNIQUE (run_id, name)
    ) STRICT;
    CREATE INDEX target_revision ON target (revision);

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
    """

  /// Notifications, their receipts, and the answers to PINGs. Columns are ``SampleColumn``'s, ``Receipt``'s and
  /// ``PingAnswer``'s.
  private static let notifications = """
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
      http_version INTEGER,
      delivery_high_us INTEGER,
      peer_ack_us INTEGER,
      path_us INTEGER
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
      duplicate INTEGER NOT NULL,
      monotonic_ns INTEGER
    ) STRICT;
    CREATE INDEX receipt_sample ON receipt (sample_id);

    CREATE TABLE path (
      revision INTEGER PRIMARY KEY,
      run_id INTEGER NOT NULL,
      target_id INTEGER NOT NULL,
      connection_id INTEGER NOT NULL,
      at INTEGER NOT NULL,
      round_trip_us INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX path_target ON path (target_id, at);

    CREATE TABLE clock_exchange (
      revision INTEGER PRIMARY KEY,
      run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
      device TEXT NOT NULL,
      boot_id TEXT,
      t1_ns INTEGER NOT NULL,
      t2_monotonic_ns INTEGER NOT NULL,
      t3_monotonic_ns INTEGER NOT NULL,
      t4_ns INTEGER NOT NULL,
      arrived_at INTEGER NOT NULL,
      host_slept_us INTEGER
    ) STRICT;
    CREATE INDEX clock_exchange_run ON clock_exchange (run_id);
    """

  /// Events and log lines.
  private static let records = """
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
    CREATE INDEX event_at ON event (run_id, at);

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
    CREATE INDEX log_at ON log (run_id, at);
    """

  /// Commands of other processes, the heartbeat of an idle collector, and the runs that are being deleted.
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
      target_id INTEGER,
      rollups_from INTEGER
    ) STRICT;
    """

  /// Counts and latencies of the notifications planned in a second, minute or hour. `start` is in seconds since 1970, `span`
  /// its length in seconds. The primary key begins with time, since all queries are for ranges of time. Ranges of deliveries
  /// are NULL where they equal the latencies.
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
      delivery_low BLOB,
      delivery_high BLOB,
      fresh_delivery_low BLOB,
      fresh_delivery_high BLOB,
      path BLOB,
      fresh_path BLOB,
      PRIMARY KEY (span, start, target_id, variant_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE rollup_mark (
      span INTEGER PRIMARY KEY,
      covered_to INTEGER NOT NULL
    ) STRICT;
    """

  /// The instrument's own error. In `calibration_figure` the quantiles 0 and 1 are the minimum and the maximum, and a NULL
  /// value means that there were too few values.
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

  /// Findings, and what the detector has learned of each series.
  private static let findings = """
    CREATE TABLE finding (
      id TEXT PRIMARY KEY,
      revision INTEGER NOT NULL UNIQUE,
      incident TEXT NOT NULL,
      run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
      target TEXT NOT NULL,
      variant TEXT NOT NULL,
      provider TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      device TEXT NOT NULL,
      metric TEXT NOT NULL,
      kind TEXT NOT NULL,
      status TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      started_low INTEGER,
      started_high INTEGER,
      ended_at INTEGER,
      detected_at INTEGER NOT NULL,
      seen_until INTEGER NOT NULL,
      quantile REAL,
      before_us INTEGER,
      after_us INTEGER,
      after_low_us INTEGER,
      after_high_us INTEGER,
      share_before REAL,
      share_after REAL,
      share_low REAL,
      share_high REAL,
      cause TEXT NOT NULL,
      scope TEXT,
      causes TEXT NOT NULL,
      evidence TEXT NOT NULL,
      samples INTEGER NOT NULL,
      effective_samples REAL NOT NULL,
      window_us INTEGER NOT NULL,
      statistic REAL NOT NULL,
      threshold REAL NOT NULL,
      gradual INTEGER NOT NULL,
      new_normal INTEGER NOT NULL,
      verdicts TEXT NOT NULL,
      legs TEXT NOT NULL,
      events TEXT NOT NULL,
      detection TEXT NOT NULL,
      hidden INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX finding_run ON finding (run_id);
    CREATE INDEX finding_started_at ON finding (started_at);

    CREATE TABLE detector (
      id INTEGER PRIMARY KEY,
      target TEXT NOT NULL,
      variant TEXT NOT NULL,
      provider TEXT NOT NULL,
      endpoint TEXT NOT NULL,
      through INTEGER NOT NULL,
      cursor INTEGER NOT NULL,
      age_us INTEGER NOT NULL,
      learning_us INTEGER,
      power TEXT,
      UNIQUE (target, variant, provider, endpoint)
    ) STRICT;

    CREATE TABLE detector_checkpoint (
      id INTEGER PRIMARY KEY,
      detector_id INTEGER NOT NULL REFERENCES detector (id) ON DELETE CASCADE,
      through INTEGER NOT NULL,
      state BLOB NOT NULL,
      UNIQUE (detector_id, through)
    ) STRICT;
    """

  /// Objectives and alerts.
  private static let objectives = """
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

  /// How far rows are deleted, when retention looked at the clocks last (µs since 1970: the time from which ages count, and
  /// what the wall clock said), and what keeps it from deleting.
  private static let retention = """
    CREATE TABLE retention (
      subject TEXT PRIMARY KEY,
      pruned_to INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

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

    CREATE TABLE retention_wait (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      since INTEGER NOT NULL,
      holder INTEGER
    ) STRICT;
    """

  /// How far rows are in a fleet, which runs were deleted, and the ids that the collector had before the store was adopted. All
  /// rows up to `revision` of a cursor are in its fleet. `opened_at_revision` is the store's revision when a collector first
  /// opened it after the fleet was compared with it the last time; `place` is the servers and the database as they are
  /// configured. The fleet '' is one that was never reached there. Rows up to the revision of an adoption are of its collector.
  private static let forwarding = """
    CREATE TABLE tombstone (
      revision INTEGER PRIMARY KEY,
      run TEXT NOT NULL UNIQUE,
      collector TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE forward_cursor (
      fleet TEXT PRIMARY KEY,
      revision INTEGER NOT NULL,
      opened_at_revision INTEGER,
      is_current INTEGER NOT NULL,
      moved_at INTEGER NOT NULL,
      place TEXT
    ) STRICT;

    CREATE TABLE adoption (
      revision INTEGER PRIMARY KEY,
      collector TEXT NOT NULL
    ) STRICT;
    """
}
