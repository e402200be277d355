extension Window {
  /// Where every view that is not hidden is on screen.
  public func snapshot() -> FrameSnapshot {
    var frames: [UInt32: CellRect] = [:]
    func visit(_ view: View) {
      if view.isHidden { return }
      frames[view.id] = view.cellFrame
      for subview in view.subviews { visit(subview) }
    }
    visit(root)
    return FrameSnapshot(time: time, frames: frames, isAnimating: isAnimating)
  }

  func makeViewID() -> UInt32 {
    nextViewID += 1
    return nextViewID
  }

  /// Has an item compared with what was last shown of it.
  func invalidate(_ item: LayoutItem) {
    guard !item.isInvalid else { return }
    item.isInvalid = true
    invalidItems.append(item)
  }

  /// What a view covers has to be drawn again.
  func invalidateDisplay(of view: View) {
    let clip = visibleArea(around: view)
    // Subviews may stick out of a view that does not clip.
    guard view.clipsToBounds || view.subviews.isEmpty else {
      damage = damage.union(clip)
      return
    }
    damage = damage.union(painted(by: view).intersection(clip))
  }

  /// What a view and everything in it may cover, clipped or not, has to be drawn again.
  func invalidateSurroundings(of view: View) { damage = damage.union(visibleArea(around: view)) }

  /// The cells that may have been or may be painted by a view, without its subviews.
  private func painted(by view: View) -> CellRect {
    let cells = view.cellFrame.union(view.shownCells)
    let hasFractions = view.edgeStyle == .eighths && (view.offset != .zero || view.shownOffset != .zero)
    return hasFractions && !cells.isEmpty ? cells.insetBy(dx: -1, dy: -1) : cells
  }

  /// What the views above let through of a view, now or when they were last shown. A view above that has moved itself
  /// counts its own cells as damage, so either is enough.
  private func visibleArea(around view: View) -> CellRect {
    var area = root.snapped.cells
    var ancestor = view.superview
    while let current = ancestor {
      if current.clipsToBounds { area = area.intersection(current.cellFrame.union(current.shownCells)) }
      ancestor = current.superview
    }
    return area
  }

  func makeFrameChange() -> FrameChange {
    for item in invalidItems {
      item.isInvalid = false
      guard let view = item as? View else { continue }
      let cells = view.cellFrame
      let edgesMove = view.edgeStyle == .eighths && view.offset != view.shownOffset
      let looksMove = edgesMove || (view.appearance?.isMoving ?? false)
      if cells != view.shownCells || looksMove, view.isShown {
        if view.appearance?.transformMoves ?? false {
          damage = root.snapped.cells
        } else {
          damage = damage.union(painted(by: view).intersection(visibleArea(around: view)))
        }
      }
      view.shownCells = cells
      view.shownOffset = view.offset
      if let appearance = view.appearance { appearance.noteShown() }
    }
    invalidItems.removeAll(keepingCapacity: true)
    let visible = damage.intersection(root.snapped.cells)
    damage = .zero
    wasStill = visible.isEmpty
    return FrameChange(time: time, damage: visible, isAnimating: isAnimating)
  }

  /// Drops everything that refers to a view that leaves, or to anything in it, in one go.
  func forgetSubtree(_ top: View) {
    let clip = visibleArea(around: top)
    var removed: [AnimationTrack] = []
    top.forEachItem { item in
      damage = damage.union(item.shownCells.intersection(clip))
      removeTracks(of: item, finished: false, into: &removed)
      item.forgetWindow()
      guard let view = item as? View else { return }
      view.appearance?.reset()
      for constraint in view.heldConstraints {
        removeTracks(of: constraint, finished: false, into: &removed)
        constraint.constantOffset = 0
        constraint.constantBeforeLayout = nil
      }
      if firstResponder === view { firstResponder = nil }
    }
    invalidItems.removeAll { !$0.isInvalid }
    unlaidConstants.removeAll { $0.constantBeforeLayout == nil }
  }
}

/// What `advance(to:)` has found: whether there is anything to draw, and whether there will be.
public struct FrameChange: Sendable, Hashable {
  public let time: MotionTime
  /// Cells that may look different from the last frame; empty when a drawing would come out the same.
  public let damage: CellRect
  public let isAnimating: Bool

  public var needsDisplay: Bool { !damage.isEmpty }
}

/// Where every view of a window is at one instant, by the views' numbers. A value to hand to other domains and to
/// compare in tests; making one allocates.
public struct FrameSnapshot: Sendable, Hashable {
  public var time: MotionTime
  public var frames: [UInt32: CellRect]
  public var isAnimating: Bool

  public init(time: MotionTime, frames: [UInt32: CellRect], isAnimating: Bool) {
    self.time = time
    self.frames = frames
    self.isAnimating = isAnimating
  }
}
