import Measurement

/// How well the delivery latencies of a group are known.
public struct DeliveryErrorSummary: Sendable, Equatable {
  /// Deliveries that were timed on one clock: no error.
  public let exact: Int
  /// The bounds of those whose bound is smaller than the latency, µs.
  public let bounded: ValueSummary
  /// Deliveries whose bound is as large as the latency: upper limits.
  public let limits: Int

  public var deliveries: Int { exact + bounded.share.counted + limits }
}
