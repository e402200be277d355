import GRDB
import Measurement

/// What a plot needs of a notification: 80 bytes without references, so that ten thousand of them are read in a few
/// milliseconds.
public struct SamplePoint: Sendable, Hashable {
  public let id: SampleID
  public let plannedAt: WallTime
  /// µs on the monotonic clock of the run's boot.
  public let plannedMonotonic: Int64
  private let storedLag: Int64
  private let storedService: Int64
  private let storedAccept: Int64
  private let storedDelivery: Int64
  private let storedError: Int64
  private let storedHigh: Int64
  private let storedStatus: Int16
  public let state: NotificationState
  public let isFreshConnection: Bool
  public let isOutOfOrder: Bool

  /// What ``rawValue(of:)`` gives where there is no value.
  public static let absent = Int64.min

  public var status: Int? { storedStatus < 0 ? nil : Int(storedStatus) }
  public var scheduleLag: Int64? { storedLag == Self.absent ? nil : storedLag }
  public var serviceTime: Int64? { storedService == Self.absent ? nil : storedService }
  public var acceptLatency: Int64? { storedAccept == Self.absent ? nil : storedAccept }
  public var deliveryLatency: Int64? { storedDelivery == Self.absent ? nil : storedDelivery }
  public var deliveryError: Int64? { storedError == Self.absent ? nil : storedError }

  /// The longest that the delivery can have taken, where that was recorded.
  public var deliveryHigh: Int64? { storedHigh == Self.absent ? nil : storedHigh }

  /// How well ``deliveryLatency`` is known; `nil` without one.
  public var deliveryCertainty: DeliveryCertainty? {
    storedDelivery == Self.absent
      ? nil : DeliveryCertainty(latency: storedDelivery, error: deliveryError)
  }

  /// The value of a metric, µs.
  public func value(of metric: Metric) -> Int64? {
    let value = rawValue(of: metric)
    return value == Self.absent ? nil : value
  }

  /// The value of a metric, or ``absent``: for loops that cannot afford optionals.
  @inline(__always)
  public func rawValue(of metric: Metric) -> Int64 {
    switch metric {
    case .service: storedAccept == Self.absent ? Self.absent : storedService
    case .accept: storedAccept
    case .delivery: storedDelivery
    }
  }

  public init(_ sample: Sample) {
    id = sample.id
    plannedAt = sample.plannedAt
    plannedMonotonic = sample.plannedMonotonic
    storedLag = sample.scheduleLag ?? Self.absent
    storedService = sample.serviceTime ?? Self.absent
    storedAccept = sample.acceptLatency ?? Self.absent
    storedDelivery = sample.deliveryLatency ?? Self.absent
    storedError = sample.deliveryError ?? Self.absent
    storedHigh = sample.deliveryHigh ?? Self.absent
    storedStatus = Int16(clamping: sample.status ?? -1)
    state = sample.state
    isFreshConnection = sample.connection?.isFresh ?? false
    isOutOfOrder = sample.isOutOfOrder
  }

  /// What ``init(from:)`` reads, in its order.
  static let columns = """
    id, planned_at, planned_monotonic_us, schedule_lag_us, service_us, accept_us, delivery_us, delivery_error_us, \
    status, state, fresh_connection, out_of_order, delivery_high_us
    """

  /// How many ``columns`` there are: the index of what a statement selects after them.
  static let columnCount: Int32 = 13

  @inline(__always)
  init(from row: RawStatement) {
    id = SampleID(rawValue: row.integer(0))
    plannedAt = WallTime(microseconds: row.integer(1))
    plannedMonotonic = row.integer(2)
    storedLag = row.rawInteger(3)
    storedService = row.rawInteger(4)
    storedAccept = row.rawInteger(5)
    storedDelivery = row.rawInteger(6)
    storedError = row.rawInteger(7)
    storedHigh = row.rawInteger(12)
    storedStatus = Int16(clamping: row.optionalInteger(8) ?? -1)
    state = NotificationState(rawValue: Int(row.integer(9))) ?? .planned
    // NULL reads as 0.
    isFreshConnection = row.integer(10) != 0
    isOutOfOrder = row.integer(11) != 0
  }
}
