import Measurement

/// What a provider is told of a notification that is to be sent.
public struct PushNotification: Sendable, Hashable {
  public var id: NotificationID
  /// Proves to the receipt listener that the id is ours; `nil` when no receipts are served.
  public var mac: String?
  /// When the schedule says that it goes out.
  public var plannedAt: WallTime

  public init(id: NotificationID, mac: String? = nil, plannedAt: WallTime) {
    self.id = id
    self.mac = mac
    self.plannedAt = plannedAt
  }
}
