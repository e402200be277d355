/// State of the layout: what waits for the next pass and what the running one has found. Only this file changes it.
struct LayoutPass {
  /// Something has changed since the last pass.
  fileprivate(set) var isPending = true
  /// Passes made since the window was made.
  fileprivate(set) var passes = 0
  /// Items whose edges were read from the solver.
  fileprivate(set) var itemsRead = 0
  /// Calls of `layoutSubviews`.
  fileprivate(set) var viewsLaidOut = 0

  fileprivate var isRunning = false
  /// Items that the pass has moved.
  fileprivate var touched: [LayoutItem] = []
  /// Views whose subviews wait to be laid out, by their depth in the tree: parents come first.
  fileprivate var queue = LayoutQueue()
  /// Constraints whose constants have changed since the last pass, and what else constraints have gone through, for an
  /// animator that lays it out.
  fileprivate var unlaidConstants: [LayoutConstraint] = []
  fileprivate var unlaidChanges = ModelChanges()
  /// Constraints have changed since the last pass.
  fileprivate var hasUnlaidConstraints = false
  /// Items that had a negative size in the running pass, or have one no more.
  fileprivate var suspects: [LayoutItem] = []
  /// The running pass moves constants on behalf of animations.
  fileprivate var isMovingConstants = false
}

extension Window {
  /// Solves the constraints if anything changed, has views lay out their subviews, and turns what moved into
  /// animations when called inside an animation block. Ends when nothing changes any more.
  public func layoutIfNeeded() {
    guard layout.isPending, !layout.isRunning else { return }
    layout.isRunning = true
    var passes = 0
    while layout.isPending {
      layout.isPending = false
      layout.passes += 1
      solve()
      layOutViews()
      passes += 1
      if passes == Window.maximumPasses, layout.isPending {
        report(.layoutLoop(layout.queue.first?.name ?? root.name))
        break
      }
    }
    layout.isPending = false
    layout.isRunning = false
    layout.hasUnlaidConstraints = false
    handOverUnlaidChanges()
    commitTouched()
    checkSizes()
  }

  private static let maximumPasses = 16

  func setNeedsLayout() { layout.isPending = true }

  /// Has `layoutSubviews` of a view called in the next pass.
  func queueForLayout(_ view: View) { layout.queue.insert(view) }

  /// Runs `body`.
  /// - Returns: whether it changed constraints that no layout pass has taken up.
  func leavesConstraintsUnlaid(_ body: () -> Void) -> Bool {
    let before = layout.hasUnlaidConstraints
    layout.hasUnlaidConstraints = false
    body()
    let leaves = layout.hasUnlaidConstraints
    layout.hasUnlaidConstraints = leaves || before
    return leaves
  }

  /// Drops constants whose constraints have left the window.
  func forgetUnlaidConstants() { layout.unlaidConstants.removeAll { $0.constantBeforeLayout == nil } }

  /// Solves for constants that animations have moved; moves nothing else and animates nothing.
  func layOutMovedConstants() {
    layout.isPending = true
    layout.isMovingConstants = true
    performWithoutAnimation { layoutIfNeeded() }
    layout.isMovingConstants = false
  }

