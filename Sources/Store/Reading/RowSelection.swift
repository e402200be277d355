import Measurement

/// Which rows to visit. Everything when nothing is set.
public struct RowSelection: Sendable, Equatable {
  public var run: RunID?
  /// By name. Rows without a target are left out when this is set.
  public var targets: Set<String>?
  /// Samples by when they were planned, receipts by when they arrived, events and log lines by when they happened.
  public var since: WallTime?
  /// Excluded.
  public var until: WallTime?

  public init(
    run: RunID? = nil, targets: Set<String>? = nil, since: WallTime? = nil, until: WallTime? = nil
  ) {
    self.run = run
    self.targets = targets
    self.since = since
    self.until = until
  }

  public static let everything = RowSelection()
}
