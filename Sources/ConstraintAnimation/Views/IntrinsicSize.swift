/// The constraints that give a view the size its content would like, and how firmly they do.
struct IntrinsicSize {
  /// One axis: two inequalities while the content has an opinion about it.
  struct Axis {
    fileprivate var hugging = LayoutPriority.defaultLow
    fileprivate var compression = LayoutPriority.defaultHigh
    private var constraints: [LayoutConstraint] = []

    /// - Parameters:
    ///   - length: in cells; `nil` or not a length for no opinion.
    ///   - anchor: the view's width or height.
    /// - Returns: the axis with the constraints for that length, which are active.
    func updated(_ length: Double?, of anchor: LayoutAnchor<DimensionKind>) -> Axis {
      var axis = self
      guard let length, length >= 0, length.isFinite else {
        LayoutConstraint.deactivate(constraints)
        axis.constraints = []
        return axis
      }
      guard constraints.isEmpty else {
        for (constraint, priority) in zip(constraints, [hugging, compression]) {
          constraint.constant = length
          constraint.priority = priority
        }
        return axis
      }
      axis.constraints = [
        anchor.constraint(lessThanOrEqualToConstant: length).with(priority: hugging),
        anchor.constraint(greaterThanOrEqualToConstant: length).with(priority: compression),
      ]
      for constraint in axis.constraints {
        constraint.isIntrinsic = true
        constraint.isActive = true
      }
      return axis
    }
  }

  var width = Axis()
  var height = Axis()

  /// How firmly the view resists becoming larger than its content, 250 unless set.
  mutating func setHugging(_ priority: LayoutPriority, horizontal: Bool) {
    if horizontal { width.hugging = priority } else { height.hugging = priority }
  }

  /// How firmly the view resists becoming smaller than its content, 750 unless set.
  mutating func setCompressionResistance(_ priority: LayoutPriority, horizontal: Bool) {
    if horizontal { width.compression = priority } else { height.compression = priority }
  }
}
