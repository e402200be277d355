import GRDB
import Measurement

/// What a plot needs of one notification: 56 bytes without references, so that a window of 200 000 is read in one pass.
///
/// The sequence number is not part of it: readers get it beside the point (``PointRow``), and keep points in its order.
public struct SamplePoint: Sendable, Hashable {
  /// Planned time on the wall clock, µs.
  public private(set) var plannedAt: Int64
  /// The same instant on the monotonic clock of the run's boot, µs; the age of a pending notification counts from it.
  public let plannedMonotonic: Int64
  @usableFromInline let storedAccept: Int64
  @usableFromInline let storedDelivery: Int64
  /// Schedule lag, µs, capped at `Int32.max`; below 0 when not sent.
  @usableFromInline let storedLag: Int32
  /// Error bound of the delivery latency, µs, capped; below 0 when not known.
  @usableFromInline let storedError: Int32
  /// Upper bound of the delivery minus its latency, µs, capped; below 0 when not recorded.
  private let storedRise: Int32
  /// Round trip of PING, µs, capped; below 0 when not known.
  @usableFromInline let storedPath: Int32
  /// Time from received to shown, ms, as precisely as devices tell; below 0 when not known.
  @usableFromInline var storedDisplay: Int32
  /// HTTP status plus 1, or 0 for none, in the lower bits; flags in the upper ones.
  private var statusAndFlags: UInt16
  public let state: NotificationState
  /// The number of the notification's value of the key that plots are colored by, which their reader assigns; 0 for none. It is no part
  /// of what is stored.
  public var valueNumber: UInt8 = 0

  /// What ``rawValue(of:)`` returns where there is no value.
  public static let absent = Int64.min

  private static let statusMask: UInt16 = 0x07FF
  /// The place of the display's state plus 1, or 0 for none.
  private static let displayShift: UInt16 = 11
  private static let freshFlag: UInt16 = 0x4000
  private static let orderFlag: UInt16 = 0x8000

  /// Intervals are in µs.
  public init(
    plannedAt: WallTime, plannedMonotonic: Int64, scheduleLag: Int64?, acceptLatency: Int64?,
    deliveryLatency: Int64?, state: NotificationState, deliveryError: Int64? = nil,
    deliveryHigh: Int64? = nil, path: Int64? = nil, status: Int? = nil, isFreshConnection: Bool = false,
    isOutOfOrder: Bool = false, displayTime: Int64? = nil, display: DisplayState? = nil
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
    storedPath = Int32(clamping: path ?? -1)
    storedDisplay = Int32(clamping: displayTime.map { max(0, $0) / 1000 } ?? -1)
    statusAndFlags =
      UInt16(clamping: min(max(0, (status ?? -1) + 1), Int(Self.statusMask)))
      | UInt16((display?.rawValue ?? -1) + 1) << Self.displayShift
      | (isFreshConnection ? Self.freshFlag : 0) | (isOutOfOrder ? Self.orderFlag : 0)
    self.state = state
  }

  @inlinable public var isSent: Bool { storedLag >= 0 }

  public var scheduleLag: Int64? { storedLag < 0 ? nil : Int64(storedLag) }
  public var acceptLatency: Int64? { storedAccept == Self.absent ? nil : storedAccept }
  public var deliveryLatency: Int64? { storedDelivery == Self.absent ? nil : storedDelivery }

  /// Error bound of the delivery latency, µs.
  public var deliveryError: Int64? {
    if storedError < 0 { return nil }
    // A capped bound is at least as large as the latency.
    return storedError == .max && storedDelivery > Int64(Int32.max) ? storedDelivery : Int64(storedError)
  }

  /// Bounds of the true delivery latency, µs; `nil` without a delivery.
  public var deliveryRange: DeliveryRange? {
    guard storedDelivery != Self.absent else { return nil }
    return DeliveryRange(
      latency: storedDelivery, error: deliveryError,
      high: storedRise < 0 ? nil : storedDelivery + Int64(storedRise))
  }

  /// Whether the delivery latency has an error.
  @inlinable public var isInexactDelivery: Bool { storedDelivery != Self.absent && storedError != 0 }

  /// Whether the delivery latency is no larger than its error bound (`DeliveryCertainty.limit`).
  public var isWithinError: Bool {
    storedDelivery != Self.absent && DeliveryCertainty(latency: storedDelivery, error: deliveryError).isMarked
  }

  public var status: Int? {
    let status = Int(statusAndFlags & Self.statusMask)
    return status == 0 ? nil : status - 1
  }

