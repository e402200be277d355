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

/// A target of a run as the store has it.
public struct TargetRecord: Sendable, Equatable {
  public var id: TargetID
  public var run: RunID
  public var name: String
  public var provider: String
  /// µs from planned; `nil` when no receipt is expected.
  public var receiptDeadline: Int64?
  /// Notifications per second that the schedule asked for.
  public var askedRate: Double
  /// At least one; the nameless one where nothing is listed.
  public var variants: [VariantRecord]

  /// Over all variants.
  public var counts: StateCounts { variants.reduce(StateCounts()) { $0 + $1.counts } }
}

/// A variant of a target with what became of its notifications.
public struct VariantRecord: Sendable, Equatable {
  public var id: VariantID
  /// `priority=10,push_type=alert`; empty where nothing is listed.
  public var name: String
  public var counts: StateCounts
}

/// Whether a collector is at work on a store.
public struct CollectorPresence: Sendable, Equatable {
  public var isRunning: Bool
  /// Its process, when the lock file tells.
  public var holder: Int32?
  /// When a collector last wrote.
  public var lastHeartbeat: WallTime?
}
