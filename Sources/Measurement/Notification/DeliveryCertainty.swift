/// How well a delivery latency is known: what goes with it wherever it is shown (docs/measurement.md).
public enum DeliveryCertainty: String, Sendable, Hashable, CaseIterable {
  /// Both ends were read on one monotonic clock: there is no error.
  case exact
  /// The true latency is within the bound, which is smaller than the latency itself.
  case bounded
  /// The bound is as large as the latency, or larger: all that is known is that the delivery took no longer than the two
  /// together. Such a figure is marked wherever it is shown.
  case limit

  /// - Parameters:
  ///   - latency: planned to received, µs.
  ///   - error: the half-width of its bound, µs; without one nothing but the limit is known.
  @inlinable
  public init(latency: Int64, error: Int64?) {
    guard let error else {
      self = .limit
      return
    }
    self = error <= 0 ? .exact : error < latency ? .bounded : .limit
  }

  /// Whether the figure is to be marked.
  @inlinable public var isMarked: Bool { self == .limit }
}
