/// One planned notification and what became of it: a row of the `samples` table.
///
/// Intervals are whole microseconds between stamps of one monotonic clock, each stamp cut to microseconds before
/// they are subtracted, so `acceptLatency == scheduleLag + serviceTime` exactly.
public struct Sample: Sendable, Equatable {
  public var id: SampleID
  public var variant: VariantID

  /// The planned instant on the wall clock, for display.
  public var plannedAt: WallTime
  /// The same instant on the monotonic clock of the run's boot, µs: what latencies are measured from.
  public var plannedMonotonic: Int64

  public var state: NotificationState

  /// The HTTP status, when an answer came.
  public var status: Int?
  /// The provider's error code, a ``FailureReason`` or a ``MissedReason``.
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
  /// Sent → the peer's TCP acknowledged the whole request, µs, where the kernel tells.
  public var peerAck: Int64?
  /// The round trip of the newest PING that was answered on the same connection, µs, as of the notification's answer.
  public var path: Int64?
  /// Planned → shown by the device, µs, where it reports that: ``deliveryLatency`` and the time from received to shown on the
  /// device's clock, so that it is known as well as the delivery.
  public var shownLatency: Int64?
  /// Whether it was shown; `nil` where it was not delivered in time, or its device does not report that.
  public var display: DisplayState?
  /// The circumstances that the device reported first.
  public var context: DeviceContextID?
  public var timestampSource: TimestampSource?

  /// Further receipts with the same id.
  public var duplicates: Int
  /// Received after a later sequence number.
  public var isOutOfOrder: Bool

  public var connection: ConnectionUse?
  /// How often the request was sent: 2 only where the first was provably not processed.
  public var attempt: Int
  /// Bytes of the request's body.
  public var payloadBytes: Int?
  public var httpVersion: HTTPVersion?
  /// The provider's own id of the notification: of APNs `apns-unique-id`, the last part of FCM's message name, host and last part of
  /// Web Push's `Location`, ntfy's message id; `nil` where it gave none.
  public var answerID: String?

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

  public var receivedAt: WallTime? { deliveryLatency.map { plannedAt.advanced(byMicroseconds: $0) } }

  /// How well ``deliveryLatency`` is known; `nil` without one.
  public var deliveryCertainty: DeliveryCertainty? {
    deliveryLatency.map { DeliveryCertainty(latency: $0, error: deliveryError) }
  }

  /// The range of the true delivery latency; `nil` without one.
  public var deliveryRange: DeliveryRange? {
    deliveryLatency.map { DeliveryRange(latency: $0, error: deliveryError, high: deliveryHigh) }
  }

  /// The time from received to shown, µs; `nil` unless both are known.
  public var displayTime: Int64? { Self.displayTime(shown: shownLatency, delivery: deliveryLatency) }

  /// The time from received to shown, of the two from planned, µs; `nil` unless both are known.
  @inlinable
  public static func displayTime(shown: Int64?, delivery: Int64?) -> Int64? {
    guard let shown, let delivery else { return nil }
    return shown.subtractingClamped(delivery)
  }

  /// The value of a metric, µs.
  public func value(of metric: Metric) -> Int64? {
    metric.value(
      service: serviceTime, accept: acceptLatency, delivery: deliveryLatency, shown: shownLatency, path: path,
      absent: nil)
  }
}

/// One combination of a target's listed values (`priority=10,push_type=alert`), numbered by the store; 0 is the
/// empty one of targets that list nothing.
public struct VariantID: RawRepresentable, Sendable, Hashable, Comparable, Codable {
  public var rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  public static let none = VariantID(rawValue: 0)

  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The connection that carried a request, as it was when the request was sent.
public struct ConnectionUse: Sendable, Equatable {
  /// Counts the connections of a run, from 1.
  public var id: Int64
  /// Milliseconds since the connection was established.
  public var age: Int64
  /// Whether this request opened it and waited for it.
  public var isFresh: Bool
  /// Requests unanswered on it just after this one was sent, this one included.
  public var streamsInFlight: Int
  /// Durations of its set-up, µs; only on the request that opened it.
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

/// Durations of a connection's set-up, each in µs.
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

/// Which stamp ended the service time.
public enum TimestampSource: Int, Sendable, Hashable, CaseIterable {
  /// The kernel's receive stamp of the packet that carried the answer.
  case kernel = 0
  /// Our own clock when libcurl handed over the answer's first header.
  case callback = 1

  public var name: String {
    switch self {
    case .kernel: "kernel"
    case .callback: "callback"
    }
  }
}

/// The HTTP version an answer came in.
public enum HTTPVersion: Int, Sendable, Hashable, CaseIterable {
  case http1 = 1
  case http2 = 2

  public var name: String {
    switch self {
    case .http1: "1.1"
    case .http2: "2"
    }
  }
}

/// A measured interval (docs/measurement.md).
public enum Metric: String, Sendable, Hashable, Codable, CaseIterable {
  /// Sent → accepted.
  case service
  /// Planned → accepted: schedule lag + service time.
  case accept
  /// Planned → received by the device.
  case delivery
  /// Planned → shown by the device.
  case shown
  /// The round trip of a PING on the connection (``Sample/path``).
  case path

  /// Selects this metric's value from a notification's intervals. The service time of a request that the provider did
  /// not accept is not a value of ``service``.
  ///
  /// - Parameter absent: stands for a missing interval: `nil`, or a sentinel in loops that cannot afford optionals.
  @inlinable
  public func value<Interval: Equatable>(
    service: Interval, accept: Interval, delivery: Interval, shown: Interval, path: Interval, absent: Interval
  ) -> Interval {
    switch self {
    case .service: accept == absent ? absent : service
    case .accept: accept
    case .delivery: delivery
    case .shown: shown
    case .path: path
    }
  }

  /// Whether a device's clock took part, so that a value may have a range (``DeliveryRange``).
  public var isByDevice: Bool { self == .delivery || self == .shown }

  /// What says whether a notification came in time: its delivery where a receipt is expected, else the provider's answer.
  public static func judged(expectsReceipts: Bool) -> Metric { expectsReceipts ? .delivery : .accept }

  /// Whether a target can have values of it: what a device reports needs receipts.
  public func isAvailable(expectsReceipts: Bool) -> Bool { expectsReceipts || !isByDevice }
}

/// The answer to an HTTP/2 PING (RFC 9113, section 6.7): a row of the `path` table. Its round trip is that of the network and
/// of whoever ends the connection, such as a provider's front end; no notification is involved.
public struct PingAnswer: Sendable, Hashable {
  public var target: TargetID
  public var connectionID: Int64
  /// When the answer arrived.
  public var at: WallTime
  /// µs.
  public var roundTrip: Int64

  public init(target: TargetID, connectionID: Int64, at: WallTime, roundTrip: Int64) {
    self.target = target
    self.connectionID = connectionID
    self.at = at
    self.roundTrip = roundTrip
  }
}
