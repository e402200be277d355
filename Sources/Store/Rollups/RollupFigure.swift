import Measurement

/// The intervals whose values a rollup counts. Raw values count from 0 in the order of the cases.
public enum RollupFigure: Int, Sendable, Hashable, CaseIterable {
  case service, accept, delivery
  /// Planned to sent, of all that were sent.
  case scheduleLag
  /// The same intervals, of requests that opened a connection.
  case freshService
  case freshAccept
  case freshDelivery
  /// The error bounds of delivery latencies, where smaller than the latency and not 0.
  case deliveryError
  /// The delivery latencies whose bound is at least as large (``DeliveryCertainty/limit``).
  case deliveryLimit
  /// The bounds of each delivery latency (``DeliveryRange``), and the same of requests that opened a connection.
  case deliveryLow
  case deliveryHigh
  case freshDeliveryLow
  case freshDeliveryHigh
  /// Round trips of PING, and the same of requests that opened a connection.
  case path
  case freshPath
}

extension RollupFigure {
  private static let names = allCases.map { figure in
    String("\(figure)".flatMap { $0.isUppercase ? "_" + $0.lowercased() : "\($0)" })
  }

  /// The store's column: `schedule_lag` of ``scheduleLag``.
  var name: String { Self.names[rawValue] }

  /// The figure that this one equals while no delivery has an error. An equal figure is not stored.
  var standIn: RollupFigure? {
    switch self {
    case .deliveryLow, .deliveryHigh: .delivery
    case .freshDeliveryLow, .freshDeliveryHigh: .freshDelivery
    default: nil
    }
  }

  /// The SQL expression that selects it.
  var sql: String { standIn.map { "ifnull(\(name), \($0.name))" } ?? name }

  /// The values of a metric.
  public init(_ metric: Metric) {
    switch metric {
    case .service: self = .service
    case .accept: self = .accept
    case .delivery: self = .delivery
    case .path: self = .path
    }
  }

  /// The figures from which plots of some metrics are drawn.
  public static func plotted(_ metrics: Set<Metric>) -> Set<RollupFigure> {
    Set(metrics.map(RollupFigure.init)).union(
      metrics.contains(.delivery) ? [.deliveryLow, .deliveryHigh] : [])
  }
}

/// Latencies that were counted by figures.
public protocol RollupFigures {
  /// The values of an interval as bucket counts of a ``LatencyHistogram``; empty where it was not read.
  func latencies(of figure: RollupFigure) -> PackedLatencies
}

extension RollupFigures {
  /// Delivery latencies with the ranges of those that are not exact.
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
}

/// One value for each ``RollupFigure``, stored inline.
struct PerFigure<Value> {
  /// The values in the order of the cases.
  private var values: InlineArray<15, Value>

  init(_ value: Value) {
    assert(RollupFigure.allCases.count == 15)
    values = InlineArray(repeating: value)
  }

  @inline(__always)
  subscript(figure: RollupFigure) -> Value {
    get { values[figure.rawValue] }
    _modify { yield &values[figure.rawValue] }
  }
}

extension PerFigure: Equatable where Value: Equatable {
  static func == (a: Self, b: Self) -> Bool { a.values.indices.allSatisfy { a.values[$0] == b.values[$0] } }
}

extension PerFigure: Sendable where Value: Sendable {}
