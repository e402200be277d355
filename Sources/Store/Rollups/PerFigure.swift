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
      }
    }
  }
}

extension PerFigure: Equatable where Value: Equatable {}
extension PerFigure: Sendable where Value: Sendable {}
