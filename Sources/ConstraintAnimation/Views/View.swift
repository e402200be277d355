/// A rectangle in the tree: laid out by constraints (or by hand, or by a group), drawn through a ``CellCanvas``,
/// hit by the pointer.
///
/// Views are plain classes without isolation: a tree lives in whichever domain made it. A view that is in no
/// ``Window`` only stores what it is told.
open class View: LayoutItem {
  public private(set) final weak var superview: View?
  public private(set) final weak var window: Window?

  /// A number that is unique in the window, 0 outside one.
  public private(set) final var id: UInt32 = 0

  /// Back to front.
  public private(set) final var subviews: [View] = []
  public private(set) final var layoutGuides: [LayoutGuide] = []

  /// The constraints it holds as the nearest common ancestor of their items.
  final var heldConstraints = ConstraintList()
  public final var constraints: [LayoutConstraint] { Array(heldConstraints) }

  /// A number of the owner's choice, 0 until it is set.
  public final var tag = 0

  /// Takes neither part in drawing nor in hit testing, nor do its subviews; its place in the layout it keeps.
  public final var isHidden = false {
    didSet { if isHidden != oldValue { window?.invalidateDisplay(of: self) } }
  }

  /// Whether its subviews are cut off at its edges.
  public final var clipsToBounds = false {
    didSet { if clipsToBounds != oldValue, isShown { window?.invalidateSurroundings(of: self) } }
  }

  /// 0…1, animatable: how much of it and its subviews is left over what is behind.
  public final var alpha = 1.0 {
    didSet {
      guard alpha.isFinite else {
        alpha = oldValue
        report(.notFinite("\(name).alpha"))
        return
      }
      if alpha != oldValue { window?.alphaChanged(self, from: oldValue) }
    }
  }

  /// Animatable; nil takes the superview's.
  public final var tintColor: Color? {
    didSet { if tintColor != oldValue { window?.colorChanged(self, .tint, from: oldValue, to: tintColor) } }
  }

  /// Animatable; nil leaves what is behind.
  public final var backgroundColor: Color? {
    didSet {
      if backgroundColor != oldValue {
        window?.colorChanged(self, .background, from: oldValue, to: backgroundColor)
      }
    }
  }

  /// Animatable; moves drawing and hit testing, never the layout.
  public final var transform = Transform.identity {
    didSet {
      guard transform.isFinite else {
        transform = oldValue
        report(.notFinite("\(name).transform"))
        return
      }
      if transform != oldValue { window?.transformChanged(self, from: oldValue) }
    }
  }

  /// How a rotated view is drawn.
  public final var rotationStyle = RotationStyle.sampled {
    didSet { if rotationStyle != oldValue { setNeedsDisplay() } }
  }

  /// Whether its background ends on whole cells or on eighths of one.
  public final var edgeStyle = EdgeStyle.wholeCells {
    didSet { if edgeStyle != oldValue { setNeedsDisplay() } }
  }

  /// Whether a control's recognizers get events.
  public final var isEnabled = true {
    didSet { if isEnabled != oldValue { setNeedsDisplay() } }
  }

  /// When false, neither it nor its subviews can be hit.
  public final var isUserInteractionEnabled = true

  /// The view's size along the axis of a ``StackGroup`` it is in, in cells.
  public final var explicitSize: Double? {
    didSet {
      guard explicitSize?.isFinite ?? true else {
        explicitSize = oldValue
        report(.notFinite("\(name).explicitSize"))
        return
      }
      if explicitSize != oldValue { superview?.childSizeChanged() }
    }
  }

  /// Its part of what explicit sizes leave in a ``StackGroup``, in hundredths; wins over an explicit size.
  public final var percentageSize: Double? {
    didSet {
      guard percentageSize?.isFinite ?? true else {
        percentageSize = oldValue
        report(.notFinite("\(name).percentageSize"))
        return
      }
      if percentageSize != oldValue { superview?.childSizeChanged() }
    }
  }

  public internal(set) final var gestureRecognizers: [GestureRecognizer] = []

  /// Position by hand, relative to the superview; nil while constraints place the view.
  final var manualFrame: Rect?
  final var subviewLayout = SubviewLayout()
  /// Diagnostics from while it was in no window.
  private final var unheardDiagnostics: [LayoutDiagnostic] = []
  private final var intrinsic = IntrinsicSize()
  /// What animations add to colors, alpha and transform; nil while none ever did.
  final var appearance: AppearanceOffsets?

