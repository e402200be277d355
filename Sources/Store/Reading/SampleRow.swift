import Measurement

/// One row of the `sample` table while it is visited. Values are decoded when asked for and the text is borrowed, so
/// that an export touches nothing it does not write.
///
/// It points into a buffer that is filled again after the visit, which is why it cannot be copied or kept; ``sample``
/// makes a value that can.
public struct SampleRow: ~Copyable {
  /// ``SampleColumn/count`` numbers; absent ones are ``absent``.
  private let values: UnsafePointer<Int64>
  /// `nil` when no row of the chunk has a text but empty ones.
  private let texts: UnsafePointer<UInt8>?

  static let absent = Int64.min

  init(values: UnsafePointer<Int64>, texts: UnsafePointer<UInt8>?) {
    self.values = values
    self.texts = texts
  }

  @inline(__always)
  private func number(_ column: SampleColumn) -> Int64 { values[Int(column.rawValue)] }

  @inline(__always)
  private func optional(_ column: SampleColumn) -> Int64? {
    let value = number(column)
    return value == Self.absent ? nil : value
  }

  public var id: SampleID { SampleID(rawValue: number(.id)) }
  public var variant: VariantID { VariantID(rawValue: number(.variant)) }
  public var plannedAt: WallTime { WallTime(microseconds: number(.plannedAt)) }
  public var plannedMonotonic: Int64 { number(.plannedMonotonic) }
  public var state: NotificationState { NotificationState(rawValue: Int(number(.state))) ?? .planned }
  public var status: Int? { optional(.status).map { Int($0) } }
  public var scheduleLag: Int64? { optional(.scheduleLag) }
  public var serviceTime: Int64? { optional(.serviceTime) }
  public var acceptLatency: Int64? { optional(.acceptLatency) }
  public var deliveryLatency: Int64? { optional(.deliveryLatency) }
  public var deliveryError: Int64? { optional(.deliveryError) }
  public var deliveryHigh: Int64? { optional(.deliveryHigh) }
  public var timestampSource: TimestampSource? {
    optional(.timestampSource).flatMap { TimestampSource(rawValue: Int($0)) }
  }
  public var duplicates: Int { Int(number(.duplicates)) }
  public var isOutOfOrder: Bool { number(.outOfOrder) != 0 }
  public var connectionID: Int64? { optional(.connectionID) }
  /// Milliseconds.
  public var connectionAge: Int64? { optional(.connectionAge) }
  public var isFreshConnection: Bool? { optional(.freshConnection).map { $0 != 0 } }
  public var streamsInFlight: Int? { optional(.streamsInFlight).map { Int($0) } }
  public var attempt: Int { Int(number(.attempt)) }
  public var payloadBytes: Int? { optional(.payloadBytes).map { Int($0) } }
  public var dns: Int64? { optional(.dns) }
  public var connect: Int64? { optional(.connect) }
  public var tls: Int64? { optional(.tls) }
  public var httpVersion: HTTPVersion? { optional(.httpVersion).flatMap { HTTPVersion(rawValue: Int($0)) } }

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
    metric.value(service: serviceTime, accept: acceptLatency, delivery: deliveryLatency, absent: nil)
  }

  /// The reason as UTF-8, valid during the call; `nil` when there is none. It may come from outside: sinks escape it.
  public func withReason<R>(_ body: (UnsafeBufferPointer<UInt8>?) throws -> R) rethrows -> R {
    guard let place = optional(.reason).map(TextSlice.init(packed:)) else { return try body(nil) }
    return try body(UnsafeBufferPointer(start: texts.map { $0 + place.offset }, count: place.count))
  }

  /// The whole row as a value.
  public var sample: Sample {
    var sample = Sample(id: id, variant: variant, plannedAt: plannedAt, plannedMonotonic: plannedMonotonic)
    sample.state = state
    sample.status = status
    sample.reason = withReason { $0.map { String(decoding: $0, as: UTF8.self) } }
    sample.scheduleLag = scheduleLag
    sample.serviceTime = serviceTime
    sample.acceptLatency = acceptLatency
    sample.deliveryLatency = deliveryLatency
    sample.deliveryError = deliveryError
    sample.deliveryHigh = deliveryHigh
    sample.timestampSource = timestampSource
    sample.duplicates = duplicates
    sample.isOutOfOrder = isOutOfOrder
    sample.connection = connection
    sample.attempt = attempt
    sample.payloadBytes = payloadBytes
    sample.httpVersion = httpVersion
    return sample
  }

  private var connection: ConnectionUse? {
    guard let id = connectionID, let age = connectionAge, let isFresh = isFreshConnection,
      let streams = streamsInFlight
    else { return nil }
    var phases: ConnectionPhases?
    if let dns, let connect { phases = ConnectionPhases(dns: dns, connect: connect, tls: tls) }
    return ConnectionUse(id: id, age: age, isFresh: isFresh, streamsInFlight: streams, phases: phases)
  }
}
