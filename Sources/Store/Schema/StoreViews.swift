import Measurement

/// The SQL of the views `sample_view` and `event_view`.
enum StoreViews {
  /// The CSV's columns and units, for `sqlite3`. Targets are the outer loop and samples are found by each target's
  /// range of ids, so rows come in the order of run, target and sequence without a sort, and conditions on `run` and
  /// `target` skip what they exclude.
  static let sampleView = """
    CREATE VIEW sample_view AS
    SELECT
      r.uuid AS run,
      t.name AS target,
      v.name AS variant,
      t.provider AS provider,
      s.id & \(SampleID.sequenceMask) AS sequence,
      \(notificationID("s.id")) AS notification_id,
      \(SampleField.exported.map { shown(expression($0, of: "s"), $0.type, $0.name) }.joined(separator: ",\n  "))
    FROM target t
    CROSS JOIN run r ON r.id = t.run_id
    CROSS JOIN sample s
      ON s.id BETWEEN t.id << \(SampleID.sequenceBits) AND t.id << \(SampleID.sequenceBits) | \(SampleID.sequenceMask)
    LEFT JOIN variant v ON v.id = s.variant_id;

    """

  /// A column as the views show it: times as text, flags as words.
  private static func shown(_ value: String, _ type: ColumnType, _ name: String) -> String {
    let text =
      switch type.kind {
      case .time: rfc3339(value)
      case .flag: boolean(value)
      default: value
      }
    return "\(text) AS \(name)"
  }

  /// A field as an expression: times are µs since 1970, flags 0 and 1.
  /// - Parameter row: the name of the table `sample` in the query.
  static func expression(_ field: SampleField, of row: String) -> String {
    switch field {
    case .column(let column):
      column.words.isEmpty ? "\(row).\(column.name)" : name(of: "\(row).\(column.name)", column.words)
    case .time(_, let interval): "\(row).planned_at + \(row).\(interval.name)"
    case .deliveryCertainty: SampleField.certainty(of: row)
    case .deliveryLow: deliveryLow(row)
    case .deliveryHigh: deliveryHigh(row)
    case .context: context(row)
    }
  }

  /// Targets of a run that is being deleted are removed at once, its events are not.
  static let eventView =
    """
    CREATE VIEW event_view AS
    SELECT
      r.uuid AS run,
      \(eventColumns.joined(separator: ",\n  "))
    FROM event x
    LEFT JOIN run r ON r.id = x.run_id
    LEFT JOIN target t ON t.id = x.target_id
    WHERE x.run_id IS NULL OR x.run_id NOT IN (SELECT run_id FROM deletion)
    ORDER BY x.run_id, x.revision;

    """

  private static let eventColumns = Event.list(
    Event.columns.map { shown($0.sql, $0.type, $0.name) }, with: "t.name AS target")

  /// The circumstances of a row that has their number.
  static func context(_ row: String) -> String {
    "(SELECT context FROM context WHERE id = \(row).context_id)"
  }

  /// The range of a delivery, by the rule of ``DeliveryRange``.
  private static func deliveryLow(_ row: String) -> String {
    """
    CASE WHEN \(row).delivery_us IS NULL THEN NULL
        ELSE max(0, \(row).delivery_us - max(0, ifnull(\(row).delivery_error_us, \(row).delivery_us))) END
    """
  }

  private static func deliveryHigh(_ row: String) -> String {
    """
    CASE WHEN \(row).delivery_us IS NULL THEN NULL
        ELSE max(0, ifnull(\(row).delivery_high_us, CASE WHEN ifnull(\(row).delivery_error_us, \(row).delivery_us) = \(row).delivery_us
          THEN \(row).delivery_us ELSE \(row).delivery_us + max(0, \(row).delivery_error_us) END)) END
    """
  }

  /// The notification's UUID (RFC 9562): the run's half, then the variant bits over the sample's id. The run's table is named r.
  static func notificationID(_ id: String) -> String {
    let low = "printf('%016x', \(id) | -9223372036854775808)"
    return "r.notification_prefix || substr(\(low), 1, 4) || '-' || substr(\(low), 5)"
  }

  /// µs since 1970 as RFC 3339 in UTC with microseconds; NULL for NULL.
  private static func rfc3339(_ microseconds: String) -> String {
    "strftime('%Y-%m-%dT%H:%M:%S', (\(microseconds)) / 1000000, 'unixepoch')"
      + " || printf('.%06dZ', (\(microseconds)) % 1000000)"
  }

  private static func boolean(_ column: String) -> String {
    "CASE \(column) WHEN 0 THEN 'false' WHEN 1 THEN 'true' END"
  }

  private static func name(of column: String, _ words: [SampleColumn.Word]) -> String {
    "CASE \(column) " + words.map { "WHEN \($0.value) THEN '\($0.word)'" }.joined(separator: " ") + " END"
  }
}

extension SampleField {
  /// The certainty of a delivery, by the rule of ``DeliveryCertainty``, in the language of stores and of engines.
  /// - Parameter row: the name of the table `sample` in the query.
  public static func certainty(of row: String) -> String {
    """
    CASE WHEN \(row).delivery_us IS NULL THEN NULL
        WHEN \(row).delivery_error_us <= 0 THEN '\(DeliveryCertainty.exact.rawValue)'
        WHEN \(row).delivery_error_us < \(row).delivery_us THEN '\(DeliveryCertainty.bounded.rawValue)'
        ELSE '\(DeliveryCertainty.limit.rawValue)' END
    """
  }
}
