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
    let cells = view.cellFrame.union(view.shownCells)
    // Subviews may stick out of a view that does not clip.
    damage = damage.union(view.clipsToBounds || view.subviews.isEmpty ? cells : root.snapped.cells)
  }

  func makeFrameChange() -> FrameChange {
    for item in invalidItems {
      item.isInvalid = false
      guard let view = item as? View else { continue }
      let cells = view.cellFrame
      let edgesMove = view.edgeStyle == .eighths && view.offset != view.shownOffset
      let looksMove = edgesMove || (view.appearance?.isMoving ?? false)
      if cells != view.shownCells || looksMove, view.isShown {
        damage = damage.union(view.shownCells).union(cells)
        if edgesMove { damage = damage.insetBy(dx: -1, dy: -1) }
        if view.appearance?.transformMoves ?? false { damage = root.snapped.cells }
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

  /// Drops everything that refers to a view that leaves.
  func forget(_ view: View) {
    damage = damage.union(view.shownCells)
    dropTracks(finished: false) { $0.hostView === view }
    invalidItems.removeAll { $0.hostView === view }
    view.forEachOwnItem { $0.forgetWindow() }
    if firstResponder === view { firstResponder = nil }
  }
}