  public override init() { super.init() }

  public convenience init(identifier: String) {
    self.init()
    self.identifier = identifier
  }

  final override var hostView: View? { self }

  override var defaultName: String { tag == 0 ? "\(type(of: self))" : "\(type(of: self))#\(tag)" }

  /// Stands for no preference for an axis in an intrinsic size.
  public static let noIntrinsicMetric = -1.0

  /// The size its content would like, or nil. Call ``invalidateIntrinsicContentSize()`` when it changes.
  open var intrinsicContentSize: Size? { nil }

  /// Places subviews that have no constraints. Called after the view's own size is known and has changed, or after
  /// ``setNeedsLayout()``.
  open func layoutSubviews() {}

  /// Draws the view. `rect` is where it is on screen, in window coordinates; it may lie partly or wholly outside the
  /// canvas's clip. The background is there already; subviews follow.
  open func draw(in rect: CellRect, on canvas: any CellCanvas) {}

  /// Handles an event that no recognizer used: first the view that was hit or has the focus, then its superviews.
  /// - Returns: whether it was used.
  open func handle(_ event: InputEvent) -> Bool { false }

  /// Called when a subview has been added, and when one is about to be removed.
  open func didAddSubview(_ subview: View) {}
  open func willRemoveSubview(_ subview: View) {}

  /// Called after the view or one above it has been put into a window or taken out of one.
  open func didMoveToWindow() {}

  /// Whether the point belongs to the view; window coordinates with the view's transforms undone.
  open func contains(_ point: Point) -> Bool {
    let edges = snapped.values + Edges.snap(offset)
    let x = point.x.rounded(.down)
    let y = point.y.rounded(.down)
    return x >= edges.x && x < edges.z && y >= edges.y && y < edges.w
  }
}

extension View {
  /// The model in the superview's coordinates.
  ///
  /// Setting it places a view by hand, at once; inside an animation block the change is animated. A view that
  /// constraints place must not have its frame set: the value is ignored and reported with the view's name, to the
  /// view's window or to the one it comes into.
  public final var frame: Rect {
    get {
      guard window != nil else { return manualFrame ?? .zero }
      let origin = superview?.model.values ?? .zero
      return windowFrame.offsetBy(Vector(dx: -origin.x, dy: -origin.y))
    }
    set {
      guard newValue.minX.isFinite, newValue.minY.isFinite, newValue.maxX.isFinite, newValue.maxY.isFinite
      else {
        report(.notFinite(name))
        return
      }
      if isPlacedByConstraints {
        report(.frameOfConstrainedView(name))
        return
      }
      guard newValue != manualFrame else { return }
      if newValue.width < 0 || newValue.height < 0 { report(.negativeSize(name)) }
      window?.remember(.frame(self, from: manualFrame, to: newValue))
      let wasPlacedByHand = manualFrame != nil
      manualFrame = newValue
      if !wasPlacedByHand { updateIntrinsicConstraints() }
      window?.manualFrameChanged(self)
    }
  }

  /// The middle of ``frame``, in the superview's coordinates. Setting it moves a view that is placed by hand and keeps
  /// its size.
  public final var center: Point {
    get { Point(x: frame.midX, y: frame.midY) }
    set {
      let now = frame
      frame = Rect(
        x: newValue.x - now.width / 2, y: newValue.y - now.height / 2, width: now.width, height: now.height)
    }
  }

  /// The frame of a view that the solver does not know: what it was given, or nothing at its superview's origin.
  final var frameByHand: Rect? { manualFrame ?? (variables == nil ? .zero : nil) }

  /// The model's size at the origin.
  public final var bounds: Rect { Rect(origin: .zero, size: windowFrame.size) }

  /// Whether an active constraint says where it is or how large, as opposed to constraints that only refer to it
  /// from below.
  public final var isPlacedByConstraints: Bool {
    attachedConstraints.contains { constraint in
      if constraint.isIntrinsic { return false }
      if constraint.owner !== self { return true }
      guard constraint.firstItem === self else { return false }
      return constraint.secondItem == nil || constraint.secondItem === self
    }
  }

  /// Requests ``layoutSubviews()`` in the next layout pass.
  public final func setNeedsLayout() {
    guard let window else {
      subviewLayout.isNeeded = true
      return
    }
    if !subviewLayout.isNeeded {
      subviewLayout.isNeeded = true
      window.queueForLayout(self)
    }
    window.setNeedsLayout()
  }

