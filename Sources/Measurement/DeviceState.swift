/// What a device that joined by an invitation is to the collector; the raw value is its name in the store.
public enum DeviceState: String, Sendable, Hashable, Codable, CaseIterable {
  /// It gets notifications.
  case active
  /// Its user has paused it.
  case paused
  /// Its push service does not know the subscription any more. Opening the page again revives it.
  case gone
  /// A configured target has its name, so nothing is sent to it.
  case shadowed
  /// It left, or was removed.
  case left
}
