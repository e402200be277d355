import ConstraintAnimation

/// A canvas in memory: a grid of glyphs and styles that can be compared with a drawing in a test.
public final class TextCanvas: CellCanvas {
  public let bounds: CellRect
  public var clip: CellRect
  public private(set) var glyphs: [Unicode.Scalar]
  public private(set) var styles: [CellStyle]

  public init(columns: Int, rows: Int) {
    bounds = CellRect(x0: 0, y0: 0, x1: max(0, columns), y1: max(0, rows))
    clip = bounds
    glyphs = Array(repeating: " ", count: bounds.width * bounds.height)
    styles = Array(repeating: .plain, count: glyphs.count)
  }

  /// Blank everywhere, clip and all.
  public func clear() {
    clip = bounds
    for index in glyphs.indices {
      glyphs[index] = " "
      styles[index] = .plain
    }
  }

  public func fill(_ rect: CellRect, glyph: Unicode.Scalar, style: CellStyle) {
    let area = rect.intersection(clip).intersection(bounds)
    for y in area.y0..<area.y1 {
      for x in area.x0..<area.x1 { set(glyph, style, x: x, y: y) }
    }
  }

  @discardableResult
  public func write(_ text: String, x: Int, y: Int, style: CellStyle) -> Int {
    var column = x
    for scalar in text.unicodeScalars {
      let isVisible =
        scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format
      if clip.contains(x: column, y: y), bounds.contains(x: column, y: y) {
        var merged = style
        if merged.background == nil { merged.background = styles[y * bounds.width + column].background }
        set(isVisible ? scalar : "\u{FFFD}", merged, x: column, y: y)
      }
      column += 1
    }
    return column - x
  }

  public func blit(
    _ glyphs: UnsafeBufferPointer<UInt32>, styles: UnsafeBufferPointer<CellStyle>, x: Int, y: Int
  ) {
    for index in glyphs.indices where glyphs[index] != 0 {
      guard clip.contains(x: x + index, y: y), bounds.contains(x: x + index, y: y) else { continue }
      set(Unicode.Scalar(glyphs[index]) ?? "\u{FFFD}", styles[index], x: x + index, y: y)
    }
  }

  public func fade(_ rect: CellRect, towards color: Color, alpha: Double) {
    let area = rect.intersection(clip).intersection(bounds)
    for y in area.y0..<area.y1 {
      for x in area.x0..<area.x1 {
        let index = y * bounds.width + x
        if let foreground = styles[index].foreground {
          styles[index].foreground = color.blended(with: foreground, fraction: alpha)
        }
        if let background = styles[index].background {
          styles[index].background = color.blended(with: background, fraction: alpha)
        }
        if alpha < 0.5, styles[index].foreground == nil { glyphs[index] = " " }
      }
    }
  }

  /// The character of a cell.
  public func glyph(x: Int, y: Int) -> Unicode.Scalar {
    bounds.contains(x: x, y: y) ? glyphs[y * bounds.width + x] : " "
  }

  /// The style of a cell.
  public func style(x: Int, y: Int) -> CellStyle {
    bounds.contains(x: x, y: y) ? styles[y * bounds.width + x] : .plain
  }

  /// How many cells look different: what a writer that sends only changes would send. Canvases of different sizes
  /// differ everywhere.
  public func changedCells(from other: TextCanvas) -> Int {
    guard bounds == other.bounds else { return glyphs.count }
    return glyphs.indices.count { glyphs[$0] != other.glyphs[$0] || styles[$0] != other.styles[$0] }
  }

  /// The rows of a part of the grid, or of all of it.
  public func rows(in rect: CellRect? = nil) -> [String] {
    let area = (rect ?? bounds).intersection(bounds)
    return (area.y0..<area.y1).map { y in
      var row = String.UnicodeScalarView()
      for x in area.x0..<area.x1 { row.append(glyphs[y * bounds.width + x]) }
      return String(row)
    }
  }

  public var text: String { rows().joined(separator: "\n") }

  private func set(_ glyph: Unicode.Scalar, _ style: CellStyle, x: Int, y: Int) {
    let index = y * bounds.width + x
    glyphs[index] = glyph
    styles[index] = style
  }
}
