extension Window {
  /// Solves the constraints if anything changed, has views lay out their subviews, and turns what moved into
  /// animations when called inside an animation block. Ends when nothing changes any more.
  public func layoutIfNeeded() {
    guard layoutPending, !isInLayoutPass else { return }
    isInLayoutPass = true
    var passes = 0
    while layoutPending {
      layoutPending = false
      work.layoutPasses += 1
      solve()
      layOutViews()
      passes += 1
      if passes == Window.maximumPasses, layoutPending {
        report(.layoutLoop(viewsToLayOut.first?.name ?? root.name))
        break
      }
    }
    layoutPending = false
    isInLayoutPass = false
    changedSinceLayout = false
    handOverUnlaidChanges()
    commitTouched()
    checkSizes()
  }

  private static let maximumPasses = 16

  /// The window's new size. Layout follows at once, without animation; running animations go on towards the new
  /// places. Gestures in progress are cancelled.
  public func resize(to newSize: Size) {
    guard newSize.width.isFinite, newSize.height.isFinite else {
      report(.notFinite("the window's size"))
      return
    }
    guard newSize != size else { return }
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
    let block = currentBlock
    if let block, block.resolvesEachFrame {
      block.addConstantTrack(constraint, delta: oldValue - constraint.constant, window: self)
    } else if let block, block.driver != nil {
      remember(.constant(constraint, from: oldValue, to: constraint.constant))
    } else {
      if constraint.constantBeforeLayout == nil {
        constraint.constantBeforeLayout = oldValue
        unlaidConstants.append(constraint)
      }
      if let block, block.options.contains(.beginFromCurrentState), !constraint.trackPlaces.isEmpty {
        // The edges are animated from where they are, so the constant need not be any more.
        _ = takeOver(.constant, of: constraint, except: block)
        constraint.constantOffset = 0
      }
    }
    engine.setConstant(of: constraint)
    constraintsChanged()
  }

  /// Lets the animator whose block is open know of a change to the model, or keeps it for one that lays it out.
  func remember(_ change: ModelChange) {
    if let block = currentBlock, let driver = block.driver {
      if case .activation = change, !change.isOfPlacedItems { return }
      driver.remember(change, in: block, isEarlier: false)
    } else if change.isOfConstraint, change.isOfPlacedItems {
      unlaidChanges.remember(change)
    }
  }

  /// After a layout pass: what it has made visible is the open animator's to take back.
  private func handOverUnlaidChanges() {
    if let block = currentBlock, let driver = block.driver {
      for constraint in unlaidConstants {
        guard let before = constraint.constantBeforeLayout else { continue }
        let change = ModelChange.constant(constraint, from: before, to: constraint.constant)
        if change.isOfPlacedItems { driver.remember(change, in: block, isEarlier: true) }
      }
      unlaidChanges.forEach { driver.remember($0, in: block, isEarlier: true) }
    }
    for constraint in unlaidConstants { constraint.constantBeforeLayout = nil }
    unlaidConstants.removeAll(keepingCapacity: true)
    unlaidChanges.removeAll()
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
    remember(.priority(constraint, from: old))
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
    if let error = engine.takeInexactness() { report(.inexactSolution(error)) }
    for item in engine.takeUnread() {
      work.itemsRead += 1
      let view = item as? View
      // A view placed by hand is where it was put; the solver only knows it to place others by it.
      if view?.manualFrame == nil {
        let edges = engine.edges(of: item)
        setModel(item, edges)
        if item.isInsideOut || edges.hasNegativeSize { suspects.append(item) }
      }
      if let view { moveManualSubviews(of: view) }
    }
  }

  /// Names what has come out with a negative size. Springs that move constants may pass through anything, what is in a
  /// view of no size has nowhere to go, and a window made smaller than it was to be need not have room for everything:
  /// none of these is a mistake.
  private func checkSizes() {
    let isAsMade = size.width >= sizeAsMade.width && size.height >= sizeAsMade.height
    for item in suspects where item.variables != nil {
      let isInsideOut = item.model.hasNegativeSize
      let room = (item.hostView === item ? item.hostView?.superview : item.hostView)?.model.rect.size ?? .zero
      let hasRoom = room.width > 0 && room.height > 0
      if isInsideOut, !item.isInsideOut, hasRoom, isAsMade, !isMovingConstants {
        item.isInsideOut = true
        report(.negativeSize(item.name))
      } else if !isInsideOut {
        item.isInsideOut = false
      }
    }
    suspects.removeAll(keepingCapacity: true)
  }

  /// Parents before children; a view laid out in this pass that asks again waits for the next.
  private func layOutViews() {
    var postponed: [View] = []
    var depth = 0
    while depth < viewsToLayOut.depthCount {
      var waiting = viewsToLayOut.take(depth: depth)
      while !waiting.isEmpty {
        for view in waiting where view.window === self && view.needsLayoutSubviews {
          if view.lastLayoutPass == work.layoutPasses {
            postponed.append(view)
            continue
          }
          view.lastLayoutPass = work.layoutPasses
          view.needsLayoutSubviews = false
          work.viewsLaidOut += 1
          view.layoutSubviews()
          for observer in view.boundsObservers where observer.token != nil { observer.body(view) }
        }
        waiting = viewsToLayOut.take(depth: depth)
      }
      depth += 1
    }
    for view in postponed { viewsToLayOut.insert(view) }
  }

  // MARK: Views placed by hand

  func manualFrameChanged(_ view: View) {
    guard let frame = view.frameByHand else { return }
    let edges = LayoutEngine.place(frame, in: view.superview)
    setModel(view, edges)
    if view.variables != nil {
      engine.pin(view, at: edges)
      constraintsChanged()
    }
    moveManualSubviews(of: view)
  }

  private func moveManualSubviews(of view: View) {
    for subview in view.subviews {
      guard let frame = subview.frameByHand else { continue }
      let edges = LayoutEngine.place(frame, in: view)
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

/// Views that wait for ``View/layoutSubviews()``, parents before children, so that a layout pass visits these and not
/// the whole tree.
struct LayoutQueue {
  private var viewsByDepth: [[View]] = []

  mutating func insert(_ view: View) {
    var depth = 0
    var ancestor = view.superview
    while let current = ancestor {
      depth += 1
      ancestor = current.superview
    }
    while viewsByDepth.count <= depth { viewsByDepth.append([]) }
    viewsByDepth[depth].append(view)
  }

  var depthCount: Int { viewsByDepth.count }

  /// Takes out the views of one depth.
  mutating func take(depth: Int) -> [View] {
    guard !viewsByDepth[depth].isEmpty else { return [] }
    let views = viewsByDepth[depth]
    viewsByDepth[depth].removeAll(keepingCapacity: true)
    return views
  }

  /// A view that still waits.
  var first: View? {
    for views in viewsByDepth {
      if let view = views.first(where: \.needsLayoutSubviews) { return view }
    }
    return nil
  }
}
