import Measurement

/// A run that nobody had closed.
public struct RecoveredRun: Sendable, Equatable {
  public var run: RunID
  /// Notifications whose end will not be known, unless a receipt comes.
  public var interrupted: Int
  /// Plans whose time had not come, so that they were never due.
  public var removed: Int

  public init(run: RunID, interrupted: Int, removed: Int) {
    self.run = run
    self.interrupted = interrupted
    self.removed = removed
  }
}
