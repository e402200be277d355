/// One value for each ``RollupFigure``, without a table to look it up in.
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
      }
    }
  }
}

extension PerFigure: Equatable where Value: Equatable {}
extension PerFigure: Sendable where Value: Sendable {}
