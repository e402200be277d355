import Measurement

extension StoreSchema {
  /// Version 2: the views without runs that are being deleted. The targets of such a run are gone at once, so only
  /// events need to look.
  static let secondViews = """
    DROP VIEW event_view;
    CREATE VIEW event_view AS
    SELECT
      r.uuid AS run,
      \(rfc3339("e.at")) AS at,
      t.name AS target,
      e.kind AS kind,
      e.connection_id AS connection_id,
      e.sequence AS sequence,
      e.count AS count,
      e.detail AS detail
    FROM event e
    LEFT JOIN run r ON r.id = e.run_id
    LEFT JOIN target t ON t.id = e.target_id
    WHERE e.run_id IS NULL OR e.run_id NOT IN (SELECT run_id FROM deletion)
    ORDER BY e.run_id, e.revision;

    """
}
