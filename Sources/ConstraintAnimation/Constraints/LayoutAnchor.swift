/// One edge, center or size of an item, typed by axis so that a leading edge cannot be tied to a top edge.
public struct LayoutAnchor<Kind> {
  public let item: LayoutItem
  public let attribute: LayoutAttribute

  init(_ item: LayoutItem, _ attribute: LayoutAttribute) {
    self.item = item
    self.attribute = attribute
  }

  public func constraint(equalTo other: LayoutAnchor<Kind>, constant: Double = 0) -> LayoutConstraint {
    related(.equal, to: other, multiplier: 1, constant: constant)
  }

  public func constraint(lessThanOrEqualTo other: LayoutAnchor<Kind>, constant: Double = 0)
    -> LayoutConstraint
  {
    related(.lessThanOrEqual, to: other, multiplier: 1, constant: constant)
  }

  public func constraint(greaterThanOrEqualTo other: LayoutAnchor<Kind>, constant: Double = 0)
    -> LayoutConstraint
  {
    related(.greaterThanOrEqual, to: other, multiplier: 1, constant: constant)
  }

  fileprivate func related(
    _ relation: LayoutRelation, to other: LayoutAnchor<Kind>, multiplier: Double, constant: Double
  ) -> LayoutConstraint {
    LayoutConstraint(
      item: item, attribute: attribute, relatedBy: relation, toItem: other.item,
      attribute: other.attribute, multiplier: multiplier, constant: constant)
  }
}

extension LayoutAnchor where Kind == DimensionKind {
  public func constraint(equalToConstant constant: Double) -> LayoutConstraint {
    fixed(.equal, constant)
  }

  public func constraint(lessThanOrEqualToConstant constant: Double) -> LayoutConstraint {
    fixed(.lessThanOrEqual, constant)
  }

  public func constraint(greaterThanOrEqualToConstant constant: Double) -> LayoutConstraint {
    fixed(.greaterThanOrEqual, constant)
  }

  public func constraint(
    equalTo other: LayoutAnchor<DimensionKind>, multiplier: Double, constant: Double = 0
  ) -> LayoutConstraint {
    related(.equal, to: other, multiplier: multiplier, constant: constant)
  }

  public func constraint(
    lessThanOrEqualTo other: LayoutAnchor<DimensionKind>, multiplier: Double, constant: Double = 0
  ) -> LayoutConstraint {
    related(.lessThanOrEqual, to: other, multiplier: multiplier, constant: constant)
  }

  public func constraint(
    greaterThanOrEqualTo other: LayoutAnchor<DimensionKind>, multiplier: Double, constant: Double = 0
  ) -> LayoutConstraint {
    related(.greaterThanOrEqual, to: other, multiplier: multiplier, constant: constant)
  }

  private func fixed(_ relation: LayoutRelation, _ constant: Double) -> LayoutConstraint {
    LayoutConstraint(
      item: item, attribute: attribute, relatedBy: relation, toItem: nil, attribute: nil,
      multiplier: 1, constant: constant)
  }
}

/// Marks anchors of horizontal positions.
public enum XAxis {}

/// Marks anchors of vertical positions.
public enum YAxis {}

/// Marks anchors that are lengths.
public enum DimensionKind {}
