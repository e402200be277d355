extension StoreSchema {
  /// The tool's own error (version 2). In `calibration_figure` the quantiles 0 and 1 are the smallest and the largest
  /// value, and a NULL value means that there were too few of them.
  static let instrumentTables = """
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
