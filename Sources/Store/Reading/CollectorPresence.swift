import Measurement

/// Whether a collector is at work on a store.
public struct CollectorPresence: Sendable, Equatable {
  public var isRunning: Bool
  /// Its process, when the lock file tells.
  public var holder: Int32?
  /// When a collector last wrote.
  public var lastHeartbeat: WallTime?
}
