import ConstraintAnimation

/// The frame around plot and panel. It stands still while panels slide inside it.
final class FrameView: View {
  private let appearance: () -> Appearance
  /// Where the line between plot and panel meets the frame.
  weak var divider: View?

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
    let divided = divider?.cellFrame.y0 ?? rect.y1
    for (x, upper, lower, tee) in [
      (rect.x0, glyphs.upperLeft, glyphs.lowerLeft, glyphs.teeRight),
      (rect.x1 - 1, glyphs.upperRight, glyphs.lowerRight, glyphs.teeLeft),
    ] {
      func set(_ glyph: UInt32, _ y: Int) {
        guard let scalar = Unicode.Scalar(glyph) else { return }
        canvas.fill(CellRect(x0: x, y0: y, x1: x + 1, y1: y + 1), glyph: scalar, style: style)
      }
      set(upper, rect.y0)
      for y in rect.y0 + 1..<rect.y1 - 1 { set(y == divided ? tee : glyphs.vertical, y) }
      set(lower, rect.y1 - 1)
    }
  }
}
