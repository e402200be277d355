import NIOHPACK

/// The headers of APNs that count, each at most once.
struct APNsFields {
  var authorization: String?
  var id: String?
  var topic: String?
  var pushType: String?
  var priority: String?
  var expiration: String?
  var collapseID: String?
  var isAnyTwice = false

  init(_ headers: HPACKHeaders) {
    for (name, value, _) in headers {
      switch name {
      case "authorization": set(\.authorization, value)
      case "apns-id": set(\.id, value)
      case "apns-topic": set(\.topic, value)
      case "apns-push-type": set(\.pushType, value)
      case "apns-priority": set(\.priority, value)
      case "apns-expiration": set(\.expiration, value)
      case "apns-collapse-id": set(\.collapseID, value)
      default: break
      }
    }
  }

  private mutating func set(_ field: WritableKeyPath<APNsFields, String?>, _ value: String) {
    if self[keyPath: field] != nil { isAnyTwice = true }
    self[keyPath: field] = value
  }
}
