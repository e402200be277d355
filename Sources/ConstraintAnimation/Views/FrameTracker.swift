/// What may differ between the screen and the last frame. Only this file changes it.
struct FrameTracker {
  /// The last frame came out like the one before.
  fileprivate(set) var wasStill = false
  /// Some view has or had a transform: only then is it looked for.
  fileprivate(set) var hasTransforms = false

  /// Items to be compared with what was last shown of them.
  fileprivate var invalidItems: [LayoutItem] = []
  fileprivate var damage = CellRegion()

  /// Something may have to be drawn.
  var hasChanges: Bool { !damage.isEmpty || !invalidItems.isEmpty }

  /// These cells, and nothing else, have to be drawn again.
  mutating func reset(to cells: CellRect) { damage = CellRegion(cells) }

  mutating func recordTransform(in cells: CellRect) {
    hasTransforms = true
    damage = CellRegion(cells)
  }
}

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

  /// Has an item compared with what was last shown of it.
  func invalidate(_ item: LayoutItem) {
    guard !item.shown.isOutdated else { return }
    item.shown.isOutdated = true
    frames.invalidItems.append(item)
  }

  /// What a view covers has to be drawn again.
  func invalidateDisplay(of view: View) {
    let clip = visibleArea(around: view)
    // Subviews may stick out of a view that does not clip.
    guard view.clipsToBounds || view.subviews.isEmpty else {
      frames.damage.insert(clip)
      return
    }
    frames.damage.insert(painted(by: view).intersection(clip))
  }

  /// A part of what a view covers has to be drawn again.
  /// - Parameter part: relative to the view's upper left corner.
  func invalidateDisplay(of view: View, part: CellRect) {
    let cells = view.cellFrame
    // A view that has moved is drawn again as a whole, and where a turned one shows a part is not known.
    guard !frames.hasTransforms, cells == view.shown.cells else { return invalidateDisplay(of: view) }
    let visible = part.offsetBy(dx: cells.x0, dy: cells.y0).intersection(cells)
    frames.damage.insert(visible.intersection(visibleArea(around: view)))
  }

  /// What a view and everything in it may cover, clipped or not, has to be drawn again.
  func invalidateSurroundings(of view: View) {
    frames.damage.insert(visibleArea(around: view))
  }

  /// The cells that may have been or may be painted by a view, without its subviews.
  private func painted(by view: View) -> CellRect {
    let cells = view.cellFrame.union(view.shown.cells)
    let hasFractions = view.edgeStyle == .eighths && (view.offset != .zero || view.shown.offset != .zero)
    return hasFractions && !cells.isEmpty ? cells.insetBy(dx: -1, dy: -1) : cells
  }

  /// What the views above let through of a view, now or when they were last shown. A view above that has moved itself
  /// counts its own cells as damage, so either is enough.
  private func visibleArea(around view: View) -> CellRect {
    var area = root.snapped.cells
    var ancestor = view.superview
    while let current = ancestor {
      if current.clipsToBounds { area = area.intersection(current.cellFrame.union(current.shown.cells)) }
      ancestor = current.superview
    }
    return area
  }

  func makeFrameChange() -> FrameChange {
    for item in frames.invalidItems {
      item.shown.isOutdated = false
      guard let view = item as? View else { continue }
      let cells = view.cellFrame
      let edgesMove = view.edgeStyle == .eighths && view.offset != view.shown.offset
      let looksMove = edgesMove || (view.appearance?.isMoving ?? false)
      if cells != view.shown.cells || looksMove, view.isShown {
        if view.appearance?.transformMoves ?? false {
          frames.damage = CellRegion(root.snapped.cells)
        } else {
          frames.damage.insert(painted(by: view).intersection(visibleArea(around: view)))
        }
      }
      view.shown.cells = cells
      view.shown.offset = view.offset
      if let appearance = view.appearance { appearance.recordShown() }
    }
    frames.invalidItems.removeAll(keepingCapacity: true)
    let visible = frames.damage.intersection(root.snapped.cells)
    frames.damage.removeAll()
    frames.wasStill = visible.isEmpty
    return FrameChange(time: time, damage: visible, isAnimating: isAnimating)
  }

  /// Drops all references to a view that is removed and to its subtree.
  func forgetSubtree(_ top: View) {
    let clip = visibleArea(around: top)
    var removed: [AnimationTrack] = []
    top.forEachItem { item in
      frames.damage.insert(item.shown.cells.intersection(clip))
      timeline.removeTracks(of: item, finished: false, into: &removed)
      item.forgetWindow()
      guard let view = item as? View else { return }
      view.appearance?.reset()
      for constraint in view.heldConstraints {
        timeline.removeTracks(of: constraint, finished: false, into: &removed)
        constraint.constantOffset = 0
        constraint.constantBeforeLayout = nil
      }
      if firstResponder === view { firstResponder = nil }
    }
    frames.invalidItems.removeAll { !$0.shown.isOutdated }
    forgetUnlaidConstants()
  }
}

/// The result of `advance(to:)`: what to draw, and whether anything is animating.
public struct FrameChange: Sendable, Hashable {
  public let time: MotionTime
  /// Cells that may look different from the last frame; empty when a drawing would come out the same.
  public let damage: CellRegion
  public let isAnimating: Bool

  public var needsDisplay: Bool { !damage.isEmpty }
}

/// The frames of all views of a window at one instant, by view number. A value to pass to other domains and to
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

/// What a window last drew of an item.
struct ShownFrame {
  var cells = CellRect.zero
  /// The animations' offset, for views whose edges may lie between cells.
  var offset = SIMD4<Double>.zero
  /// Queued for a comparison with the present frame.
  var isOutdated = false
}
