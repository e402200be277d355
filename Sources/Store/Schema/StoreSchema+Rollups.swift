extension StoreSchema {
  /// Version 2: what became of the notifications planned in a second, minute or hour. `start` is in seconds since 1970,
  /// `span` their length in seconds. Ordered by time first: readers and the writer ask for stretches of time.
  static let rollupTables = """
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
}
