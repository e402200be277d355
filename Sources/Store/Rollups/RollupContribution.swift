import GRDB
import Measurement

/// What a rollup takes of one notification.
struct RollupContribution {
  /// Of planned time, since 1970.
  var second: Int64
  var target: TargetID
  var variant: VariantID
  var standing: SampleStateFlags
  var remarks: RollupSideCounts
  /// Intervals in µs.
  private(set) var figures: PerFigure<Int64?>

  init(_ sample: Sample) {
    second = RollupSpan.second(of: sample.plannedAt)
    target = sample.id.target
    variant = sample.variant
    standing = SampleStateFlags(sample)
    remarks = RollupSideCounts(
      duplicates: sample.duplicates, outOfOrder: sample.isOutOfOrder ? 1 : 0,
      freshConnections: sample.connection?.isFresh == true ? 1 : 0)
    figures = Self.figures(
      lag: sample.scheduleLag, service: sample.serviceTime, accept: sample.acceptLatency,
      delivery: sample.deliveryLatency, error: sample.deliveryError, range: sample.deliveryRange,
      isFresh: remarks.freshConnections > 0)
  }

  /// What ``init(from:)`` reads, in its order.
  static let columns = """
    id, planned_at, variant_id, state, schedule_lag_us, service_us, accept_us, delivery_us, delivery_error_us, \
    duplicates, out_of_order, fresh_connection, delivery_high_us
    """

  @inline(__always)
  init(from row: RawStatement) {
    target = SampleID(rawValue: row.integer(0)).target
    second = RollupSpan.second(of: WallTime(microseconds: row.integer(1)))
    variant = VariantID(rawValue: row.integer(2))
    let lag = row.optionalInteger(4)
    let accept = row.optionalInteger(6)
    standing = SampleStateFlags(
      state: NotificationState(rawValue: Int(row.integer(3))) ?? .planned, isSent: lag != nil,
      isAccepted: accept != nil)
    remarks = RollupSideCounts(
      duplicates: Int(row.integer(9)), outOfOrder: row.integer(10) != 0 ? 1 : 0,
      freshConnections: row.integer(11) != 0 ? 1 : 0)
    let delivery = row.optionalInteger(7)
    let error = row.optionalInteger(8)
    figures = Self.figures(
      lag: lag, service: row.optionalInteger(5), accept: accept, delivery: delivery, error: error,
      range: delivery.map { DeliveryRange(latency: $0, error: error, high: row.optionalInteger(12)) },
      isFresh: remarks.freshConnections > 0)
  }

  @inline(__always)
  private static func figures(
    lag: Int64?, service: Int64?, accept: Int64?, delivery: Int64?, error: Int64?,
    range: DeliveryRange?, isFresh: Bool
  ) -> PerFigure<Int64?> {
    var figures = PerFigure<Int64?>(nil)
    figures[.scheduleLag] = lag
    figures[.accept] = accept
    figures[.service] = Metric.service.value(
      service: service, accept: accept, delivery: delivery, absent: nil)
    figures[.delivery] = delivery
    figures[.deliveryLow] = range?.low
    figures[.deliveryHigh] = range?.high
    if isFresh {
      figures[.freshAccept] = accept
      figures[.freshService] = figures[.service]
      figures[.freshDelivery] = delivery
      figures[.freshDeliveryLow] = range?.low
      figures[.freshDeliveryHigh] = range?.high
    }
    if let delivery {
      switch DeliveryCertainty(latency: delivery, error: error) {
      case .exact: break
      case .bounded: figures[.deliveryError] = error
      case .limit: figures[.deliveryLimit] = delivery
      }
    }
    return figures
  }

  /// The same notification with another state.
  func standing(_ standing: SampleStateFlags) -> RollupContribution {
    var facts = self
    facts.standing = standing
    return facts
  }

  /// As the row stands now; `nil` when there is none.
  static func stored(_ id: SampleID, _ db: Database) throws -> RollupContribution? {
    let statement = try RawStatement(db, "SELECT \(columns) FROM sample WHERE id = ?1")
    statement.bind(id.rawValue, at: 1)
    defer { statement.reset() }
    return try statement.step() ? RollupContribution(from: statement) : nil
  }
}
