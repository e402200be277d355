/// All that is known of one planned notification: a row of the `samples` table.
///
/// Intervals are whole microseconds between stamps of one monotonic clock, each stamp cut to microseconds before
/// they are subtracted, so `acceptLatency == scheduleLag + serviceTime` exactly.
public struct Sample: Sendable, Equatable {
  public var id: SampleID
  public var variant: VariantID

  /// When the schedule said "now", for people.
  public var plannedAt: WallTime
  /// The same instant on the monotonic clock of the run's boot, µs: what latencies are measured from.
  public var plannedMonotonic: Int64

  public var state: NotificationState

  /// The HTTP status, when an answer came.
  public var status: Int?
  /// The provider's own word, a ``FailureReason`` or a ``MissedReason``.
  public var reason: String?

  /// Planned → sent, µs.
  public var scheduleLag: Int64?
  /// Sent → answer's HEADERS complete, µs, whatever the status.
  public var serviceTime: Int64?
  /// Planned → accepted, µs; only when the provider accepted.
  public var acceptLatency: Int64?
  /// Planned → received, µs, corrected for the device's clock.
  public var deliveryLatency: Int64?
  /// Half-width of the bound on the clock correction, µs; 0 on the same clock.
  public var deliveryError: Int64?
  /// The longest that the delivery can have taken, µs, where that is not exactly ``deliveryLatency``.
  public var deliveryHigh: Int64?
  public var timestampSource: TimestampSource?

  /// Further receipts with the same id.
  public var duplicates: Int
  /// Received after a later sequence number.
  public var isOutOfOrder: Bool

  public var connection: ConnectionUse?
  /// How often it went onto the wire: 0 when never, 2 only where the first was provably not processed.
  public var attempt: Int
  /// Bytes of the request's body.
  public var payloadBytes: Int?
  public var httpVersion: HTTPVersion?

  public init(id: SampleID, variant: VariantID, plannedAt: WallTime, plannedMonotonic: Int64) {
    self.id = id
    self.variant = variant
    self.plannedAt = plannedAt
    self.plannedMonotonic = plannedMonotonic
    state = .planned
    duplicates = 0
    isOutOfOrder = false
    attempt = 0
  }

  public var sentAt: WallTime? { scheduleLag.map { plannedAt.advanced(byMicroseconds: $0) } }
  public var acceptedAt: WallTime? { acceptLatency.map { plannedAt.advanced(byMicroseconds: $0) } }
  public var receivedAt: WallTime? { deliveryLatency.map { plannedAt.advanced(byMicroseconds: $0) } }

  /// How well ``deliveryLatency`` is known; `nil` without one.
  public var deliveryCertainty: DeliveryCertainty? {
    deliveryLatency.map { DeliveryCertainty(latency: $0, error: deliveryError) }
  }

  /// Between which ends the true delivery latency lies; `nil` without one.
  public var deliveryRange: DeliveryRange? {
    deliveryLatency.map { DeliveryRange(latency: $0, error: deliveryError, high: deliveryHigh) }
  }

  /// The value of a metric, µs.
  public func value(of metric: Metric) -> Int64? {
    switch metric {
    case .service: acceptLatency == nil ? nil : serviceTime
    case .accept: acceptLatency
    case .delivery: deliveryLatency
    }
  }
}

/// One combination of a target's listed values (`priority=10,push_type=alert`), numbered by the store; 0 is the
/// empty one of targets that list nothing.
public struct VariantID: RawRepresentable, Sendable, Hashable, Comparable {
  public var rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  public static let none = VariantID(rawValue: 0)

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The connection that carried a request, as it was when the request was sent.
public struct ConnectionUse: Sendable, Equatable {
  /// Counts the connections of a run, from 1.
  public var id: Int64
  /// Milliseconds since the connection stood.
  public var age: Int64
  /// Whether this request was the one that opened it and waited for it.
  public var isFresh: Bool
  /// Requests unanswered on it just after this one was sent, this one included.
  public var streamsInFlight: Int
  /// What opening it took, µs; only on the request that paid for it.
  public var phases: ConnectionPhases?

  public init(
    id: Int64, age: Int64, isFresh: Bool, streamsInFlight: Int, phases: ConnectionPhases? = nil
  ) {
    self.id = id
    self.age = age
    self.isFresh = isFresh
    self.streamsInFlight = streamsInFlight
    self.phases = phases
  }
}

/// What opening a connection took, each in µs.
public struct ConnectionPhases: Sendable, Equatable {
  public var dns: Int64
  public var connect: Int64
  public var tls: Int64?

  public init(dns: Int64, connect: Int64, tls: Int64?) {
    self.dns = dns
    self.connect = connect
    self.tls = tls
  }
}
