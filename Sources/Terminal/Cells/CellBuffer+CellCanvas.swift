public import ConstraintAnimation

extension CellBuffer: CellCanvas {
  public var bounds: CellRect { CellRect(x0: 0, y0: 0, x1: columns, y1: rows) }

  /// Fills a rectangle with one glyph of width 1 (others become a replacement character). A `nil` background is
  /// the terminal's own.
  public func fill(_ rect: CellRect, glyph: Unicode.Scalar, style: CellStyle) {
    let target = rect.intersection(clip)
    if target.isEmpty { return }
    let cell = Cell(
      glyph: CellBuffer.single(glyph.value), foreground: CellColor(style.foreground),
      background: CellColor(style.background), attributes: style.attributes)
    for y in target.y0..<target.y1 {
      mendEdges(x0: target.x0, x1: target.x1, y: y)
      storage[y * columns + target.x0..<y * columns + target.x1].update(repeating: cell)
    }
  }

  /// Writes one row of text. Control, bidirectional and invisible characters become something to see (see
  /// `VisibleText`). A wide character that is cut by the clip leaves a space in the half that shows.
  /// - Returns: the columns the text takes, clipped or not.
  @discardableResult
  public func write(_ text: String, x: Int, y: Int, style: CellStyle) -> Int {
    guard y >= clip.y0 && y < clip.y1 && x < clip.x1 else { return VisibleText.columns(of: text) }
    let foreground = CellColor(style.foreground)
    let background = style.background.map { CellColor($0) }
    let attributes = style.attributes
    let row = y * columns
    let (left, right) = (clip.x0, clip.x1)
    var column = x
    VisibleText.forEachGlyph(of: text) { glyph, width in
      let start = column
      column += width
      guard column > left && start < right else { return }
      if width == 1 {
        put(glyph, foreground, background, attributes, x: start, row: row)
      } else if start >= left && column <= right {
        put(glyph, foreground, background, attributes, x: start, row: row, isWide: true)
      } else {
        put(0x20, foreground, background, attributes, x: max(start, left), row: row)
      }
    }
    return column - x
  }

  /// Writes ready cells of one row. Glyphs that are not one column wide become a replacement character. A `nil`
  /// background is the terminal's own.
  public func blit(
    _ glyphs: UnsafeBufferPointer<UInt32>, styles: UnsafeBufferPointer<CellStyle>, x: Int, y: Int
  ) {
    precondition(glyphs.count == styles.count, "a style for each glyph")
    guard y >= clip.y0 && y < clip.y1 else { return }
    let first = max(0, clip.x0 - x)
    let end = min(glyphs.count, clip.x1 - x)
    let row = y * columns
    var index = first
    while index < end {
      let glyph = glyphs[index]
      if glyph != 0 {
        let style = styles[index]
        let place = row + x + index
        mend(place, row: row)
        storage[place] = Cell(
          glyph: CellBuffer.single(glyph), foreground: CellColor(style.foreground),
          background: CellColor(style.background), attributes: style.attributes)
      }
      index += 1
    }
  }

  /// A glyph that surely takes one column.
  private static func single(_ glyph: UInt32) -> UInt32 {
    if glyph >= 0x20 && glyph < 0x7F || glyph >= 0x2500 && glyph < 0x25FD { return glyph }
    if glyph == 0x2800 { return 0x20 }
    if glyph > 0x2800 && glyph < 0x2900 { return glyph }
    guard Unicode.Scalar(glyph) != nil, CharacterWidth.columns(of: glyph) == 1 else { return 0xFFFD }
    return glyph
  }

  private func put(
    _ glyph: UInt32, _ foreground: CellColor, _ background: CellColor?, _ attributes: CellAttributes,
    x: Int, row: Int, isWide: Bool = false
  ) {
    let place = row + x
    mend(place, row: row)
    var cell = Cell(
      glyph: glyph, foreground: foreground, background: background ?? storage[place].background,
      attributes: attributes, isWide: isWide)
    storage[place] = cell
    guard isWide else { return }
    mend(place + 1, row: row, keepingLeft: true)
    cell.glyph = Cell.continuationGlyph
    cell.bits &= ~Cell.wideFlag
    storage[place + 1] = cell
  }

  /// Before a cell is overwritten: the other half of a wide glyph it belongs to becomes a space.
  @inline(__always)
  private func mend(_ place: Int, row: Int, keepingLeft: Bool = false) {
    let old = storage[place]
    if old.isWide && place + 1 < row + columns { storage[place + 1] = old.emptied }
    if old.isContinuation && !keepingLeft && place > row { storage[place - 1] = old.emptied }
  }

  /// The same for a whole run: only its ends can cut a glyph in two.
  private func mendEdges(x0: Int, x1: Int, y: Int) {
    let row = y * columns
    if storage[row + x0].isContinuation && x0 > 0 {
      storage[row + x0 - 1] = storage[row + x0 - 1].emptied
    }
    if storage[row + x1 - 1].isWide && x1 < columns {
      storage[row + x1] = storage[row + x1].emptied
    }
  }
}
