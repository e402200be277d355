import Measurement

/// What became of all notifications of one target and variant in a stretch of planned time, as the rollups have it.
public struct RollupTotal: Sendable {
  public let variant: VariantID
  public private(set) var counts = StateCounts()
  private var remarks = RollupSideCounts()
  private var figures = PerFigure(LatencyCounts())

  init(variant: VariantID) { self.variant = variant }

  /// Further receipts with ids heard before.
  public var duplicates: Int { remarks.duplicates }
  /// Received after a later sequence number.
  public var outOfOrder: Int { remarks.outOfOrder }
  /// Requests that opened a connection.
  public var freshConnections: Int { remarks.freshConnections }

  /// The values of an interval, counted in the buckets of a ``LatencyHistogram``.
  public func latencies(of figure: RollupFigure) -> PackedLatencies { figures[figure].packed }

  /// Delivery latencies with the ranges of what is not exact.
  public var deliveries: RangedLatencies<PackedLatencies> {
    RangedLatencies(
      counted: latencies(of: .delivery), lows: latencies(of: .deliveryLow),
      highs: latencies(of: .deliveryHigh))
  }

  /// The same of requests that opened a connection.
  public var freshDeliveries: RangedLatencies<PackedLatencies> {
    RangedLatencies(
      counted: latencies(of: .freshDelivery), lows: latencies(of: .freshDeliveryLow),
      highs: latencies(of: .freshDeliveryHigh))
  }

  mutating func add(_ content: RollupContent) {
    counts += content.counts
    remarks += content.remarks
    for figure in RollupFigure.allCases where !content.figures[figure].isEmpty {
      figures[figure].add(content.figures[figure])
    }
  }
}
