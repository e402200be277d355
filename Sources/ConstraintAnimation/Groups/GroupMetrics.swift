/// Which way a group lines up its children.
public enum GroupAxis: Sendable, Hashable {
  case horizontal, vertical
}

/// What becomes of the cells that do not come out even.
public enum GroupDistribution: Sendable, Hashable {
  /// Edges are rounded: equal shares differ by at most one cell.
  case proportional
  /// Sizes are whole; what is left over goes to the last child of flexible or percentage size.
  case exactThenRemainderLast
}

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

/// A child's place along the group's axis.
public struct ChildMetric: Sendable, Hashable {
  public var origin: Double
  public var size: Double

  public init(origin: Double, size: Double) {
    self.origin = origin
    self.size = size
  }
}
