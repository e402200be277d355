import Measurement

/// The SQL of the views `sample_view` and `event_view`.
enum StoreViews {
  /// The CSV's columns and units, for `sqlite3`. Targets are the outer loop and samples are found by each target's
  /// range of ids, so rows come in the order of run, target and sequence without a sort, and conditions on `run` and
  /// `target` skip what they exclude.
  ///
  /// - Parameter further: columns that later versions append, each after a comma.
  static func sampleView(and further: String = "") -> String {
    """
    CREATE VIEW sample_view AS
    SELECT
      r.uuid AS run,
      t.name AS target,
      v.name AS variant,
      t.provider AS provider,
      s.id & \(SampleID.sequenceMask) AS sequence,
      r.notification_prefix || substr(\(lowHexadecimal("s.id")), 1, 4) || '-' || substr(\(lowHexadecimal("s.id")), 5)
        AS notification_id,
      \(rfc3339("s.planned_at")) AS planned_at,
      \(rfc3339("s.planned_at + s.schedule_lag_us")) AS sent_at,
      \(rfc3339("s.planned_at + s.accept_us")) AS accepted_at,
      \(rfc3339("s.planned_at + s.delivery_us")) AS received_at,
      \(name(of: "s.state", NotificationState.allCases.map { ($0.rawValue, $0.name) })) AS state,
      s.status AS status,
      s.reason AS reason,
      s.schedule_lag_us AS schedule_lag_us,
      s.service_us AS service_us,
      s.accept_us AS accept_us,
      s.delivery_us AS delivery_us,
      s.delivery_error_us AS delivery_error_us,
      \(name(of: "s.timestamp_source", TimestampSource.allCases.map { ($0.rawValue, $0.name) }))
        AS timestamp_source,
      s.duplicates AS duplicates,
      \(boolean("s.out_of_order")) AS out_of_order,
      s.connection_id AS connection_id,
      s.connection_age_ms AS connection_age_ms,
      \(boolean("s.fresh_connection")) AS fresh_connection,
      s.streams_in_flight AS streams_in_flight,
      s.attempt AS attempt,
      s.payload_bytes AS payload_bytes,
      s.dns_us AS dns_us,
      s.connect_us AS connect_us,
      s.tls_us AS tls_us,
      \(name(of: "s.http_version", HTTPVersion.allCases.map { ($0.rawValue, $0.name) })) AS http_version\(further)
    FROM target t
    CROSS JOIN run r ON r.id = t.run_id
    CROSS JOIN sample s
      ON s.id BETWEEN t.id << \(SampleID.sequenceBits) AND t.id << \(SampleID.sequenceBits) | \(SampleID.sequenceMask)
    LEFT JOIN variant v ON v.id = s.variant_id;

    """
  }

  /// - Parameter condition: which events to show; by default all.
  static func eventView(where condition: String? = nil) -> String {
    """
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
    LEFT JOIN target t ON t.id = e.target_id\(condition.map { "\nWHERE \($0)" } ?? "")
    ORDER BY e.run_id, e.revision;

    """
  }

  /// Version 3: the accuracy of each delivery latency, by the rule of ``DeliveryCertainty``.
  static let certainty = """
    ,
      CASE WHEN s.delivery_us IS NULL THEN NULL
        WHEN s.delivery_error_us <= 0 THEN '\(DeliveryCertainty.exact.rawValue)'
        WHEN s.delivery_error_us < s.delivery_us THEN '\(DeliveryCertainty.bounded.rawValue)'
        ELSE '\(DeliveryCertainty.limit.rawValue)' END AS delivery_certainty
    """

  /// Version 4: the range of each delivery latency, by the rule of ``DeliveryRange``.
  static let ranges =
    ",\n  \(deliveryLow("s")) AS delivery_low_us,\n  \(deliveryHigh("s")) AS delivery_high_us"

  /// - Parameter row: the table's name in the query.
  static func deliveryLow(_ row: String) -> String {
    """
    CASE WHEN \(row).delivery_us IS NULL THEN NULL
        ELSE max(0, \(row).delivery_us - max(0, ifnull(\(row).delivery_error_us, \(row).delivery_us))) END
    """
  }

  static func deliveryHigh(_ row: String) -> String {
    """
    CASE WHEN \(row).delivery_us IS NULL THEN NULL
        ELSE max(0, ifnull(\(row).delivery_high_us, CASE WHEN ifnull(\(row).delivery_error_us, \(row).delivery_us) = \(row).delivery_us
          THEN \(row).delivery_us ELSE \(row).delivery_us + max(0, \(row).delivery_error_us) END)) END
    """
  }

  /// Version 5: the path to the peer.
  static let path = """
    ,
      s.peer_ack_us AS peer_ack_us,
      s.path_us AS path_us
    """

  /// The lower half of the notification's UUID: the variant bits of RFC 9562 over the sample's id.
  static func lowHexadecimal(_ id: String) -> String { "printf('%016x', \(id) | -9223372036854775808)" }

  /// µs since 1970 as RFC 3339 in UTC with microseconds; NULL for NULL.
  private static func rfc3339(_ microseconds: String) -> String {
    "strftime('%Y-%m-%dT%H:%M:%S', (\(microseconds)) / 1000000, 'unixepoch')"
      + " || printf('.%06dZ', (\(microseconds)) % 1000000)"
  }

  static func boolean(_ column: String) -> String {
    "CASE \(column) WHEN 0 THEN 'false' WHEN 1 THEN 'true' END"
  }

  static func name(of column: String, _ names: [(value: Int, name: String)]) -> String {
    "CASE \(column) " + names.map { "WHEN \($0.value) THEN '\($0.name)'" }.joined(separator: " ") + " END"
  }
}
