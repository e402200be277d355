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
  /// The error bounds of delivery latencies, where smaller than the latency and not 0.
  case deliveryError = "delivery_error"
  /// The delivery latencies whose bound is at least as large (``DeliveryCertainty/limit``).
  case deliveryLimit = "delivery_limit"
  /// The bounds of each delivery latency (``DeliveryRange``), and the same of requests that opened a connection.
  case deliveryLow = "delivery_low"
  case deliveryHigh = "delivery_high"
  case freshDeliveryLow = "fresh_delivery_low"
  case freshDeliveryHigh = "fresh_delivery_high"
  /// Round trips of PING, and the same of requests that opened a connection.
  case path
  case freshPath = "fresh_path"
}

extension RollupFigure {
  /// The figure that this one equals while no delivery has an error. An equal figure is not stored.
  var standIn: RollupFigure? {
    switch self {
    case .deliveryLow, .deliveryHigh: .delivery
    case .freshDeliveryLow, .freshDeliveryHigh: .freshDelivery
    default: nil
    }
  }

  /// The SQL expression that selects it.
  var sql: String { standIn.map { "ifnull(\(rawValue), \($0.rawValue))" } ?? rawValue }

  /// The values of a metric.
  public init(_ metric: Metric) {
    switch metric {
    case .service: self = .service
    case .accept: self = .accept
    case .delivery: self = .delivery
    case .path: self = .path
    }
  }
}

/// One value for each ``RollupFigure``, stored inline.
struct PerFigure<Value> {
  private var service: Value
  private var accept: Value
  private var delivery: Value
  private var scheduleLag: Value
  private var freshService: Value
  private var freshAccept: Value
  private var freshDelivery: Value
  private var deliveryError: Value
  private var deliveryLimit: Value
  private var deliveryLow: Value
  private var deliveryHigh: Value
  private var freshDeliveryLow: Value
  private var freshDeliveryHigh: Value
  private var path: Value
  private var freshPath: Value

  init(_ value: Value) {
    service = value
    accept = value
    delivery = value
    scheduleLag = value
    freshService = value
    freshAccept = value
    freshDelivery = value
    deliveryError = value
    deliveryLimit = value
    deliveryLow = value
    deliveryHigh = value
    freshDeliveryLow = value
    freshDeliveryHigh = value
    path = value
    freshPath = value
  }

  @inline(__always)
  subscript(figure: RollupFigure) -> Value {
    get {
      switch figure {
      case .service: service
      case .accept: accept
      case .delivery: delivery
      case .scheduleLag: scheduleLag
      case .freshService: freshService
      case .freshAccept: freshAccept
      case .freshDelivery: freshDelivery
      case .deliveryError: deliveryError
      case .deliveryLimit: deliveryLimit
      case .deliveryLow: deliveryLow
      case .deliveryHigh: deliveryHigh
      case .freshDeliveryLow: freshDeliveryLow
      case .freshDeliveryHigh: freshDeliveryHigh
      case .path: path
      case .freshPath: freshPath
      }
    }
    _modify {
      switch figure {
      case .service: yield &service
      case .accept: yield &accept
      case .delivery: yield &delivery
      case .scheduleLag: yield &scheduleLag
      case .freshService: yield &freshService
      case .freshAccept: yield &freshAccept
      case .freshDelivery: yield &freshDelivery
      case .deliveryError: yield &deliveryError
      case .deliveryLimit: yield &deliveryLimit
      case .deliveryLow: yield &deliveryLow
      case .deliveryHigh: yield &deliveryHigh
      case .freshDeliveryLow: yield &freshDeliveryLow
      case .freshDeliveryHigh: yield &freshDeliveryHigh
      case .path: yield &path
      case .freshPath: yield &freshPath
      }
    }
  }
}

extension PerFigure: Equatable where Value: Equatable {}
extension PerFigure: Sendable where Value: Sendable {}
