extension Window {
  /// Draws the tree, back to front. Only cells inside the canvas's clip change: narrow it to a ``FrameChange``'s
  /// damage when the canvas still holds the last frame.
  public func draw(on canvas: any CellCanvas) {
    let clip = canvas.clip
    canvas.clip = clip.intersection(root.snapped.cells)
    renderer.draw(
      root, on: canvas, metrics: frames.hasTransforms ? metrics : nil, map: nil, backdrop: backdropColor,
      depth: 0)
    canvas.clip = clip
  }
}

/// Draws views, and keeps the grids in which turned ones are drawn upright.
final class Renderer {
  /// One for each level of turned views inside turned views.
  private var offscreens: [OffscreenGrid] = []

  /// - Parameter metrics: nil when no view has a transform.
  func draw(
    _ view: View, on canvas: any CellCanvas, metrics: CellMetrics?, map outerMap: Transform?, backdrop: Color,
    depth: Int
  ) {
    guard !view.isHidden, view.presentationAlpha > 0 else { return }
    guard let metrics, let own = view.ownScreenMap(metrics) else {
      drawContent(of: view, on: canvas, metrics: metrics, map: outerMap, backdrop: backdrop, depth: depth)
      return
    }
    let map = outerMap.map(own.concatenating) ?? own
    if own.isUpright {
      drawContent(of: view, on: canvas, metrics: metrics, map: map, backdrop: backdrop, depth: depth)
    } else {
      drawTurned(view, on: canvas, metrics: metrics, map: map, backdrop: backdrop, depth: depth)
    }
  }

  private func drawContent(
    of view: View, on canvas: any CellCanvas, metrics: CellMetrics?, map: Transform?, backdrop: Color,
    depth: Int
  ) {
    let rect = map?.cells(for: view) ?? view.layoutCells
    let clip = canvas.clip
    let alpha = view.presentationAlpha
    let covered = view.edgeStyle == .eighths ? rect.insetBy(dx: -1, dy: -1) : rect
    let visible = covered.intersection(clip)
    if visible.isEmpty, view.clipsToBounds || view.subviews.isEmpty { return }
    var behind = backdrop
    if let background = view.presentationBackgroundColor {
      behind = background
      if view.edgeStyle == .eighths, map == nil {
        EighthEdges.fill(
          view.snapped.values + view.offset, color: background, behind: backdrop, on: canvas)
      } else {
        canvas.fill(rect, glyph: " ", style: CellStyle(background: background))
      }
    }
    if view.clipsToBounds { canvas.clip = rect.intersection(clip) }
    if !visible.isEmpty { view.draw(in: rect, on: canvas) }
    for subview in view.subviews {
      draw(subview, on: canvas, metrics: metrics, map: map, backdrop: behind, depth: depth)
    }
    if alpha < 1, !visible.isEmpty { canvas.fade(rect.intersection(clip), towards: backdrop, alpha: alpha) }
    canvas.clip = clip
  }

  /// Draws the view unrotated into memory and copies its cells to their rotated positions. What exceeds the
  /// view's bounds is clipped.
  private func drawTurned(
    _ view: View, on canvas: any CellCanvas, metrics: CellMetrics?, map: Transform, backdrop: Color,
    depth: Int
  ) {
    let target = map.cells(for: view)
    guard !target.intersection(canvas.clip).isEmpty else { return }
    if offscreens.count <= depth { offscreens.append(OffscreenGrid()) }
    let grid = offscreens[depth]
    grid.begin(over: view.layoutCells.clampedArea)
    drawContent(of: view, on: grid, metrics: metrics, map: nil, backdrop: backdrop, depth: depth + 1)
    grid.sample(to: canvas, target: target, map: map)
  }
}

extension CellRect {
  /// At most a million cells: a view that large is not drawn whole into memory.
  fileprivate var clampedArea: CellRect {
    CellRect(x0: x0, y0: y0, x1: min(x1, x0 + 1000), y1: min(y1, y0 + 1000))
  }
}
