extension Window {
  /// Draws the tree, back to front. Only cells inside the canvas's clip change: narrow it to a ``FrameChange``'s
  /// damage when the canvas still holds the last frame.
  public func draw(on canvas: any CellCanvas) {
    let clip = canvas.clip
    canvas.clip = clip.intersection(root.snapped.cells)
    draw(root, on: canvas, map: nil, backdrop: backdropColor)
    canvas.clip = clip
  }

  private func draw(_ view: View, on canvas: any CellCanvas, map outerMap: Transform?, backdrop: Color) {
    guard !view.isHidden else { return }
    let alpha = view.presentationAlpha
    guard alpha > 0 else { return }
    var map = outerMap
    if hasTransforms, let own = view.ownScreenMap(metrics) { map = outerMap.map(own.concatenating) ?? own }
    let rect = map?.cells(for: view) ?? view.layoutCells
    let clip = canvas.clip
    let visible = rect.intersection(clip)
    if visible.isEmpty, view.clipsToBounds || view.subviews.isEmpty { return }
    if view.clipsToBounds { canvas.clip = visible }
    var behind = backdrop
    if let background = view.presentationBackgroundColor {
      behind = background
      if !visible.isEmpty { canvas.fill(rect, glyph: " ", style: CellStyle(background: background)) }
    }
    if !visible.isEmpty { view.draw(in: rect, on: canvas) }
    for subview in view.subviews { draw(subview, on: canvas, map: map, backdrop: behind) }
    if alpha < 1, !visible.isEmpty { canvas.fade(visible, towards: backdrop, alpha: alpha) }
    canvas.clip = clip
  }
}
