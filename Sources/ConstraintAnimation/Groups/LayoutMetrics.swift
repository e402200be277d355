/// The shares of a group's children, before the group's own size is known.
public struct LayoutMetrics: Sendable, Hashable {
  /// One a child; what is set here for children of explicit size is not used.
  public var childPercentageSizes: [Double]
  public var totalExplicitSize: Double

  public init(childPercentageSizes: [Double], totalExplicitSize: Double) {
    self.childPercentageSizes = childPercentageSizes
    self.totalExplicitSize = totalExplicitSize
  }
}
