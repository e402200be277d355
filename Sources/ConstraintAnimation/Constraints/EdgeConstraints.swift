/// The constraints that hold a view by its four edges, each with the sign its constant works in.
public struct EdgeConstraints {
  /// One edge: a displacement of the edge instead of a constant whose sign depends on how it was written.
  public struct Pin {
    public let constraint: LayoutConstraint
    /// +1 when a larger constant moves the edge right or down.
    public let sign: Double

    init(_ constraint: LayoutConstraint, sign: Double) {
      self.constraint = constraint
      self.sign = sign
    }

    /// Cells to the right or down from the other item's edge.
    public var displacement: Double {
      get { constraint.constant * sign }
      nonmutating set { constraint.constant = newValue * sign }
    }
  }

  public let leading: Pin
  public let trailing: Pin
  public let top: Pin
  public let bottom: Pin

  /// Moves the view as a whole: both edges of each axis by the same amount.
  public func displace(x: Double, y: Double) {
    leading.displacement = x
    trailing.displacement = x
    top.displacement = y
    bottom.displacement = y
  }
}
