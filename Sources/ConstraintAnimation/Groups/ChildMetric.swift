/// A child's place along the group's axis.
public struct ChildMetric: Sendable, Hashable {
  public var origin: Double
  public var size: Double

  public init(origin: Double, size: Double) {
    self.origin = origin
    self.size = size
  }
}
