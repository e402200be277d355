/// For how many of all planned notifications a figure speaks: those that were lost, failed or missed have no latency
/// and are in no quantile, which must be said wherever one is shown.
public struct ShareOfPlanned: Sendable, Hashable {
  /// Notifications with a value.
  public var counted: Int
  /// All that were planned.
  public var planned: Int
  /// Those of them whose time has not come: they are in no share.
  public var stillToBeSent: Int

  public init(counted: Int, planned: Int, stillToBeSent: Int = 0) {
    self.counted = counted
    self.planned = planned
    self.stillToBeSent = stillToBeSent
  }

  /// Those whose time has come: what a share is a share of.
  public var due: Int { planned - stillToBeSent }

  /// Between 0 and 1; `nil` when nothing came due.
  public var fraction: Double? { due > 0 ? Double(counted) / Double(due) : nil }
}
