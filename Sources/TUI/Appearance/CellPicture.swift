import ConstraintAnimation

/// Cells of a rectangle with lines of text above them: the output of a view model for its view.
///
/// Glyphs set directly are one column wide. Texts that may come from outside or be wide are kept as lines; the canvas turns
/// them into cells, escapes control characters and measures widths.
struct CellPicture: Sendable, Equatable {
  /// Text at a position, cut off at a column.
  struct Line: Sendable, Hashable {
    var x: Int
    var y: Int
    var spans: [TextSpan]
    /// First column after the text's limit.
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

  /// Sets a cell; positions outside are ignored.
  mutating func set(_ glyph: UInt32, x: Int, y: Int, style: CellStyle) {
    guard x >= 0, x < width, y >= 0, y < height else { return }
    glyphs[y * width + x] = glyph
    styles[y * width + x] = style
  }

  /// Changes the style of a cell and keeps its glyph; positions outside are ignored.
  mutating func restyle(x: Int, y: Int, _ change: (CellStyle) -> CellStyle) {
    guard x >= 0, x < width, y >= 0, y < height else { return }
    styles[y * width + x] = change(styles[y * width + x])
  }

  func glyph(x: Int, y: Int) -> UInt32 { glyphs[y * width + x] }

  /// The background of a cell; `nil` for the terminal's own and outside.
  func background(x: Int, y: Int) -> Color? {
    guard x >= 0, x < width, y >= 0, y < height else { return nil }
    return styles[y * width + x].background
  }

  /// Calls `body` with the cells, row by row.
  struct Cells {
    let width: Int
    let glyphs: UnsafeMutableBufferPointer<UInt32>
    let styles: UnsafeMutableBufferPointer<CellStyle>

    /// Copies some cells that follow each other, from the same picture or from another one.
    fileprivate func copy(
      _ count: Int, from glyphs: UnsafeBufferPointer<UInt32>, _ styles: UnsafeBufferPointer<CellStyle>,
      at from: Int, to place: Int
    ) {
      guard let glyph = glyphs.baseAddress, let style = styles.baseAddress else { return }
      self.glyphs.baseAddress?.advanced(by: place).update(from: glyph + from, count: count)
      self.styles.baseAddress?.advanced(by: place).update(from: style + from, count: count)
    }
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

  /// Writes text whose characters are all one column wide; not for text from outside.
  mutating func put(_ text: String, x: Int, y: Int, style: CellStyle) {
    for (offset, scalar) in text.unicodeScalars.enumerated() {
      set(scalar.value, x: x + offset, y: y, style: style)
    }
  }

  /// Writes text in the center; its characters are one column wide.
  mutating func putCentered(_ text: String, style: CellStyle) {
    put(text, x: max(1, (width - text.unicodeScalars.count) / 2), y: max(1, height / 2), style: style)
  }

  /// Draws another picture above this one, with its upper left corner in a cell.
  mutating func paste(_ other: CellPicture, x: Int, y: Int = 0) {
    paste(other, part: CellRect(x0: 0, y0: 0, x1: other.width, y1: other.height), x: x, y: y)
    pasteLines(of: other, x: x, y: y)
  }

  /// Draws the cells of a part of another picture above this one.
  /// - Parameters:
  ///   - part: in cells of the other picture.
  ///   - x: where the other picture's upper left corner is.
  mutating func paste(_ other: CellPicture, part: CellRect, x: Int, y: Int) {
    let part = part.intersection(CellRect(x0: 0, y0: 0, x1: other.width, y1: other.height))
      .intersection(CellRect(x0: -x, y0: -y, x1: width - x, y1: height - y))
    guard !part.isEmpty else { return }
    edit { cells in
      other.glyphs.withUnsafeBufferPointer { glyphs in
        other.styles.withUnsafeBufferPointer { styles in
          for row in part.y0..<part.y1 {
            let from = row * other.width + part.x0
            let to = (y + row) * cells.width + x + part.x0
            cells.copy(part.width, from: glyphs, styles, at: from, to: to)
          }
        }
      }
    }
  }

  /// Moves the cells of a part to the left, or to the right by a negative number. Those at its other end stay as they are.
  mutating func shift(_ part: CellRect, left distance: Int) {
    let part = part.intersection(CellRect(x0: 0, y0: 0, x1: width, y1: height))
    let count = part.width - abs(distance)
    guard distance != 0, count > 0 else { return }
    edit { cells in
      for row in part.y0..<part.y1 {
        let first = row * cells.width + part.x0
        cells.copy(
          count, from: UnsafeBufferPointer(cells.glyphs), UnsafeBufferPointer(cells.styles),
          at: first + max(0, distance), to: first + max(0, -distance))
      }
    }
  }

  /// Copies the lines of text of another picture.
  mutating func pasteLines(of other: CellPicture, x: Int, y: Int) {
    lines += other.lines.map { line in
      var moved = line
      moved.x += x
      moved.y += y
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
