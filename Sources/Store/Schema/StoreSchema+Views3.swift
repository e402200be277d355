import Measurement

extension StoreSchema {
  /// Version 3: the view says how well each delivery latency is known, by the rule of ``DeliveryCertainty``.
  static let thirdViews =
    """
    DROP VIEW sample_view;

    """
    + sampleView(and: certainty)

  static let certainty = """
    ,
      CASE WHEN s.delivery_us IS NULL THEN NULL
        WHEN s.delivery_error_us <= 0 THEN '\(DeliveryCertainty.exact.rawValue)'
        WHEN s.delivery_error_us < s.delivery_us THEN '\(DeliveryCertainty.bounded.rawValue)'
        ELSE '\(DeliveryCertainty.limit.rawValue)' END AS delivery_certainty
    """
}