  /// Whether it was the first on its connection.
  public var isFreshConnection: Bool { statusAndFlags & Self.freshFlag != 0 }
  public var isOutOfOrder: Bool { statusAndFlags & Self.orderFlag != 0 }
  public var display: DisplayState? {
    DisplayState(rawValue: Int(statusAndFlags >> Self.displayShift & 7) - 1)
  }

  /// The same planned at another time of the wall clock, µs.
  public func planned(at time: Int64) -> SamplePoint {
    var point = self
    point.plannedAt = time
    return point
  }

  /// The same while it is not known yet whether it was shown.
  public var awaitingDisplay: SamplePoint {
    var point = self
    point.storedDisplay = -1
    point.statusAndFlags &= ~(7 << Self.displayShift)
    point.statusAndFlags |= UInt16(DisplayState.awaited.rawValue + 1) << Self.displayShift
    return point
  }

  /// The range of the true value of a metric; `nil` of one whose values are exact, or without a value.
  public func range(of metric: Metric) -> DeliveryRange? {
    switch metric {
    case .delivery: deliveryRange
    case .shown: storedDisplay < 0 ? nil : deliveryRange?.shown(after: Int64(storedDisplay) * 1000)
    case .service, .accept, .path: nil
    }
  }

  /// The value of a metric, µs, or ``absent``: for loops that cannot afford optionals.
  @inlinable
  public func rawValue(of metric: Metric) -> Int64 {
    metric.value(
      service: storedLag < 0 ? Self.absent : storedAccept &- Int64(storedLag), accept: storedAccept,
      delivery: storedDelivery, shown: rawShown, path: storedPath < 0 ? Self.absent : Int64(storedPath),
      absent: Self.absent)
  }

  @usableFromInline var rawShown: Int64 {
    storedDisplay < 0 || storedDelivery == Self.absent
      ? Self.absent : storedDelivery &+ Int64(storedDisplay) &* 1000
  }

  /// The value of a metric, µs.
  public func value(of metric: Metric) -> Int64? {
    let value = rawValue(of: metric)
    return value == Self.absent ? nil : value
  }
}

/// A point with the notification that it belongs to.
public struct PointRow: Sendable, Hashable {
  public let id: SampleID
  public var point: SamplePoint

  public init(id: SampleID, point: SamplePoint) { (self.id, self.point) = (id, point) }
}

extension PointRow {
  /// What ``init(from:)`` reads, in its order.
  public static let sampleColumns: [SampleColumn] = [
    .id, .plannedAt, .plannedMonotonic, .scheduleLag, .acceptLatency, .deliveryLatency, .deliveryError,
    .status, .state, .freshConnection, .outOfOrder, .deliveryHigh, .path, .shown, .display,
  ]
  static let columns = sampleColumns.map(\.name).joined(separator: ", ")
  /// Number of ``columns``: the index of the first column that a statement selects after them.
  static let columnCount = Int32(sampleColumns.count)

  /// The part of a notification that plots need.
  public init(_ sample: Sample) {
    self.init(
      id: sample.id,
      point: SamplePoint(
        plannedAt: sample.plannedAt, plannedMonotonic: sample.plannedMonotonic,
        scheduleLag: sample.scheduleLag, acceptLatency: sample.acceptLatency,
        deliveryLatency: sample.deliveryLatency, state: sample.state, deliveryError: sample.deliveryError,
        deliveryHigh: sample.deliveryHigh, path: sample.path, status: sample.status,
        isFreshConnection: sample.connection?.isFresh ?? false, isOutOfOrder: sample.isOutOfOrder,
        displayTime: sample.displayTime, display: sample.display))
  }

  @inline(__always)
  init(from row: RawStatement) {
    id = SampleID(rawValue: row.integer(0))
    let delivery = row.optionalInteger(5)
    point = SamplePoint(
      plannedAt: WallTime(microseconds: row.integer(1)), plannedMonotonic: row.integer(2),
      scheduleLag: row.optionalInteger(3), acceptLatency: row.optionalInteger(4),
      deliveryLatency: delivery,
      state: NotificationState(rawValue: Int(row.integer(8))) ?? .planned,
      deliveryError: row.optionalInteger(6), deliveryHigh: row.optionalInteger(11),
      path: row.optionalInteger(12),
      status: row.optionalInteger(7).map { Int($0) },
      // NULL reads as 0.
      isFreshConnection: row.integer(9) != 0, isOutOfOrder: row.integer(10) != 0,
      displayTime: Sample.displayTime(shown: row.optionalInteger(13), delivery: delivery),
      display: row.optionalInteger(14).flatMap { DisplayState(rawValue: Int($0)) })
  }
}
