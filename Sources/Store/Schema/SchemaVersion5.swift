/// Version 5: the path to the peer, by PING and by the peer's acknowledgment of the request; where each target's requests
/// go and the device that they are for. Older rows have NULL, so that upgrading a large store takes a moment.
enum SchemaVersion5 {
  static let sql =
    targets + path + "DROP VIEW sample_view;\n"
    + StoreViews.sampleView(and: StoreViews.certainty + StoreViews.ranges + StoreViews.path)

  private static let targets = """
    ALTER TABLE target ADD COLUMN endpoint TEXT;
    ALTER TABLE target ADD COLUMN device TEXT;

    """

  /// `at` is when the answer arrived. Rows are deleted with their target's notifications.
  private static let path = """
    CREATE TABLE path (
      revision INTEGER PRIMARY KEY,
      run_id INTEGER NOT NULL,
      target_id INTEGER NOT NULL,
      connection_id INTEGER NOT NULL,
      at INTEGER NOT NULL,
      round_trip_us INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX path_target ON path (target_id, at);

    ALTER TABLE sample ADD COLUMN peer_ack_us INTEGER;
    ALTER TABLE sample ADD COLUMN path_us INTEGER;
    ALTER TABLE rollup ADD COLUMN path BLOB;
    ALTER TABLE rollup ADD COLUMN fresh_path BLOB;

    """
}