  /// Reports to the window, or keeps the diagnostic for the window that the view is added to.
  final func report(_ diagnostic: LayoutDiagnostic) {
    if let window {
      window.report(diagnostic)
    } else if unheardDiagnostics.count < 16 {
      unheardDiagnostics.append(diagnostic)
    }
  }

  /// Lays the window out now if anything has changed. Inside an animation block the changes become animations.
  ///
  /// The usual sandwich: `layoutIfNeeded()` to flush what is pending, then, inside the block, change constants and
  /// call it again.
  public final func layoutIfNeeded() {
    window?.layoutIfNeeded()
  }

  /// Requests that the area of the view is drawn again.
  public final func setNeedsDisplay() {
    if isShown { window?.invalidateDisplay(of: self) }
  }

  /// Requests that a part of the view is drawn again, in cells from its upper left corner. Subviews that stick out of the view
  /// do not count.
  public final func setNeedsDisplay(in part: CellRect) {
    if isShown { window?.invalidateDisplay(of: self, part: part) }
  }

  /// Makes the layout read ``intrinsicContentSize`` again, when what it depends on has changed.
  public final func invalidateIntrinsicContentSize() {
    updateIntrinsicConstraints()
  }

  /// How firmly the view resists becoming larger than its content, 250 unless set.
  public final func setContentHuggingPriority(_ priority: LayoutPriority, horizontal: Bool) {
    intrinsic.setHugging(priority, horizontal: horizontal)
    updateIntrinsicConstraints()
  }

  /// How firmly the view resists becoming smaller than its content, 750 unless set.
  public final func setContentCompressionResistancePriority(_ priority: LayoutPriority, horizontal: Bool) {
    intrinsic.setCompressionResistance(priority, horizontal: horizontal)
    updateIntrinsicConstraints()
  }

  final func childSizeChanged() {
    setNeedsLayout()
    invalidateIntrinsicContentSize()
  }

  /// Two inequalities for each axis the content has an opinion about; none for views placed by hand.
  final func updateIntrinsicConstraints() {
    guard window != nil else { return }
    let size = manualFrame == nil ? intrinsicContentSize : nil
    if let size, !size.width.isFinite || !size.height.isFinite {
      report(.notFinite("\(name).intrinsicContentSize"))
    }
    intrinsic.width = intrinsic.width.updated(size?.width, of: widthAnchor)
    intrinsic.height = intrinsic.height.updated(size?.height, of: heightAnchor)
  }
}

extension View {
  /// Calls `body` in each layout pass that changed this view's size: the place to change constants that depend on
  /// it. The pass goes on until nothing changes any more.
  public final func observeBounds(_ body: @escaping (View) -> Void) -> BoundsObservation {
    subviewLayout.observe(body)
  }
}

extension View {
  /// Adds a view in front of the others, and takes it out of the view that it was in.
  public final func addSubview(_ view: View) {
    insertSubview(view, at: subviews.count)
  }

  /// Inserts a view at a depth, 0 = at the back. A view with another superview is moved. One that contains
  /// this view would form a cycle, and a window's root belongs to its window: both are refused and reported.
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

  /// Has a subview drawn over the others, and hit first.
  public final func bringSubviewToFront(_ view: View) {
    guard let index = subviews.firstIndex(where: { $0 === view }) else { return }
    subviews.append(subviews.remove(at: index))
    view.setNeedsDisplay()
  }

  /// Adds a rectangle that constraints can refer to and that draws nothing.
  public final func addLayoutGuide(_ guide: LayoutGuide) {
    if let old = guide.owningView { old.removeLayoutGuide(guide) }
    layoutGuides.append(guide)
    guide.owningView = self
  }

  /// Removes a guide and the constraints that refer to it.
  public final func removeLayoutGuide(_ guide: LayoutGuide) {
    guard let index = layoutGuides.firstIndex(where: { $0 === guide }) else { return }
    LayoutConstraint.deactivate(Array(guide.attachedConstraints))
    window?.endTracks(of: guide)
    window?.engine.removeVariables(of: guide)
    layoutGuides.remove(at: index)
    guide.owningView = nil
    window?.deliverInterrupted()
  }

  /// Whether this is the view itself or somewhere in it.
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
    subviewLayout.isNeeded = true
    subviewLayout.lastPass = 0
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
