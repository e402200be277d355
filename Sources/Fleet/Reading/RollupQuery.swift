import Measurement
import Store

/// A query that counts notifications by spans of planned time in the engine, in the buckets of a `LatencyHistogram`: what a store
/// keeps as rollups.
struct RollupQuery {
  /// The database's name as an identifier.
  let database: String
  let figures: [RollupFigure]
  /// Bits of a value that tell its bucket from others.
  private let precision: Int
  /// Those of a store's rollups.
  static let exact = 11

  init(database: String, figures: Set<RollupFigure>, precision: Int = exact) {
    self.database = database
    self.precision = precision
    self.figures = RollupFigure.allCases.filter { figures.contains($0) }
  }

  func text(_ stretch: RollupStretch, of members: [FleetDirectory.Member]) -> String {
    let length = stretch.span.rawValue
    let values = figures.map { figure in
      let value = Self.value(of: figure)
      return """
        sumMapIf([\(bucket(of: "assumeNotNull(\(value.column))"))], [toUInt64(1)], \(value.condition))
        """
    }
    return """
      SELECT intDiv(toUnixTimestamp64Micro(planned_at), \(length)000000) * \(length) AS start, toString(variant) AS name,
        \(StateCounts.selected), toInt64(sum(duplicates)), toInt64(countIf(out_of_order)),
        toInt64(countIf(ifNull(fresh_connection, false)))\(values.map { ",\n  " + $0 }.joined())
      FROM \(database).sample FINAL
      WHERE \(FleetRows.isOf(members)) AND toUnixTimestamp64Micro(planned_at) >= \(stretch.start)000000
        AND toUnixTimestamp64Micro(planned_at) < \(stretch.end)000000
      GROUP BY start, name ORDER BY start, name
      """
  }

  /// Reads a row of the answer.
  func bin(
    _ reader: inout RowBinaryReader, span: RollupSpan, of target: TargetID, _ variant: (String) -> VariantID
  ) throws(FleetError) -> RollupBin {
    let start = try reader.integer()
    let name = try reader.text()
    let counts = try reader.counts()
    let duplicates = try reader.count()
    let outOfOrder = try reader.count()
    let fresh = try reader.count()
    var values: [RollupFigure: PackedLatencies] = [:]
    for figure in figures { values[figure] = try reader.buckets() }
    return RollupBin(
      span: span, start: start, target: target, variant: variant(name), counts: counts,
      duplicates: duplicates, outOfOrder: outOfOrder, freshConnections: fresh, figures: values)
  }

  /// The lower end of a value's bucket: the value itself up to 2047, and from there on its upper 11 bits. Of wider buckets it is
  /// the middle.
  private func bucket(of value: String) -> String {
    let value = "greatest(\(value), toInt64(0))"
    let shift =
      "if(\(value) < \(1 << precision), 0, toInt64(floor(log2(greatest(\(value), 1)))) - \(precision - 1))"
    let lower = "bitShiftLeft(bitShiftRight(\(value), \(shift)), \(shift))"
    return precision == Self.exact ? lower : "\(lower) + intDiv(bitShiftLeft(toInt64(1), \(shift)), 2)"
  }

  /// A figure's column, and which notifications have it (`RollupContribution`).
  private static func value(of figure: RollupFigure) -> (column: String, condition: String) {
    func plain(_ column: String, _ other: String = "1") -> (String, String) {
      (column, "\(column) IS NOT NULL AND \(other)")
    }
    let isFresh = "ifNull(fresh_connection, false)"
    let error = "ifNull(delivery_error_us, delivery_us)"
    let isShown = "shown_us IS NOT NULL AND delivery_us IS NOT NULL"
    let low = "greatest(delivery_low_us + shown_us - delivery_us - \(DeliveryRange.stageError), 0)"
    let high = "(delivery_high_us + shown_us - delivery_us + \(DeliveryRange.stageError))"
    return switch figure {
    case .service: plain("service_us", "accept_us IS NOT NULL")
    case .accept: plain("accept_us")
    case .delivery: plain("delivery_us")
    case .scheduleLag: plain("schedule_lag_us")
    case .freshService: plain("service_us", "accept_us IS NOT NULL AND \(isFresh)")
    case .freshAccept: plain("accept_us", isFresh)
    case .freshDelivery: plain("delivery_us", isFresh)
    case .deliveryError:
      plain("delivery_error_us", "delivery_us IS NOT NULL AND \(error) > 0 AND \(error) < delivery_us")
    case .deliveryLimit: plain("delivery_us", "\(error) > 0 AND \(error) >= delivery_us")
    case .deliveryLow: plain("delivery_low_us", "delivery_us IS NOT NULL")
    case .deliveryHigh: plain("delivery_high_us", "delivery_us IS NOT NULL")
    case .freshDeliveryLow: plain("delivery_low_us", "delivery_us IS NOT NULL AND \(isFresh)")
    case .freshDeliveryHigh: plain("delivery_high_us", "delivery_us IS NOT NULL AND \(isFresh)")
    case .path: plain("path_us")
    case .freshPath: plain("path_us", isFresh)
    case .shown: ("shown_us", isShown)
    case .shownLow: (low, isShown)
    case .shownHigh: (high, isShown)
    case .freshShown: ("shown_us", "\(isShown) AND \(isFresh)")
    case .freshShownLow: (low, "\(isShown) AND \(isFresh)")
    case .freshShownHigh: (high, "\(isShown) AND \(isFresh)")
    case .display: ("shown_us - delivery_us", "\(isShown) AND display IS NOT NULL")
    }
  }
}
