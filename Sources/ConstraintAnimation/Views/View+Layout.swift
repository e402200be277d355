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

  /// Has ``layoutSubviews()`` called in the next layout pass.
  public final func setNeedsLayout() {
    guard let window else {
      needsLayoutSubviews = true
      return
    }
    if !needsLayoutSubviews {
      needsLayoutSubviews = true
      window.viewsToLayOut.insert(self)
    }
    window.setNeedsLayout()
  }

  /// Tells the window, or keeps it for the one the view comes into.
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

  /// Asks for a new drawing of what the view covers.
  public final func setNeedsDisplay() {
    if isShown { window?.invalidateDisplay(of: self) }
  }

  public final func invalidateIntrinsicContentSize() {
    updateIntrinsicConstraints()
  }

  /// How firmly the view resists becoming larger than its content, 250 unless set.
  public final func setContentHuggingPriority(_ priority: LayoutPriority, horizontal: Bool) {
    if horizontal { intrinsic.huggingX = priority } else { intrinsic.huggingY = priority }
    updateIntrinsicConstraints()
  }

  /// How firmly the view resists becoming smaller than its content, 750 unless set.
  public final func setContentCompressionResistancePriority(_ priority: LayoutPriority, horizontal: Bool) {
    if horizontal { intrinsic.compressionX = priority } else { intrinsic.compressionY = priority }
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
    let horizontal = size.flatMap { $0.width >= 0 && $0.width.isFinite ? $0.width : nil }
    let vertical = size.flatMap { $0.height >= 0 && $0.height.isFinite ? $0.height : nil }
    intrinsic.width = update(
      intrinsic.width, widthAnchor, to: horizontal, intrinsic.huggingX, intrinsic.compressionX)
    intrinsic.height = update(
      intrinsic.height, heightAnchor, to: vertical, intrinsic.huggingY, intrinsic.compressionY)
  }

  private func update(
    _ old: [LayoutConstraint], _ anchor: LayoutAnchor<DimensionKind>, to length: Double?,
    _ hugging: LayoutPriority, _ compression: LayoutPriority
  ) -> [LayoutConstraint] {
    guard let length else {
      LayoutConstraint.deactivate(old)
      return []
    }
    if old.isEmpty {
      let fresh = [
        anchor.constraint(lessThanOrEqualToConstant: length).with(priority: hugging),
        anchor.constraint(greaterThanOrEqualToConstant: length).with(priority: compression),
      ]
      for constraint in fresh {
        constraint.isIntrinsic = true
        constraint.isActive = true
      }
      return fresh
    }
    for (constraint, priority) in zip(old, [hugging, compression]) {
      constraint.constant = length
      constraint.priority = priority
    }
    return old
  }
}
