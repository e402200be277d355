extension View {
  /// Whole cells on screen at the window's time, with the transforms of the view and of those above it; for a turned
  /// view the cells its corners enclose.
  public final var cellFrame: CellRect {
    guard let window, window.frames.hasTransforms, let map = screenMap(window.metrics) else {
      return layoutCells
    }
    return map.cells(for: self)
  }

  /// The map from layout to screen coordinates; nil when neither the view nor a superview is transformed.
  final func screenMap(_ metrics: CellMetrics) -> Transform? {
    var map: Transform?
    var view: View? = self
    while let current = view {
      if let own = current.ownScreenMap(metrics) { map = map?.concatenating(own) ?? own }
      view = current.superview
    }
    return map
  }

  /// The view's own transform about its center on screen, in cells; nil for the identity.
  final func ownScreenMap(_ metrics: CellMetrics) -> Transform? {
    let transform = presentationTransform
    if transform.isIdentity { return nil }
    let edges = snapped.values + offset
    guard rotationStyle == .quarterTurns, !transform.isAxisAligned else {
      return transform.inCells(about: Edges(edges).center, metrics: metrics)
    }
    return quarterTurn(of: transform, edges: edges)
  }

  /// The nearest quarter turn, aligned to whole cells.
  private func quarterTurn(of transform: Transform, edges: SIMD4<Double>) -> Transform {
    let angle = TransformComponents(transform).values[2]
    let turns = Int((angle / (Double.pi / 2)).rounded()) & 3
    let (cosine, sine) = [(1.0, 0.0), (0, 1), (-1, 0), (0, -1)][turns]
    let center = Edges(edges).center
    var map = Transform(a: cosine, b: sine, c: -sine, d: cosine)
    let turned = map.apply(to: center)
    map.tx = center.x - turned.x + transform.tx
    map.ty = center.y - turned.y + transform.ty
    let corner = map.apply(to: Point(x: edges.x.rounded(.down), y: edges.y.rounded(.down)))
    map.tx += Edges.snap(corner.x) - corner.x
    map.ty += Edges.snap(corner.y) - corner.y
    return map
  }

  /// A window point in the layout's coordinates of this view: with all transforms undone.
  final func layoutPoint(of point: Point) -> Point {
    guard let window, window.frames.hasTransforms, let map = screenMap(window.metrics) else { return point }
    return map.inverted?.apply(to: point) ?? point
  }

  /// A point in this view's coordinates (origin at its upper left, transforms undone) in those of another view, or
  /// of the window for nil.
  public final func convert(_ point: Point, to other: View?) -> Point {
    var onScreen = Point(x: point.x + presentationFrame.minX, y: point.y + presentationFrame.minY)
    if let window, let map = screenMap(window.metrics) { onScreen = map.apply(to: onScreen) }
    guard let other else { return onScreen }
    return other.convertFromWindow(onScreen)
  }

  /// A window point in this view's coordinates.
  public final func convertFromWindow(_ point: Point) -> Point {
    let inLayout = layoutPoint(of: point)
    return Point(x: inLayout.x - presentationFrame.minX, y: inLayout.y - presentationFrame.minY)
  }

  /// A point in another view's coordinates, or the window's for nil, in this view's.
  public final func convert(_ point: Point, from other: View?) -> Point {
    convertFromWindow(other?.convert(point, to: nil) ?? point)
  }

  /// A rectangle in this view's coordinates in those of another view, or of the window for nil. Between views that are
  /// turned against each other it is the smallest upright one that holds all four corners.
  public final func convert(_ rect: Rect, to other: View?) -> Rect {
    Rect(around: rect.corners.map { convert($0, to: other) })
  }

  /// A rectangle in another view's coordinates, or the window's for nil, in this view's.
  public final func convert(_ rect: Rect, from other: View?) -> Rect {
    Rect(around: rect.corners.map { convert($0, from: other) })
  }
}

extension Rect {
  fileprivate var corners: [Point] {
    [
      Point(x: minX, y: minY), Point(x: maxX, y: minY), Point(x: minX, y: maxY), Point(x: maxX, y: maxY),
    ]
  }

  fileprivate init(around corners: [Point]) {
    let left = corners.map(\.x).min() ?? 0
    let top = corners.map(\.y).min() ?? 0
    self.init(
      x: left, y: top, width: (corners.map(\.x).max() ?? 0) - left,
      height: (corners.map(\.y).max() ?? 0) - top)
  }
}

extension Transform {
  var isTranslation: Bool { isAxisAligned && a == 1 && d == 1 }

  /// Where the item's layout cells come to lie. A translation is rounded once, so that the parts of what it moves
  /// keep their distances.
  func cells(for item: LayoutItem) -> CellRect {
    if isTranslation {
      return item.layoutCells.offsetBy(
        dx: CellRect.bounded(Edges.snap(tx)), dy: CellRect.bounded(Edges.snap(ty)))
    }
    let edges = item.snapped.values + item.offset
    let corners = [
      apply(to: Point(x: edges.x, y: edges.y)), apply(to: Point(x: edges.z, y: edges.y)),
      apply(to: Point(x: edges.x, y: edges.w)), apply(to: Point(x: edges.z, y: edges.w)),
    ]
    let bounds = corners.reduce(
      SIMD4(Double.infinity, .infinity, -.infinity, -.infinity)
    ) { bounds, corner in
      SIMD4(
        min(bounds.x, corner.x), min(bounds.y, corner.y), max(bounds.z, corner.x), max(bounds.w, corner.y))
    }
    return CellRect(whole: Edges.snap(bounds))
  }
}

extension CellRect {
  /// A whole number as an integer, clamped so that the conversion cannot trap.
  static func bounded(_ whole: Double) -> Int { whole == whole ? Int(min(max(whole, -1e9), 1e9)) : 0 }
}

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

/// Where a view's background ends.
public enum EdgeStyle: Sendable, Hashable {
  case wholeCells
  /// A moving vertical edge is drawn with eighths of a column, a moving horizontal one with eighths of a row.
  case eighths
}

/// How a rotated view is drawn on the cell grid.
public enum RotationStyle: Sendable, Hashable {
  /// Each cell on screen shows the cell of the unrotated view that it falls on: for pictures and plots.
  case sampled
  /// The angle is rounded to quarter turns and cells are moved one to one, so that text stays whole.
  case quarterTurns
}
