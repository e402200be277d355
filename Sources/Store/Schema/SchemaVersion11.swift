/// Version 11: events and log lines of a run are found by time. What is written about the past, as a note is, would otherwise be
/// found among the newest only. The indexes by run stay: exports are in the order of writing.
enum SchemaVersion11 {
  static let sql = """
    CREATE INDEX event_at ON event (run_id, at);
    CREATE INDEX log_at ON log (run_id, at);

    """
}
