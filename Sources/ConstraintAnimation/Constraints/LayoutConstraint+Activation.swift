extension LayoutConstraint {
  /// Activates all or none.
  ///
  /// Constraints of views in a window are tried at once; those of views that are in no window yet are tried when the
  /// views come into one, and conflicts are then reported there. Give them in one call: a call costs one solution.
  /// - Throws: the first error; the constraints this call had activated are inactive again.
  public static func activate(_ constraints: [LayoutConstraint]) throws(LayoutError) {
    var fresh: [LayoutConstraint] = []
    do throws(LayoutError) {
      for constraint in constraints where !constraint.isActive {
        try constraint.hold()
        fresh.append(constraint)
      }
      if let window = fresh.lazy.compactMap(\.window).first { try window.validate(fresh) }
    } catch {
      for constraint in fresh { constraint.deactivate() }
      throw error
    }
  }

  public static func deactivate(_ constraints: [LayoutConstraint]) {
    for constraint in constraints { constraint.deactivate() }
  }

  /// Hands the constraint to the nearest common ancestor, and to the solver when that is in a window.
  private func hold() throws(LayoutError) {
    guard let first = firstItem, !isDangling else { throw .noCommonAncestor(description) }
    guard constant.isFinite, multiplier.isFinite else { throw .notFinite(description) }
    guard hasComparableAttributes else { throw .incompatibleAttributes(description) }
    guard let holder = View.commonAncestor(of: first, and: secondItem) else {
      throw .noCommonAncestor(description)
    }
    owner = holder
    holder.heldConstraints.append(self)
    first.attachedConstraints.append(self)
    if let second = secondItem, second !== first { second.attachedConstraints.append(self) }
    guard let window = holder.window else { return }
    do throws(LayoutError) {
      try window.engine.insert(self, in: window, holder: holder)
    } catch {
      deactivate()
      throw error
    }
  }

  func deactivate() {
    guard let holder = owner else { return }
    window?.engine.extract(self)
    owner = nil
    holder.heldConstraints.removeAll { $0 === self }
    firstItem?.attachedConstraints.removeAll { $0 === self }
    secondItem?.attachedConstraints.removeAll { $0 === self }
  }

  private var hasComparableAttributes: Bool {
    guard let secondAttribute else { return firstAttribute.isDimension }
    if firstAttribute.isDimension || secondAttribute.isDimension {
      return firstAttribute.isDimension && secondAttribute.isDimension
    }
    return firstAttribute.isHorizontal == secondAttribute.isHorizontal
  }
}
