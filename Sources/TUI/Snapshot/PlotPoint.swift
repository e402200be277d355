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
  /// By how much the delivery can have taken longer than its latency at most, µs, capped; below 0 when that was not
  /// recorded.
  private let storedRise: Int32
  /// HTTP status and 1, or 0 when there is none, in the lower bits; flags in the upper ones.
  private let statusAndFlags: UInt16
  let state: NotificationState

  /// Marks an interval that is not known.
  static let absent = Int64.min

  init(
    plannedAt: WallTime, plannedMonotonic: Int64, scheduleLag: Int64?, acceptLatency: Int64?,
    deliveryLatency: Int64?, state: NotificationState, deliveryError: Int64? = nil,
    deliveryHigh: Int64? = nil, status: Int? = nil,
    isFreshConnection: Bool = false, isOutOfOrder: Bool = false
  ) {
    self.plannedAt = plannedAt.microseconds
    self.plannedMonotonic = plannedMonotonic
    storedAccept = acceptLatency ?? Self.absent
    storedDelivery = deliveryLatency ?? Self.absent
    storedLag = Int32(clamping: scheduleLag ?? -1)
    storedError = Int32(clamping: deliveryError ?? -1)
    storedRise =
      if let deliveryLatency, let deliveryHigh {
        Int32(clamping: max(0, deliveryHigh.subtractingReportingOverflow(deliveryLatency).partialValue))
      } else {
        -1
      }
    statusAndFlags =
      UInt16(clamping: min(max(0, (status ?? -1) + 1), Int(Self.statusMask)))
      | (isFreshConnection ? Self.freshFlag : 0) | (isOutOfOrder ? Self.orderFlag : 0)
    self.state = state
  }

  init(_ sample: Sample) {
    self.init(
      plannedAt: sample.plannedAt, plannedMonotonic: sample.plannedMonotonic, scheduleLag: sample.scheduleLag,
      acceptLatency: sample.acceptLatency, deliveryLatency: sample.deliveryLatency, state: sample.state,
      deliveryError: sample.deliveryError, deliveryHigh: sample.deliveryHigh, status: sample.status,
      isFreshConnection: sample.connection?.isFresh ?? false, isOutOfOrder: sample.isOutOfOrder)
  }

  private static let statusMask: UInt16 = 0x0FFF
  private static let freshFlag: UInt16 = 0x4000
  private static let orderFlag: UInt16 = 0x8000

  /// The first on its connection.
  var isFreshConnection: Bool { statusAndFlags & Self.freshFlag != 0 }
  var isOutOfOrder: Bool { statusAndFlags & Self.orderFlag != 0 }

  var isSent: Bool { storedLag >= 0 }

  var scheduleLag: Int64? { storedLag < 0 ? nil : Int64(storedLag) }

  /// Bound of the error of the delivery latency, µs.
  var deliveryError: Int64? {
    if storedError < 0 { return nil }
    // What is capped is as large as the latency, or larger.
    return storedError == .max && storedDelivery > Int64(Int32.max) ? storedDelivery : Int64(storedError)
  }

  /// Between which ends the true delivery latency lies, µs; `nil` without one.
  var deliveryRange: DeliveryRange? {
    guard storedDelivery != Self.absent else { return nil }
    return DeliveryRange(
      latency: storedDelivery, error: deliveryError,
      high: storedRise < 0 ? nil : storedDelivery + Int64(storedRise))
  }

  /// Whether the delivery latency has an error.
  @inline(__always)
  var isInexactDelivery: Bool { storedDelivery != Self.absent && storedError != 0 }

  /// The delivery latency is no larger than the bound of its own error (`DeliveryCertainty.limit`).
  @inline(__always)
  var isWithinError: Bool {
    storedDelivery != Self.absent
      && DeliveryCertainty(latency: storedDelivery, error: deliveryError).isMarked
  }

  var status: Int? {
    let status = Int(statusAndFlags & Self.statusMask)
    return status == 0 ? nil : status - 1
  }

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
