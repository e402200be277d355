/// Until when Apple may keep a notification for a device that is away: `apns-expiration`.
public enum APNsExpiration: Sendable, Hashable {
  /// One attempt and no storing: what a latency probe wants, as a late one says nothing.
  case once
  /// Unix seconds.
  case at(Int)
  /// So long after the planned instant; whole seconds.
  case after(Duration)
}
