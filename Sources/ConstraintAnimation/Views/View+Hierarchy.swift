extension View {
  public final func addSubview(_ view: View) {
    insertSubview(view, at: subviews.count)
  }

  /// Inserts a view at a depth, 0 = at the back. A view with another superview is moved. One that contains this view
  /// would
  /// form a cycle, and a window's root belongs to its window: both are refused and reported.
  public final func insertSubview(_ view: View, at index: Int) {
    guard !isDescendant(of: view), view.superview != nil || view.window == nil else {
      report(.misplacedView(view.name))
      return
    }
    if view.superview != nil { view.removeFromSuperview() }
    subviews.insert(view, at: min(max(index, 0), subviews.count))
    view.superview = self
    didAddSubview(view)
    if let window { view.enter(window) }
    setNeedsLayout()
    setNeedsDisplay()
  }

  /// Removes the view. Constraints between its subtree and views outside are deactivated; those inside
  /// stay and take effect again when the view is added again. Its animations end with `finished == false`.
  public final func removeFromSuperview() {
    // Actions of cancelled gestures run first and completions last, while the tree is consistent.
    if let window { forEachView { window.gestures.forget($0) } }
    guard let parent = superview else { return }
    parent.willRemoveSubview(self)
    setNeedsDisplay()
    for constraint in outwardConstraints() { constraint.deactivate() }
    let window = window
    if let window {
      window.forgetSubtree(self)
      detach(from: window)
    }
    parent.subviews.removeAll { $0 === self }
    superview = nil
    parent.setNeedsLayout()
    window?.deliverInterrupted()
  }

  public final func bringSubviewToFront(_ view: View) {
    guard let index = subviews.firstIndex(where: { $0 === view }) else { return }
    subviews.append(subviews.remove(at: index))
    view.setNeedsDisplay()
  }

  public final func addLayoutGuide(_ guide: LayoutGuide) {
    if let old = guide.owningView { old.removeLayoutGuide(guide) }
    layoutGuides.append(guide)
    guide.owningView = self
  }

  public final func removeLayoutGuide(_ guide: LayoutGuide) {
    guard let index = layoutGuides.firstIndex(where: { $0 === guide }) else { return }
    LayoutConstraint.deactivate(Array(guide.attachedConstraints))
    window?.endTracks(of: guide)
    window?.engine.removeVariables(of: guide)
    layoutGuides.remove(at: index)
    guide.owningView = nil
    window?.deliverInterrupted()
  }

  public final func isDescendant(of view: View) -> Bool {
    var ancestor: View? = self
    while let current = ancestor {
      if current === view { return true }
      ancestor = current.superview
    }
    return false
  }

  static func commonAncestor(of first: LayoutItem, and second: LayoutItem?) -> View? {
    guard let start = first.hostView else { return nil }
    guard let second else { return start }
    guard let other = second.hostView else { return nil }
    var candidate: View? = start
    while let view = candidate {
      if other.isDescendant(of: view) { return view }
      candidate = view.superview
    }
    return nil
  }

  /// Calls `body` with the view, its guides and everything below.
  final func forEachItem(_ body: (LayoutItem) -> Void) {
    body(self)
    for guide in layoutGuides { body(guide) }
    for view in subviews { view.forEachItem(body) }
  }

  private func outwardConstraints() -> [LayoutConstraint] {
    var found: [LayoutConstraint] = []
    forEachItem { item in
      for constraint in item.attachedConstraints {
        guard let owner = constraint.owner, !owner.isDescendant(of: self) else { continue }
        found.append(constraint)
      }
    }
    return found
  }

  /// Brings a subtree into a window: its constraints are tried in one batch.
  func enter(_ window: Window) {
    attach(to: window)
    var constraints: [LayoutConstraint] = []
    forEachView { constraints.append(contentsOf: $0.heldConstraints) }
    window.insertReporting(constraints)
    forEachView { view in
      if view.frameByHand != nil { window.manualFrameChanged(view) }
      view.didMoveToWindow()
    }
  }

  private func attach(to window: Window) {
    self.window = window
    id = window.makeViewID()
    needsLayoutSubviews = true
    lastLayoutPass = 0
    window.queueForLayout(self)
    for diagnostic in unheardDiagnostics { window.report(diagnostic) }
    unheardDiagnostics = []
    for view in subviews { view.attach(to: window) }
    updateIntrinsicConstraints()
  }

  private func forEachView(_ body: (View) -> Void) {
    body(self)
    for view in subviews { view.forEachView(body) }
  }

  /// The window was deallocated while the view stays: resets what referred to it.
  func abandonWindow() {
    forEachItem { item in
      item.variables = nil
      item.forgetWindow()
    }
    forEachView { view in
      view.id = 0
      for constraint in view.heldConstraints {
        constraint.handle = nil
        constraint.constantOffset = 0
        constraint.constantBeforeLayout = nil
        constraint.trackPlaces = []
      }
    }
  }

  private func detach(from window: Window) {
    for constraint in heldConstraints { window.engine.extract(constraint) }
    for guide in layoutGuides { window.engine.removeVariables(of: guide) }
    for view in subviews { view.detach(from: window) }
    window.engine.removeVariables(of: self)
    self.window = nil
    didMoveToWindow()
  }
}
