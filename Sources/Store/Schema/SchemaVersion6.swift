/// Version 6: findings, and what the detector needs to go on after a restart.
enum SchemaVersion6 {
  static let sql = findings + detectors

  /// `verdicts`, `legs` and `detection` are JSON. Shares are between 0 and 1.
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

    """

  /// `cursor`: all rows up to this revision were looked at. `learning_us` is NULL once alarm levels are calibrated.
  private static let detectors = """
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
}
