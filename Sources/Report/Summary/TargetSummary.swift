import Measurement
import Store

/// A target's figures over the rows looked at.
public struct TargetSummary: Sendable, Equatable {
  public let record: TargetRecord
  /// How often notifications were planned, sent and missed, per second; `nil` with fewer than two planned.
  public let rates: Rates?
  /// One for each variant that has rows, in the order the store numbers them.
  public let groups: [GroupSummary]

  public struct Rates: Sendable, Equatable {
    /// What the schedule really came to.
    public let planned: Double
    public let sent: Double
    public let missed: Double
  }

  public var counts: StateTally { groups.reduce(into: StateTally()) { $0 += $1.counts } }
}
