import ConstraintAnimation

/// Ready cells of a rectangle, and texts on top of them: what a view model hands to its view.
///
/// Glyphs made here are one column wide. Texts that may come from outside, or be wide, go in as lines: they are only
/// turned into cells by the canvas, which makes control characters visible and knows widths.
struct CellPicture: Sendable, Equatable {
  /// Text at a place, cut off at a column.
  struct Line: Sendable, Hashable {
    var x: Int
    var y: Int
    var spans: [TextSpan]
    /// First column that is not written to.
    var end: Int
  }

  let width: Int
  let height: Int
  private(set) var glyphs: [UInt32]
  private(set) var styles: [CellStyle]
  var lines: [Line] = []

  init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
    glyphs = Array(repeating: 0x20, count: self.width * self.height)
    styles = Array(repeating: .plain, count: self.width * self.height)
  }

  /// Sets a cell; places outside are passed over.
  mutating func set(_ glyph: UInt32, x: Int, y: Int, style: CellStyle) {
    guard x >= 0, x < width, y >= 0, y < height else { return }
    glyphs[y * width + x] = glyph
    styles[y * width + x] = style
  }

  /// Changes the look of a cell and leaves its glyph; places outside are passed over.
  mutating func restyle(x: Int, y: Int, _ change: (CellStyle) -> CellStyle) {
    guard x >= 0, x < width, y >= 0, y < height else { return }
    styles[y * width + x] = change(styles[y * width + x])
  }

  func glyph(x: Int, y: Int) -> UInt32 { glyphs[y * width + x] }

  /// The cells row by row while a whole plot is drawn into them.
  struct Cells {
    let width: Int
    let glyphs: UnsafeMutableBufferPointer<UInt32>
    let styles: UnsafeMutableBufferPointer<CellStyle>
  }

  mutating func edit(_ body: (Cells) -> Void) {
    let width = width
    glyphs.withUnsafeMutableBufferPointer { glyphs in
      styles.withUnsafeMutableBufferPointer { styles in
        body(Cells(width: width, glyphs: glyphs, styles: styles))
      }
    }
  }

  /// Sets `count` cells of a row to one glyph.
  mutating func row(_ glyph: UInt32, x: Int, y: Int, count: Int, style: CellStyle) {
    for column in x..<max(x, x + count) { set(glyph, x: column, y: y, style: style) }
  }

  /// Writes our own text, whose characters are all one column wide.
  mutating func put(_ text: String, x: Int, y: Int, style: CellStyle) {
    for (offset, scalar) in text.unicodeScalars.enumerated() {
      set(scalar.value, x: x + offset, y: y, style: style)
    }
  }

  /// Puts another picture on top, its left edge in a column.
  mutating func paste(_ other: CellPicture, x: Int) {
    for row in 0..<min(height, other.height) {
      for column in 0..<other.width {
        let place = row * other.width + column
        set(other.glyphs[place], x: x + column, y: row, style: other.styles[place])
      }
    }
    lines += other.lines.map { line in
      var moved = line
      moved.x += x
      moved.end = min(line.end, other.width) + x
      return moved
    }
  }

  /// Draws the picture with its upper left corner at (x, y).
  func draw(on canvas: any CellCanvas, x: Int, y: Int) {
    glyphs.withUnsafeBufferPointer { glyphs in
      styles.withUnsafeBufferPointer { styles in
        for row in 0..<height {
          let cells = row * width..<(row + 1) * width
          canvas.blit(
            UnsafeBufferPointer(rebasing: glyphs[cells]),
            styles: UnsafeBufferPointer(rebasing: styles[cells]), x: x,
            y: y + row)
        }
      }
    }
    for line in lines {
      TextSpan.write(line.spans, on: canvas, x: x + line.x, y: y + line.y, end: x + min(line.end, width))
    }
  }
}
