extension Window {
  /// The frontmost view under a point of the window: not hidden, not clipped away, not refusing interaction.
  /// Transforms count; alpha below 0.01 makes a view as good as hidden.
  public func hitTest(_ point: Point) -> View? {
    root.hitTest(at: point, metrics: metrics)
  }
}

extension View {
  final func hitTest(at point: Point, metrics: CellMetrics) -> View? {
    guard !isHidden, isUserInteractionEnabled, presentationAlpha > 0.01 else { return nil }
    var inLayout = point
    if let map = ownScreenMap(metrics) {
      guard let inverse = map.inverted else { return nil }
      // The middle of the cell, so that a turn does not carry the point over an edge it only touches.
      let middle = Point(x: point.x.rounded(.down) + 0.5, y: point.y.rounded(.down) + 0.5)
      inLayout = inverse.apply(to: middle)
    }
    guard contains(inLayout) else { return nil }
    for subview in subviews.reversed() {
      if let hit = subview.hitTest(at: inLayout, metrics: metrics) { return hit }
    }
    return self
  }
}
