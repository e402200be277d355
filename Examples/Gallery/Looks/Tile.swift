import ConstraintAnimation

/// An area in one hue with a thin frame and a title: what most screens move about.
final class Tile: View {
  var title: String {
    didSet { if title != oldValue { setNeedsDisplay() } }
  }

  /// Text in the middle.
  var caption = "" {
    didSet { if caption != oldValue { setNeedsDisplay() } }
  }

  let palette: CommandPalette

  /// Draws inside the frame.
  var content: ((_ area: CellRect, _ canvas: any CellCanvas) -> Void)?

  init(
    _ title: String, _ hue: Color, _ palette: CommandPalette,
    content: ((CellRect, any CellCanvas) -> Void)? = nil
  ) {
    self.title = title
    self.palette = palette
    self.content = content
    super.init()
    identifier = title
    tintColor = hue
    backgroundColor = palette.fill(hue)
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    let ink = CellStyle(foreground: presentationTintColor)
    canvas.box(rect, style: ink)
    let isFramed = rect.width > 1 && rect.height > 1
    let titleRow = isFramed ? rect.y0 : rect.y0 + rect.height / 2
    if !title.isEmpty, rect.height > 0 {
      canvas.write(
        isFramed ? " \(title) " : title, x: rect.x0 + (isFramed ? 1 : 0), y: titleRow,
        width: rect.width - (isFramed ? 2 : 0),
        style: CellStyle(foreground: presentationTintColor, attributes: .bold))
    }
    guard isFramed else { return }
    let inside = rect.insetBy(dx: 1, dy: 1)
    content?(inside, canvas)
    let lines = caption.split(separator: "\n", omittingEmptySubsequences: false)
    let top = inside.y0 + (inside.height - lines.count) / 2
    for (index, line) in lines.enumerated() where inside.contains(x: inside.x0, y: top + index) {
      canvas.write(
        String(line), x: inside.x0 + max(0, (inside.width - line.count) / 2), y: top + index,
        width: inside.width, style: CellStyle(foreground: palette.text))
    }
  }
}
