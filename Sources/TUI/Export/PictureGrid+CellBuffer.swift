import ConstraintAnimation
import Formats
import Terminal

extension PictureGrid {
  /// The cells of a screen with the colors that the terminal shows them in.
  init(_ buffer: CellBuffer, title: String) {
    self.init(columns: buffer.columns, rows: buffer.rows)
    self.title = title
    standardForeground = PictureColor(buffer.assumedForeground, .trueColor)
    standardBackground = PictureColor(buffer.assumedBackground, .trueColor)
    for y in 0..<buffer.rows {
      for x in 0..<buffer.columns {
        let cell = buffer[x, y]
        self[x, y] = Cell(text: cell.text, style: PictureStyle(cell.style, buffer.colors))
      }
    }
  }
}

extension PictureStyle {
  fileprivate init(_ style: CellStyle, _ profile: ColorProfile) {
    self.init()
    foreground = style.foreground.map { PictureColor($0, profile) } ?? .standard
    background = style.background.map { PictureColor($0, profile) } ?? .standard
    isBold = style.attributes.contains(.bold)
    isDim = style.attributes.contains(.dim)
    isItalic = style.attributes.contains(.italic)
    isUnderlined = style.attributes.contains(.underline)
    isReversed = style.attributes.contains(.reverse)
  }
}

extension PictureColor {
  fileprivate init(_ color: Color, _ profile: ColorProfile) {
    switch profile.shown(color) {
    case .exact(let color): self = .rgb(red: color.red, green: color.green, blue: color.blue)
    case .indexed(let index): self = .indexed(index)
    case nil: self = .standard
    }
  }
}
