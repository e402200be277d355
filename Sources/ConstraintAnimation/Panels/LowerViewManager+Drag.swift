extension LowerViewManager {
  /// A recognizer that drags the pages along an axis, to be added to the host: they follow the pointer, the
  /// neighbor comes in behind, and let go they snap by distance or speed.
  public func makePanGestureRecognizer(along axis: TransitionAxis = .horizontal) -> PanGestureRecognizer {
    PanGestureRecognizer { [weak self] pan in
      guard let self else { return }
      let location = pan.location(in: nil)
      let velocity = pan.velocity(in: nil)
      let place = axis == .horizontal ? location.x : location.y
      let speed = axis == .horizontal ? velocity.dx : velocity.dy
      switch pan.state {
      case .began: self.dragBegan(at: place, along: axis)
      case .changed: self.dragMoved(to: place, velocity: speed)
      case .ended: self.dragEnded(velocity: speed)
      case .cancelled: self.dragCancelled()
      case .possible, .failed: break
      }
    }
  }

  /// Takes hold of the pages where they are on screen, at rest or in the middle of a slide.
  public func dragBegan(at location: Double, along axis: TransitionAxis) {
    guard let host, let view = pages[active]?.lowerView.view, host.window != nil else { return }
    if isSliding, style.interruption == .lock { return }
    let offset = view.presentationFrame.origin - host.presentationFrame.origin
    drag = PageDrag(
      axis: axis, offset: axis == .horizontal ? offset.dx : offset.dy,
      across: axis == .horizontal ? offset.dy : offset.dx, previous: location)
    supersedeSlide()
    for page in pages.values where page.slot != nil {
      if let view = page.lowerView.view { host.window?.cancelAnimations(of: view) }
    }
    placePages()
    host.layoutIfNeeded()
  }

  public func dragMoved(to location: Double, velocity: Double) {
    guard var moved = drag else { return }
    let step = snap.step(delta: location - moved.previous, velocity: velocity)
    moved.previous = location
    moved.offset = clamped(moved.offset + step, along: moved.axis)
    drag = moved
    bringInNeighbor(of: moved)
    placePages()
    host?.layoutIfNeeded()
  }

  public func dragEnded(velocity: Double) {
    guard let ended = drag else { return }
    var target = active
    let direction = ended.offset < 0 ? 1 : -1
    let goesOn =
      snap.isFast(velocity)
      ? (velocity < 0) == (ended.offset < 0)
      : abs(ended.offset) > length(along: ended.axis) * snap.distance
    if ended.offset != 0, goesOn, let next = neighbor(direction) { target = next }
    finishDrag(on: target)
  }

  /// Focus was lost, the window resized: back to where it was.
  public func dragCancelled() {
    if drag != nil { finishDrag(on: active) }
  }

  private func finishDrag(on target: Kind) {
    active = target
    drag = nil
    moveActiveToCenter(duration: snapDuration, curve: style.curve)
  }

  private func length(along axis: TransitionAxis) -> Double {
    guard let cells = host?.snapped.cells else { return 0 }
    return Double(axis == .horizontal ? cells.width : cells.height)
  }

  /// One page each way; half of one where there is no page to come.
  private func clamped(_ offset: Double, along axis: TransitionAxis) -> Double {
    let length = self.length(along: axis)
    let left = neighbor(1) == nil ? snap.overrun * length : length
    let right = neighbor(-1) == nil ? snap.overrun * length : length
    return min(max(offset, -left), right)
  }

  private func bringInNeighbor(of drag: PageDrag) {
    guard drag.offset != 0, let next = neighbor(drag.offset < 0 ? 1 : -1), let page = pages[next] else {
      return
    }
    let direction: SlideDirection =
      switch (drag.axis, drag.offset < 0) {
      case (.horizontal, true): .left
      case (.horizontal, false): .right
      case (.vertical, true): .up
      case (.vertical, false): .down
      }
    bringIn(next, page, direction)
  }

  /// The next page in the order, or the one before, that is still there.
  private func neighbor(_ step: Int) -> Kind? {
    let order = pages.filter { $0.value.lowerView.isIntact }.keys.sorted { $0.rawValue < $1.rawValue }
    guard let index = order.firstIndex(of: active) else { return nil }
    return order.indices.contains(index + step) ? order[index + step] : nil
  }
}
