import Measurement

/// A notification at a remote device: when that truly was, and what its own clock showed.
public struct ScriptedReception: Sendable, Equatable {
  public var id: String
  /// On this host's clock, which the device does not know.
  public var receivedAt: MonotonicTime
  /// On the device's.
  public var deviceTime: WallTime
}
