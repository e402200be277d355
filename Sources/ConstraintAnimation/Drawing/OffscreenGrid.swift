/// Cells in memory: what a turned view is drawn into before its cells are put where the turn takes them.
///
/// Keeps its storage, so that drawing the same view again allocates nothing.
final class OffscreenGrid: CellCanvas {
  private(set) var bounds = CellRect.zero
  var clip = CellRect.zero
  /// 0 = nothing has been drawn here.
  private var glyphs: [UInt32] = []
  private var styles: [CellStyle] = []
  private var rowGlyphs: [UInt32] = []
  private var rowStyles: [CellStyle] = []

  /// Empties the grid and lays it over `area`, which may lie anywhere.
  func begin(over area: CellRect) {
    bounds = area
    clip = area
    let count = area.width * area.height
    if glyphs.count < count {
      glyphs = Array(repeating: 0, count: count)
      styles = Array(repeating: .plain, count: count)
    }
    for index in 0..<count {
      glyphs[index] = 0
      styles[index] = .plain
    }
  }

  func fill(_ rect: CellRect, glyph: Unicode.Scalar, style: CellStyle) {
    let area = rect.intersection(clip).intersection(bounds)
    for y in area.y0..<area.y1 {
      for x in area.x0..<area.x1 { put(glyph.value, style, x: x, y: y) }
    }
  }

  @discardableResult
  func write(_ text: String, x: Int, y: Int, style: CellStyle) -> Int {
    var column = x
    for character in text {
      guard let scalar = character.unicodeScalars.first else { continue }
      let width = scalar.gridWidth
      if width == 0 { continue }
      // A wide glyph cannot be cut in two by a turn: it is shown as a placeholder and a blank.
      put(scalar.isUnsafe ? 0xFFFD : width == 2 ? 0x25AF : scalar.value, keeping: style, x: column, y: y)
      if width == 2 { put(0x20, keeping: style, x: column + 1, y: y) }
      column += width
    }
    return column - x
  }

  func blit(
    _ glyphs: UnsafeBufferPointer<UInt32>, styles: UnsafeBufferPointer<CellStyle>, x: Int, y: Int
  ) {
    for index in glyphs.indices where glyphs[index] != 0 {
      put(glyphs[index], styles[index], x: x + index, y: y)
    }
  }

  func fade(_ rect: CellRect, towards color: Color, alpha: Double) {
    let area = rect.intersection(clip).intersection(bounds)
    for y in area.y0..<area.y1 {
      for x in area.x0..<area.x1 {
        let index = index(x: x, y: y)
        styles[index].foreground = styles[index].foreground.map { color.blended(with: $0, fraction: alpha) }
        styles[index].background = styles[index].background.map { color.blended(with: $0, fraction: alpha) }
      }
    }
  }

  /// Puts the cells on `canvas` where `map` takes them: each cell of `target` shows the one its middle came from.
  func sample(to canvas: any CellCanvas, target: CellRect, map: Transform) {
    guard let inverse = map.inverted else { return }
    let area = target.intersection(canvas.clip)
    guard !area.isEmpty else { return }
    if rowGlyphs.count < area.width {
      rowGlyphs = Array(repeating: 0, count: area.width)
      rowStyles = Array(repeating: .plain, count: area.width)
    }
    for y in area.y0..<area.y1 {
      for x in area.x0..<area.x1 {
        let source = inverse.apply(to: Point(x: Double(x) + 0.5, y: Double(y) + 0.5))
        // An exact quarter turn puts middles on middles; the last bit must not decide the cell.
        let column = CellRect.bounded((source.x + 1e-9).rounded(.down))
        let row = CellRect.bounded((source.y + 1e-9).rounded(.down))
        if bounds.contains(x: column, y: row) {
          rowGlyphs[x - area.x0] = glyphs[index(x: column, y: row)]
          rowStyles[x - area.x0] = styles[index(x: column, y: row)]
        } else {
          rowGlyphs[x - area.x0] = 0
        }
      }
      rowGlyphs.withUnsafeBufferPointer { glyphs in
        rowStyles.withUnsafeBufferPointer { styles in
          canvas.blit(
            UnsafeBufferPointer(rebasing: glyphs[..<area.width]),
            styles: UnsafeBufferPointer(rebasing: styles[..<area.width]), x: area.x0, y: y)
        }
      }
    }
  }

  private func put(_ glyph: UInt32, keeping style: CellStyle, x: Int, y: Int) {
    guard clip.contains(x: x, y: y), bounds.contains(x: x, y: y) else { return }
    var merged = style
    if merged.background == nil { merged.background = styles[index(x: x, y: y)].background }
    put(glyph, merged, x: x, y: y)
  }

  private func put(_ glyph: UInt32, _ style: CellStyle, x: Int, y: Int) {
    guard clip.contains(x: x, y: y), bounds.contains(x: x, y: y) else { return }
    let index = index(x: x, y: y)
    glyphs[index] = glyph
    styles[index] = style
  }

  private func index(x: Int, y: Int) -> Int { (y - bounds.y0) * bounds.width + x - bounds.x0 }
}

extension Unicode.Scalar {
  /// Characters that would move the cursor or turn the writing direction.
  var isUnsafe: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }

  /// Columns on a grid: 0 for marks that join what is before, 2 for East Asian and emoji, else 1.
  var gridWidth: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
