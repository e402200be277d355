extension Window {
  /// Solves the constraints if anything changed, has views lay out their subviews, and turns what moved into
  /// animations when called inside an animation block. Ends when nothing changes any more.
  public func layoutIfNeeded() {
    guard layoutPending, !isInLayoutPass else { return }
    isInLayoutPass = true
    var passes = 0
    while layoutPending {
      layoutPending = false
      solve()
      layoutSubviewsIfNeeded(root)
      passes += 1
      if passes == Window.maximumPasses {
        report(.layoutLoop(loopingView(in: root)?.name ?? root.name))
        break
      }
    }
    layoutPending = false
    isInLayoutPass = false
    changedSinceLayout = false
    commitTouched()
  }

  private static let maximumPasses = 16

  /// The window's new size. Layout follows at once, without animation; running animations go on towards the new
  /// places. Gestures in progress are cancelled.
  public func resize(to newSize: Size) {
    guard newSize != size, newSize.width.isFinite, newSize.height.isFinite else { return }
    size = Size(width: max(0, newSize.width), height: max(0, newSize.height))
    gestures.cancelAll()
    performWithoutAnimation {
      root.manualFrame = Rect(origin: .zero, size: size)
      manualFrameChanged(root)
      layoutIfNeeded()
    }
    damage = root.snapped.cells
  }

  func setNeedsLayout() { layoutPending = true }

  func constraintsChanged() {
    layoutPending = true
    changedSinceLayout = true
  }

  func constantChanged(_ constraint: LayoutConstraint, from oldValue: Double) {
    guard constraint.handle != nil else { return }
    if let block = currentBlock, block.resolvesEachFrame {
      block.addConstantTrack(constraint, delta: oldValue - constraint.constant)
      constraint.constantOffset += oldValue - constraint.constant
    } else {
      currentBlock?.driver?.remember(
        .constant(constraint, from: oldValue, to: constraint.constant))
    }
    engine.setConstant(of: constraint)
    constraintsChanged()
  }

  func setPriority(_ priority: LayoutPriority, of constraint: LayoutConstraint) throws(LayoutError) {
    let old = constraint.storedPriority
    constraint.storedPriority = priority
    do throws(LayoutError) {
      try engine.setPriority(of: constraint)
      if priority == .required { try validate([constraint]) }
    } catch {
      constraint.storedPriority = old
      // The old priority was accepted before, so it is again.
      try? engine.setPriority(of: constraint)
      throw error
    }
    currentBlock?.driver?.remember(.priority(constraint, from: old))
    constraintsChanged()
  }

  /// Tries what is pending. Throws only when one of `constraints` takes part in the contradiction: constants that do
  /// not agree with each other yet may be about to.
  func validate(_ constraints: [LayoutConstraint]) throws(LayoutError) {
    guard let refusal = engine.settle() else { return }
    let blamed = constraints.last { candidate in refusal.constraints.contains { $0 === candidate } }
    if let blamed { throw refusal.error(blaming: blamed) }
  }

  /// Takes over the constraints of a subtree that has come into the window; those that contradict are deactivated
  /// and reported, the others hold.
  func insertReporting(_ constraints: [LayoutConstraint]) {
    for constraint in constraints {
      guard let holder = constraint.owner else { continue }
      do throws(LayoutError) {
        try engine.insert(constraint, in: self, holder: holder)
      } catch {
        constraint.deactivate()
        report(.layout(error))
      }
    }
    for _ in constraints {
      guard let refusal = engine.settle() else { return }
      let newest = constraints.last { candidate in refusal.constraints.contains { $0 === candidate } }
      guard let newest else { return }
      report(.layout(refusal.error(blaming: newest)))
      newest.deactivate()
    }
  }

  private func solve() {
    if let refusal = engine.settle() { report(.layout(refusal.error(blaming: nil))) }
    guard engine.needsRead else { return }
    engine.didRead()
    for item in engine.items {
      setModel(item, engine.edges(of: item))
      if let view = item as? View { moveManualSubviews(of: view) }
    }
  }

  private func layoutSubviewsIfNeeded(_ view: View) {
    if view.needsLayoutSubviews {
      view.needsLayoutSubviews = false
      view.layoutSubviews()
      for observer in view.boundsObservers where observer.token != nil { observer.body(view) }
    }
    for subview in view.subviews { layoutSubviewsIfNeeded(subview) }
  }

  private func loopingView(in view: View) -> View? {
    if view.needsLayoutSubviews { return view }
    for subview in view.subviews {
      if let found = loopingView(in: subview) { return found }
    }
    return nil
  }

  // MARK: Views placed by hand

  func manualFrameChanged(_ view: View) {
    guard let frame = view.frameByHand else { return }
    let origin = view.superview?.model.values ?? .zero
    let edges = Edges(frame.offsetBy(Vector(dx: origin.x, dy: origin.y)))
    setModel(view, edges)
    if view.variables != nil {
      engine.pin(view, at: edges)
      constraintsChanged()
    }
    moveManualSubviews(of: view)
  }

  private func moveManualSubviews(of view: View) {
    let origin = view.model.values
    for subview in view.subviews {
      guard let frame = subview.frameByHand else { continue }
      let edges = Edges(frame.offsetBy(Vector(dx: origin.x, dy: origin.y)))
      if edges != subview.model || (subview.manualFrame != nil && !subview.hasBeenLaidOut) {
        manualFrameChanged(subview)
      }
    }
  }

  // MARK: Model changes

  private func setModel(_ item: LayoutItem, _ edges: Edges) {
    let isPlaced = item.variables != nil || (item as? View)?.manualFrame != nil
    guard edges != item.model || (isPlaced && !item.hasBeenLaidOut) else { return }
    let resized =
      item.model.right - item.model.left != edges.right - edges.left
      || item.model.bottom - item.model.top != edges.bottom - edges.top
    if resized || (isPlaced && !item.hasBeenLaidOut), let view = item as? View { view.setNeedsLayout() }
    if !item.isTouched {
      item.isTouched = true
      item.snappedBefore = item.snapped
      touched.append(item)
    }
    item.model = edges
    item.snapped = edges.snapped
    if !isInLayoutPass { commitTouched() }
  }

  /// Registers what a pass moved with the animation block that is open, if there is one.
  private func commitTouched() {
    for item in touched {
      item.isTouched = false
      let delta = item.snappedBefore.values - item.snapped.values
      if item.hasBeenLaidOut, delta != .zero, let block = currentBlock, !block.resolvesEachFrame {
        block.addFrameTrack(item, delta: delta, window: self)
      }
      // A view nobody has placed yet has no place to be animated from later.
      item.hasBeenLaidOut = item.variables != nil || (item as? View)?.manualFrame != nil
      invalidate(item)
    }
    touched.removeAll(keepingCapacity: true)
  }
}
