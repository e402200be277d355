import ConstraintAnimation

/// A plain area without a frame. A row of its digit shows where it ends where there are no colors.
final class Swatch: View {
  private let digit: String

  init(_ digit: String, _ hue: Color, _ palette: CommandPalette) {
    self.digit = digit
    super.init()
    identifier = digit
    tintColor = hue
    backgroundColor = palette.fill(hue)
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    guard !rect.isEmpty else { return }
    canvas.write(
      String(repeating: digit, count: rect.width), x: rect.x0, y: rect.y0 + rect.height / 2,
      style: CellStyle(foreground: presentationTintColor))
  }
}
