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
    for constraint in fresh where !constraint.isIntrinsic {
      constraint.window?.remember(.activation(constraint, wasActive: false))
    }
  }

  /// Takes them out of the layout. Animations of their constants end with `finished == false`.
  public static func deactivate(_ constraints: [LayoutConstraint]) {
    var windows: [Window] = []
    for constraint in constraints {
      guard constraint.isActive else { continue }
      if let window = constraint.window {
        if windows.last !== window { windows.append(window) }
        if !constraint.isIntrinsic { window.remember(.activation(constraint, wasActive: true)) }
      }
      constraint.deactivate()
    }
    for window in windows { window.deliverInterrupted() }
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
    holder.heldConstraints.append(self, as: .held)
    first.attachedConstraints.append(self, as: .first)
    if let second = secondItem, second !== first { second.attachedConstraints.append(self, as: .second) }
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
    let window = self.window
    window?.engine.extract(self)
    window?.endTracks(of: self)
    owner = nil
    holder.heldConstraints.remove(self, as: .held)
    firstItem?.attachedConstraints.remove(self, as: .first)
    secondItem?.attachedConstraints.remove(self, as: .second)
  }

  private var hasComparableAttributes: Bool {
    guard let secondAttribute else { return firstAttribute.isDimension }
    if firstAttribute.isDimension || secondAttribute.isDimension {
      return firstAttribute.isDimension && secondAttribute.isDimension
    }
    return firstAttribute.isHorizontal == secondAttribute.isHorizontal
  }
}
