/// One edge, center or size of an item, typed by axis so that a leading edge cannot be tied to a top edge.
public struct LayoutAnchor<Kind> {
  public let item: LayoutItem
  public let attribute: LayoutAttribute

  init(_ item: LayoutItem, _ attribute: LayoutAttribute) {
    self.item = item
    self.attribute = attribute
  }

  /// `self = other + constant`, inactive. Points.
  public func constraint(equalTo other: LayoutAnchor<Kind>, constant: Double = 0) -> LayoutConstraint {
    related(.equal, to: other, multiplier: 1, constant: constant)
  }

  /// `self ≤ other + constant`, inactive. Points.
  public func constraint(lessThanOrEqualTo other: LayoutAnchor<Kind>, constant: Double = 0)
    -> LayoutConstraint
  {
    related(.lessThanOrEqual, to: other, multiplier: 1, constant: constant)
  }

  /// `self ≥ other + constant`, inactive. Points.
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
  /// `self = constant`, inactive. Points.
  public func constraint(equalToConstant constant: Double) -> LayoutConstraint {
    fixed(.equal, constant)
  }

  /// `self ≤ constant`, inactive. Points.
  public func constraint(lessThanOrEqualToConstant constant: Double) -> LayoutConstraint {
    fixed(.lessThanOrEqual, constant)
  }

  /// `self ≥ constant`, inactive. Points.
  public func constraint(greaterThanOrEqualToConstant constant: Double) -> LayoutConstraint {
    fixed(.greaterThanOrEqual, constant)
  }

  /// `self = multiplier · other + constant`, inactive. Points.
  public func constraint(
    equalTo other: LayoutAnchor<DimensionKind>, multiplier: Double, constant: Double = 0
  ) -> LayoutConstraint {
    related(.equal, to: other, multiplier: multiplier, constant: constant)
  }

  /// `self ≤ multiplier · other + constant`, inactive. Points.
  public func constraint(
    lessThanOrEqualTo other: LayoutAnchor<DimensionKind>, multiplier: Double, constant: Double = 0
  ) -> LayoutConstraint {
    related(.lessThanOrEqual, to: other, multiplier: multiplier, constant: constant)
  }

  /// `self ≥ multiplier · other + constant`, inactive. Points.
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

/// The constraints that hold a view by its center and its size.
public struct CenterConstraints {
  public let centerX: LayoutConstraint
  public let centerY: LayoutConstraint
  public let width: LayoutConstraint
  public let height: LayoutConstraint

  public var all: [LayoutConstraint] { [centerX, centerY, width, height] }
}

extension View {
  /// The active constraints, held by this view's superview, that tie `attribute` of this view to the superview, in
  /// whichever order the two were written.
  public final func constraints(affecting attribute: LayoutAttribute) -> [LayoutConstraint] {
    guard let superview else { return [] }
    return attachedConstraints.filter { constraint in
      guard constraint.owner === superview else { return false }
      if constraint.firstItem === self { return constraint.firstAttribute == attribute }
      return constraint.secondItem === self && constraint.secondAttribute == attribute
    }
  }

  /// The four constraints that pin `child` to this view's edges, found in one call.
  /// - Throws: the first edge for which there is none, in the order leading, trailing, top, bottom.
  public final func edgeConstraints(of child: View) throws(MissingEdge) -> EdgeConstraints {
    EdgeConstraints(
      leading: try pin(of: child, .leading), trailing: try pin(of: child, .trailing),
      top: try pin(of: child, .top), bottom: try pin(of: child, .bottom))
  }

  /// The constraint that ties one edge of `child` to this view or to one of its guides.
  final func pin(of child: View, _ attribute: LayoutAttribute) throws(MissingEdge) -> EdgeConstraints.Pin {
    for constraint in child.attachedConstraints where constraint.relation == .equal {
      guard let first = constraint.firstItem, let second = constraint.secondItem else { continue }
      let isChildFirst = first === child && constraint.firstAttribute == attribute
      let isChildSecond = second === child && constraint.secondAttribute == attribute
      if isChildFirst && second.hostView === self || isChildSecond && first.hostView === self {
        return EdgeConstraints.Pin(constraint, sign: constraint.edgeSign(for: child))
      }
    }
    throw MissingEdge(attribute: attribute)
  }

  /// Constraints that pin all four edges to another item, `inset` cells inside. They are not active yet.
  public final func pinned(to other: LayoutItem, inset: Double = 0) -> [LayoutConstraint] {
    [
      leadingAnchor.constraint(equalTo: other.leadingAnchor, constant: inset),
      trailingAnchor.constraint(equalTo: other.trailingAnchor, constant: -inset),
      topAnchor.constraint(equalTo: other.topAnchor, constant: inset),
      bottomAnchor.constraint(equalTo: other.bottomAnchor, constant: -inset),
    ]
  }

  /// Constraints for a view of a given size centered on another item: the four to change when it is dragged and
  /// pinched. They are not active yet.
  public final func pinnedCentered(on other: LayoutItem, size: Size, offset: Vector = .zero)
    -> CenterConstraints
  {
    CenterConstraints(
      centerX: centerXAnchor.constraint(equalTo: other.centerXAnchor, constant: offset.dx),
      centerY: centerYAnchor.constraint(equalTo: other.centerYAnchor, constant: offset.dy),
      width: widthAnchor.constraint(equalToConstant: size.width),
      height: heightAnchor.constraint(equalToConstant: size.height))
  }

  /// Deactivates the constraints that place the view and pins it by center and size at its present position.
  public final func pinCentered(on other: LayoutItem) throws(LayoutError) -> CenterConstraints {
    let now = windowFrame
    let target = other.windowFrame
    let placing = attachedConstraints.filter { constraint in
      !constraint.isIntrinsic && (constraint.owner !== self || constraint.secondItem == nil)
    }
    LayoutConstraint.deactivate(placing)
    manualFrame = nil
    window?.engine.unpin(self)
    let pins = pinnedCentered(
      on: other, size: now.size,
      offset: Vector(dx: now.midX - target.midX, dy: now.midY - target.midY))
    try LayoutConstraint.activate(pins.all)
    return pins
  }
}

/// No active constraint ties this edge to the host.
public struct MissingEdge: Error, Sendable, Equatable {
  public let attribute: LayoutAttribute
}
