import FoundationEssentials
import Measurement

/// A run as the store has it: a row of the `runs` table.
public struct RunRecord: Sendable, Equatable {
  public var id: RunID
  public var name: String?
  /// The store the run was recorded in first.
  public var collectorID: UUID
  public var startedAt: WallTime
  public var startedMonotonic: MonotonicTime
  public var bootID: String
  /// `nil` while it goes on.
  public var endedAt: WallTime?
  public var endReason: RunEndReason?
  /// When the collector last wrote for it.
  public var lastHeartbeat: WallTime?
  /// In the order of their names.
  public var targetNames: [String]
  public var counts: StateCounts
  public var revision: Int64
}
