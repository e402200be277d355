import Measurement

/// The intervals whose values a rollup counts. Raw values are the store's columns.
public enum RollupFigure: String, Sendable, Hashable, CaseIterable {
  case service, accept, delivery
  /// Planned to sent, of all that were sent.
  case scheduleLag = "schedule_lag"
  /// The same intervals, of requests that opened a connection.
  case freshService = "fresh_service"
  case freshAccept = "fresh_accept"
  case freshDelivery = "fresh_delivery"
  /// The bounds of delivery latencies that are smaller than the latency; those without an error are not counted.
  case deliveryError = "delivery_error"
  /// The delivery latencies whose bound is as large as they are (``DeliveryCertainty/limit``).
  case deliveryLimit = "delivery_limit"
  /// The shortest and the longest that each delivery can have taken (``DeliveryRange``), and the same of requests that
  /// opened a connection.
  case deliveryLow = "delivery_low"
  case deliveryHigh = "delivery_high"
  case freshDeliveryLow = "fresh_delivery_low"
  case freshDeliveryHigh = "fresh_delivery_high"
}

extension RollupFigure {
  /// The figure that this one is the same as while no delivery has an error; then it is not stored.
  var standIn: RollupFigure? {
    switch self {
    case .deliveryLow, .deliveryHigh: .delivery
    case .freshDeliveryLow, .freshDeliveryHigh: .freshDelivery
    default: nil
    }
  }

  /// How it is selected.
  var sql: String { standIn.map { "ifnull(\(rawValue), \($0.rawValue))" } ?? rawValue }

  init(_ metric: Metric) {
    switch metric {
    case .service: self = .service
    case .accept: self = .accept
    case .delivery: self = .delivery
    }
  }
}
