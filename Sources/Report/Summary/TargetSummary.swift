import Measurement
import Store

/// A target's figures over the rows looked at.
public struct TargetSummary: Sendable, Equatable {
  public let record: TargetRecord
  /// How often notifications were planned, sent and missed, per second; `nil` with less than two planned instants.
  public let rates: Rates?
  /// Up to when its figures were read from rollups; `nil` when all come from the notifications one by one.
  public let rolledUpTo: WallTime?
  /// One for each variant that has rows, in the order the store numbers them.
  public let groups: [GroupSummary]

  public struct Rates: Sendable, Equatable {
    /// What the schedule really came to.
    public let planned: Double
    /// Sent: the achieved rate.
    public let sent: Double
    public let missed: Double
  }

  public var counts: StateTally { groups.reduce(into: StateTally()) { $0 += $1.counts } }
}
