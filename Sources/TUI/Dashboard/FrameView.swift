import ConstraintAnimation

/// The frame around plots and panel. It stands still while panels slide inside it.
final class FrameView: View {
  private let appearance: () -> Appearance
  /// Where the line between plot and panel meets the frame, and what stands to the left of it.
  weak var panel: View?
  /// The plot to the right of the first one.
  weak var second: View?

  init(appearance: @escaping () -> Appearance) {
    self.appearance = appearance
    super.init()
    identifier = "frame"
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    guard rect.width > 1, rect.height > 1 else { return }
    let appearance = appearance()
    let glyphs = appearance.glyphs
    let style = appearance(.faint)
    func set(_ glyph: UInt32, _ x: Int, _ y: Int) {
      guard let scalar = Unicode.Scalar(glyph) else { return }
      canvas.fill(CellRect(x0: x, y0: y, x1: x + 1, y1: y + 1), glyph: scalar, style: style)
    }
    let divided = panel?.cellFrame ?? rect
    let isBelow = divided.y0 > rect.y0
    for (x, upper, lower, tee) in [
      (rect.x0, glyphs.upperLeft, glyphs.lowerLeft, glyphs.teeRight),
      (rect.x1 - 1, glyphs.upperRight, glyphs.lowerRight, glyphs.teeLeft),
    ] {
      set(upper, x, rect.y0)
      // A panel on its way between the two places meets the right edge only.
      let meets = isBelow && (x > rect.x0 || divided.x0 <= rect.x0 + 1)
      for y in rect.y0 + 1..<rect.y1 - 1 { set(meets && y == divided.y0 ? tee : glyphs.vertical, x, y) }
      set(lower, x, rect.y1 - 1)
    }
    for view in [panel, second].compactMap({ $0?.cellFrame }) {
      let x = view.x0 - 1
      guard view.width > 0, x > rect.x0, x < rect.x1 - 1 else { continue }
      set(glyphs.teeDown, x, view.y0)
      for y in view.y0 + 1..<max(view.y0 + 1, min(view.y1, rect.y1)) { set(glyphs.vertical, x, y) }
    }
  }
}
