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
  /// Planned to shown, with the bounds of each, and the same of requests that opened a connection.
  case shown
  case shownLow
  case shownHigh
  case freshShown
  case freshShownLow
  case freshShownHigh
  /// Received to shown, by the device's clock.
  case display
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
    case .shownLow, .shownHigh: .shown
    case .freshShownLow, .freshShownHigh: .freshShown
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
    case .shown: self = .shown
    case .path: self = .path
    }
  }

  /// The lower and upper ends of a metric's values; `nil` of one whose values are exact.
  static func bounds(of metric: Metric) -> (low: RollupFigure, high: RollupFigure)? {
    switch metric {
    case .delivery: (.deliveryLow, .deliveryHigh)
    case .shown: (.shownLow, .shownHigh)
    case .service, .accept, .path: nil
    }
  }

  /// The same metric of requests that opened a connection.
  public var fresh: RollupFigure? {
    switch self {
    case .service: .freshService
    case .accept: .freshAccept
    case .delivery: .freshDelivery
    case .deliveryLow: .freshDeliveryLow
    case .deliveryHigh: .freshDeliveryHigh
    case .shown: .freshShown
    case .shownLow: .freshShownLow
    case .shownHigh: .freshShownHigh
    case .path: .freshPath
    default: nil
    }
  }

  /// The figures that tell the values of some metrics and their ranges.
  public static func ranged(_ metrics: Set<Metric>) -> Set<RollupFigure> {
    metrics.reduce(into: []) { figures, metric in
      figures.insert(RollupFigure(metric))
      if let bounds = bounds(of: metric) { figures.formUnion([bounds.low, bounds.high]) }
    }
  }
}

/// Latencies that were counted by figures.
public protocol RollupFigures {
  /// The values of an interval as bucket counts of a ``LatencyHistogram``; empty where it was not read.
  func latencies(of figure: RollupFigure) -> PackedLatencies
}

extension RollupFigures {
  /// The values of a metric with the ranges of those that are not exact.
  public func ranged(_ metric: Metric) -> RangedLatencies<PackedLatencies> {
    let values = RollupFigure(metric)
    guard let bounds = RollupFigure.bounds(of: metric) else { return RangedLatencies(latencies(of: values)) }
    return RangedLatencies(
      counted: latencies(of: values), lows: latencies(of: bounds.low), highs: latencies(of: bounds.high))
  }

  /// The same of requests that opened a connection.
  public func fresh(_ metric: Metric) -> RangedLatencies<PackedLatencies> {
    func latencies(_ figure: RollupFigure) -> PackedLatencies {
      figure.fresh.map { self.latencies(of: $0) } ?? PackedLatencies(bytes: [])
    }
    let values = RollupFigure(metric)
    guard let bounds = RollupFigure.bounds(of: metric) else { return RangedLatencies(latencies(values)) }
    return RangedLatencies(
      counted: latencies(values), lows: latencies(bounds.low), highs: latencies(bounds.high))
  }
}

/// One value for each ``RollupFigure``, stored inline.
struct PerFigure<Value> {
  /// The values in the order of the cases.
  private var values: InlineArray<22, Value>

  init(_ value: Value) {
    assert(RollupFigure.allCases.count == 22)
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
