/// For how many of all planned notifications a figure speaks: those that were lost, failed or missed have no latency
/// and are in no quantile, which must be said wherever one is shown.
public struct ShareOfPlanned: Sendable, Hashable {
  /// Notifications with a value.
  public var counted: Int
  /// All that were planned.
  public var planned: Int

  public init(counted: Int, planned: Int) {
    self.counted = counted
    self.planned = planned
  }

  /// Between 0 and 1; `nil` when nothing was planned.
  public var fraction: Double? { planned > 0 ? Double(counted) / Double(planned) : nil }
}
