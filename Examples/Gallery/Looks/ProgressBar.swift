import ConstraintAnimation

/// How far something is: a thin line, the part behind in color.
final class ProgressBar: View {
  var fraction = 0.0 {
    didSet { if fraction != oldValue { setNeedsDisplay() } }
  }

  private let palette: CommandPalette

  init(_ palette: CommandPalette) {
    self.palette = palette
    super.init()
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    guard rect.width > 0 else { return }
    let knob = min(max(Int((fraction * Double(rect.width - 1)).rounded()), 0), rect.width - 1)
    canvas.write(
      String(repeating: "━", count: knob), x: rect.x0, y: rect.y0,
      style: CellStyle(foreground: palette.accent))
    canvas.write(
      String(repeating: "─", count: rect.width - knob), x: rect.x0 + knob, y: rect.y0,
      style: CellStyle(foreground: palette.faint))
    canvas.write(
      "●", x: rect.x0 + knob, y: rect.y0, style: CellStyle(foreground: palette.accent, attributes: .bold))
  }
}
