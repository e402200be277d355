import ConstraintAnimation

/// Lines of text. Changing the text asks for a new drawing of what the label covers, and of nothing else.
final class Label: View {
  enum Alignment {
    case leading, center, trailing
  }

  var text: String {
    didSet { if text != oldValue { setNeedsDisplay() } }
  }

  var style: CellStyle
  var alignment = Alignment.leading

  init(_ text: String = "", style: CellStyle) {
    self.text = text
    self.style = style
    super.init()
    isUserInteractionEnabled = false
  }

  override func draw(in rect: CellRect, on canvas: any CellCanvas) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (line, y) in zip(lines, rect.y0..<rect.y1) {
      let slack = max(0, rect.width - line.count)
      let shift =
        switch alignment {
        case .leading: 0
        case .center: slack / 2
        case .trailing: slack
        }
      canvas.write(String(line), x: rect.x0 + shift, y: y, width: rect.width - shift, style: style)
    }
  }
}