  func constraintsChanged() {
    layout.isPending = true
    layout.hasUnlaidConstraints = true
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
        layout.unlaidConstants.append(constraint)
      }
      if let block, block.options.contains(.beginFromCurrentState), !constraint.trackPlaces.isEmpty {
        // The edges are animated from where they are, so the constant need not be any more.
        _ = timeline.removeTracks(.constant, of: constraint, except: block)
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
      layout.unlaidChanges.remember(change)
    }
  }

  /// Makes what a layout pass has made visible the open animator's to take back.
  private func handOverUnlaidChanges() {
    if let block = currentBlock, let driver = block.driver {
      for constraint in layout.unlaidConstants {
        guard let before = constraint.constantBeforeLayout else { continue }
        let change = ModelChange.constant(constraint, from: before, to: constraint.constant)
        if change.isOfPlacedItems { driver.remember(change, in: block, isEarlier: true) }
      }
      layout.unlaidChanges.forEach { driver.remember($0, in: block, isEarlier: true) }
    }
    for constraint in layout.unlaidConstants { constraint.constantBeforeLayout = nil }
    layout.unlaidConstants.removeAll(keepingCapacity: true)
    layout.unlaidChanges.removeAll()
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

  /// Adds the constraints of a subtree that has come into the window; those that contradict are deactivated
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
    if let error = engine.consumeInexactness() { report(.inexactSolution(error)) }
    for item in engine.drainUnread() {
      layout.itemsRead += 1
      let view = item as? View
      // A view placed by hand keeps its frame; the solver has it only for constraints of other views.
      if view?.manualFrame == nil {
        let edges = engine.edges(of: item)
        setModel(item, edges)
        if item.layoutProgress.isInsideOut || edges.hasNegativeSize { layout.suspects.append(item) }
      }
      if let view { moveManualSubviews(of: view) }
    }
  }

  /// Names what has come out with a negative size. Springs that move constants may pass through anything, what is in a
  /// view of no size has nowhere to go, and a window made smaller than it was to be need not have room for everything:
  /// none of these is a mistake.
  private func checkSizes() {
    let isAsMade = size.width >= sizeAsMade.width && size.height >= sizeAsMade.height
    for item in layout.suspects where item.variables != nil {
      let isInsideOut = item.model.hasNegativeSize
      let space =
        (item.hostView === item ? item.hostView?.superview : item.hostView)?.model.rect.size ?? .zero
      let hasSpace = space.width > 0 && space.height > 0
      if isInsideOut, !item.layoutProgress.isInsideOut, hasSpace, isAsMade, !layout.isMovingConstants {
        item.layoutProgress.isInsideOut = true
        report(.negativeSize(item.name))
      } else if !isInsideOut {
        item.layoutProgress.isInsideOut = false
      }
    }
    layout.suspects.removeAll(keepingCapacity: true)
  }

  /// Parents before children; a view laid out in this pass that asks again waits for the next.
  private func layOutViews() {
    var postponed: [View] = []
    var depth = 0
    while depth < layout.queue.depthCount {
      var waiting = layout.queue.removeViews(depth: depth)
      while !waiting.isEmpty {
        for view in waiting where view.window === self && view.subviewLayout.isNeeded {
          if view.subviewLayout.lastPass == layout.passes {
            postponed.append(view)
            continue
          }
          view.subviewLayout.lastPass = layout.passes
          view.subviewLayout.isNeeded = false
          layout.viewsLaidOut += 1
          view.layoutSubviews()
          // A copy: an observer may register another one.
          let subviewLayout = view.subviewLayout
          subviewLayout.callObservers(of: view)
        }
        waiting = layout.queue.removeViews(depth: depth)
      }
      depth += 1
    }
    for view in postponed { layout.queue.insert(view) }
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
      if edges != subview.model || (subview.manualFrame != nil && !subview.layoutProgress.hasBeenLaidOut) {
        manualFrameChanged(subview)
      }
    }
  }

  // MARK: Model changes

  private func setModel(_ item: LayoutItem, _ edges: Edges) {
    let isPlaced = item.variables != nil || (item as? View)?.manualFrame != nil
    guard edges != item.model || (isPlaced && !item.layoutProgress.hasBeenLaidOut) else { return }
    let resized =
      item.model.right - item.model.left != edges.right - edges.left
      || item.model.bottom - item.model.top != edges.bottom - edges.top
    if resized || (isPlaced && !item.layoutProgress.hasBeenLaidOut), let view = item as? View {
      view.setNeedsLayout()
    }
    if !item.layoutProgress.isTouched {
      item.layoutProgress.isTouched = true
      item.layoutProgress.snappedBefore = item.snapped
      layout.touched.append(item)
    }
    item.model = edges
    item.snapped = edges.snapped
    if !layout.isRunning { commitTouched() }
  }

  /// Registers what a pass moved with the animation block that is open, if there is one.
  private func commitTouched() {
    for item in layout.touched {
      item.layoutProgress.isTouched = false
      let delta = item.layoutProgress.snappedBefore.values - item.snapped.values
      if item.layoutProgress.hasBeenLaidOut, delta != .zero, let block = currentBlock,
        !block.resolvesEachFrame
      {
        block.addFrameTrack(item, delta: delta, window: self)
      }
      // A view that was never laid out has no frame to animate from.
      item.layoutProgress.hasBeenLaidOut = item.variables != nil || (item as? View)?.manualFrame != nil
      invalidate(item)
    }
    layout.touched.removeAll(keepingCapacity: true)
  }
}

/// Views that wait for ``View/layoutSubviews()``, parents before children, so that a layout pass visits these and not
/// the whole tree.
private struct LayoutQueue {
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

  /// Removes and returns the views of one depth.
  mutating func removeViews(depth: Int) -> [View] {
    guard !viewsByDepth[depth].isEmpty else { return [] }
    let views = viewsByDepth[depth]
    viewsByDepth[depth].removeAll(keepingCapacity: true)
    return views
  }

  /// A view that still waits.
  var first: View? {
    for views in viewsByDepth {
      if let view = views.first(where: \.subviewLayout.isNeeded) { return view }
    }
    return nil
  }
}

/// The state of an item in the layout passes of its window.
struct LayoutProgress {
  /// False for a view that has no position yet to be animated from.
  var hasBeenLaidOut = false
  /// Changed in the current pass.
  var isTouched = false
  /// Snapped edges before the pass; valid while `isTouched`.
  var snappedBefore = Edges.zero
  /// The model has a negative width or height, which has been reported.
  var isInsideOut = false
}
