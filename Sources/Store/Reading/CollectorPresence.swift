import Measurement

/// Whether a collector is at work on a store.
public struct CollectorPresence: Sendable, Equatable {
  public var isRunning: Bool
  /// Its process, when the lock file tells.
  public var holder: Int32?
  /// The run it records; `nil` while it is idle.
  public var run: RunID?
  /// Whether it stays after a run, so that another one can be started.
  public var servesControl = false
  /// When a collector last wrote.
  public var lastHeartbeat: WallTime?
}
