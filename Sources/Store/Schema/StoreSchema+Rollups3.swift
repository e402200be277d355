extension StoreSchema {
  /// Version 3: rollups count all that a report shows, so that one over millions of notifications reads some hundred
  /// rows. Those of version 2 do not have it and are made anew, in steps, by whoever keeps the store.
  static let thirdRollups = """
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
}
