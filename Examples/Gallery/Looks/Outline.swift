import ConstraintAnimation

/// Four corners around a place, for comparing what is drawn with where the layout has it.
final class Outline: View {
  private let style: CellStyle

  init(style: CellStyle) {
    self.style = style
    super.init()
    isUserInteractionEnabled = false
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    guard !rect.isEmpty else { return }
    canvas.write("┌", x: rect.x0, y: rect.y0, style: style)
    canvas.write("┐", x: rect.x1 - 1, y: rect.y0, style: style)
    canvas.write("└", x: rect.x0, y: rect.y1 - 1, style: style)
    canvas.write("┘", x: rect.x1 - 1, y: rect.y1 - 1, style: style)
  }
}
