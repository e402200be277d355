import Measurement

/// What the plots need of one notification: 48 bytes without references, so that a window of thousands is read in
/// one sweep.
struct PlotPoint: Sendable, Hashable {
  /// Wall time of the plan, µs: the place on the axis of time.
  let plannedAt: Int64
  /// The same instant on the monotonic clock of the run's boot, µs: what the age of a pending one is counted from.
  let plannedMonotonic: Int64
  private let storedAccept: Int64
  private let storedDelivery: Int64
  /// Schedule lag in µs, capped; it only serves to take the service time from the accept latency.
  let storedLag: Int32
  /// Bound of the error of the delivery latency in µs, capped; below 0 when it is not known.
  private let storedError: Int32
  /// HTTP status; below 0 when there is none.
  private let storedStatus: Int16
  let state: NotificationState
  /// The first on its connection.
  let isFreshConnection: Bool
  let isOutOfOrder: Bool

  /// Marks an interval that is not known.
  static let absent = Int64.min

  init(
    plannedAt: WallTime, plannedMonotonic: Int64, scheduleLag: Int64?, acceptLatency: Int64?,
    deliveryLatency: Int64?, state: NotificationState, deliveryError: Int64? = nil, status: Int? = nil,
    isFreshConnection: Bool = false, isOutOfOrder: Bool = false
  ) {
    self.plannedAt = plannedAt.microseconds
    self.plannedMonotonic = plannedMonotonic
    storedAccept = acceptLatency ?? Self.absent
    storedDelivery = deliveryLatency ?? Self.absent
    storedLag = Int32(clamping: scheduleLag ?? -1)
    storedError = Int32(clamping: deliveryError ?? -1)
    storedStatus = Int16(clamping: status ?? -1)
    self.state = state
    self.isFreshConnection = isFreshConnection
    self.isOutOfOrder = isOutOfOrder
  }

  init(_ sample: Sample) {
    self.init(
      plannedAt: sample.plannedAt, plannedMonotonic: sample.plannedMonotonic, scheduleLag: sample.scheduleLag,
      acceptLatency: sample.acceptLatency, deliveryLatency: sample.deliveryLatency, state: sample.state,
      deliveryError: sample.deliveryError, status: sample.status,
      isFreshConnection: sample.connection?.isFresh ?? false, isOutOfOrder: sample.isOutOfOrder)
  }

  var isSent: Bool { storedLag >= 0 }

  var scheduleLag: Int64? { storedLag < 0 ? nil : Int64(storedLag) }

  /// Bound of the error of the delivery latency, µs.
  var deliveryError: Int64? { storedError < 0 ? nil : Int64(storedError) }

  /// The delivery latency is no larger than the bound of its own error (`DeliveryCertainty.limit`).
  @inline(__always)
  var isWithinError: Bool {
    storedDelivery != Self.absent
      && DeliveryCertainty(latency: storedDelivery, error: deliveryError).isMarked
  }

  var status: Int? { storedStatus < 0 ? nil : Int(storedStatus) }

  var acceptLatency: Int64? { storedAccept == Self.absent ? nil : storedAccept }

  var deliveryLatency: Int64? { storedDelivery == Self.absent ? nil : storedDelivery }

  /// The value of a metric in µs, or `absent`: for loops that cannot afford optionals.
  @inline(__always)
  func rawValue(of metric: Metric) -> Int64 {
    switch metric {
    case .accept: storedAccept
    case .delivery: storedDelivery
    case .service:
      storedAccept == Self.absent || storedLag < 0 ? Self.absent : storedAccept - Int64(storedLag)
    }
  }

  func value(of metric: Metric) -> Int64? {
    let value = rawValue(of: metric)
    return value == Self.absent ? nil : value
  }
}
