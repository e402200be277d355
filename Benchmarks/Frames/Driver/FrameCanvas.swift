import ConstraintAnimation

/// The least a canvas can be: an array of cells. What is measured beside it is the library, not a terminal.
final class FrameCanvas: CellCanvas {
  let bounds: CellRect
  var clip: CellRect
  private var cells: [UInt32]
  private var styles: [CellStyle]

  init(columns: Int, rows: Int) {
    bounds = CellRect(x0: 0, y0: 0, x1: columns, y1: rows)
    clip = bounds
    cells = Array(repeating: 0x20, count: columns * rows)
    styles = Array(repeating: .plain, count: columns * rows)
  }

  func fill(_ rect: CellRect, glyph: Unicode.Scalar, style: CellStyle) {
    let area = rect.intersection(clip)
    for y in area.y0..<area.y1 {
      for x in area.x0..<area.x1 { put(glyph.value, style, x, y) }
    }
  }

  @discardableResult
  func write(_ text: String, x: Int, y: Int, style: CellStyle) -> Int {
    var column = x
    for scalar in text.unicodeScalars {
      if clip.contains(x: column, y: y) { put(scalar.value, style, column, y) }
      column += 1
    }
    return column - x
  }

  func blit(
    _ glyphs: UnsafeBufferPointer<UInt32>, styles: UnsafeBufferPointer<CellStyle>, x: Int, y: Int
  ) {
    for index in glyphs.indices where glyphs[index] != 0 && clip.contains(x: x + index, y: y) {
      put(glyphs[index], styles[index], x + index, y)
    }
  }

  func fade(_ rect: CellRect, towards color: Color, alpha: Double) {}

  private func put(_ glyph: UInt32, _ style: CellStyle, _ x: Int, _ y: Int) {
    let index = y * bounds.x1 + x
    cells[index] = glyph
    styles[index] = style
  }
}
