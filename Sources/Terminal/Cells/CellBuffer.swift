public import ConstraintAnimation
import Measurement

/// A grid of cells to draw on: the back buffer that views fill and `DiffWriter` compares with the screen.
///
/// Not Sendable: it belongs to the thread that draws. Its storage is flat and made anew only when the size changes.
public final class CellBuffer {
  public private(set) var columns: Int
  public private(set) var rows: Int
  var storage: UnsafeMutableBufferPointer<Cell>

  /// Only cells inside are changed; always within `bounds`. See `CellCanvas.clip`.
  public var clip: CellRect {
    didSet { clip = clip.intersection(bounds) }
  }

  /// How many colors the screen has. Fading dithers where blending would not show.
  public var colors: ColorProfile

  /// The colors that fading assumes for the terminal's defaults: reported by the terminal or set by a theme.
  public var assumedForeground = Color(204, 204, 204)
  public var assumedBackground = Color(0, 0, 0)

  /// - Parameters:
  ///   - columns: at least 1; smaller values count as 1, larger ones than 65 535 as that.
  ///   - rows: the same.
  public init(columns: Int, rows: Int, colors: ColorProfile = .trueColor) {
    self.columns = CellBuffer.bounded(columns)
    self.rows = CellBuffer.bounded(rows)
    self.colors = colors
    storage = .allocate(capacity: self.columns * self.rows)
    storage.initialize(repeating: .blank)
    clip = CellRect(x0: 0, y0: 0, x1: self.columns, y1: self.rows)
  }

  deinit { storage.deallocate() }

  private static func bounded(_ length: Int) -> Int { min(max(length, 1), 65_535) }

  /// Changes the size and blanks every cell. The clip becomes the whole grid.
  public func resize(columns: Int, rows: Int) {
    let newColumns = CellBuffer.bounded(columns)
    let newRows = CellBuffer.bounded(rows)
    if newColumns * newRows != storage.count {
      storage.deallocate()
      storage = .allocate(capacity: newColumns * newRows)
      storage.initialize(repeating: .blank)
    } else {
      storage.update(repeating: .blank)
    }
    self.columns = newColumns
    self.rows = newRows
    clip = bounds
  }

  /// Blanks every cell, whatever the clip.
  public func clear() { storage.update(repeating: .blank) }

  /// The cell at a place inside `bounds`.
  public subscript(x: Int, y: Int) -> Cell {
    precondition(x >= 0 && x < columns && y >= 0 && y < rows, "no cell at \(x), \(y)")
    return storage[y * columns + x]
  }

  /// Runs `body` on the cells of one row inside `bounds`, left to right.
  public func withRow<Result>(_ y: Int, _ body: (UnsafeBufferPointer<Cell>) -> Result) -> Result {
    precondition(y >= 0 && y < rows, "no row \(y)")
    return body(UnsafeBufferPointer(rebasing: storage[y * columns..<(y + 1) * columns]))
  }

  /// Copies another buffer's size and cells.
  public func copy(from other: CellBuffer) {
    if columns != other.columns || rows != other.rows {
      resize(columns: other.columns, rows: other.rows)
    }
    _ = storage.update(fromContentsOf: other.storage)
  }
}

extension CellBuffer: Equatable {
  /// Whether both have the same cells; clips and color profiles are not compared.
  public static func == (left: CellBuffer, right: CellBuffer) -> Bool {
    left.columns == right.columns && left.rows == right.rows && left.storage.elementsEqual(right.storage)
  }
}

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

  /// Writes one row of text. Control, bidirectional and invisible characters become visible ones (see
  /// `CellText`). A wide character that is cut by the clip leaves a space in the half that shows.
  /// - Returns: the columns the text takes, clipped or not.
  @discardableResult
  public func write(_ text: String, x: Int, y: Int, style: CellStyle) -> Int {
    guard y >= clip.y0 && y < clip.y1 && x < clip.x1 else { return CellText.columns(of: text) }
    let foreground = CellColor(style.foreground)
    let background = style.background.map { CellColor($0) }
    let attributes = style.attributes
    let row = y * columns
    let (left, right) = (clip.x0, clip.x1)
    var column = x
    CellText.forEachGlyph(of: text) { glyph, width in
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

  /// Writes cells of one row. Glyphs that are not one column wide become a replacement character. A `nil`
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

  /// The rectangle with both halves of each wide glyph that lies across its left or right edge.
  public func whole(_ rect: CellRect) -> CellRect {
    var whole = rect.intersection(bounds)
    for y in whole.y0..<whole.y1 where !whole.isEmpty {
      if storage[y * columns + whole.x0].isContinuation { whole.x0 = max(0, whole.x0 - 1) }
      if whole.x1 < columns, storage[y * columns + whole.x1].isContinuation { whole.x1 += 1 }
    }
    return whole
  }

  /// The glyph if it takes one column, otherwise a replacement character.
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

  /// Makes a space of the other half of a wide glyph before one of its cells is overwritten.
  @inline(__always)
  private func mend(_ place: Int, row: Int, keepingLeft: Bool = false) {
    let old = storage[place]
    if old.isWide && place + 1 < row + columns { storage[place + 1] = old.emptied }
    if old.isContinuation && !keepingLeft && place > row { storage[place - 1] = old.emptied }
  }

  /// Empties the halves of glyphs that the ends of a run cut in two.
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

extension CellBuffer {
  /// Blends every cell of the rectangle towards `color` by `1 - alpha`.
  ///
  /// With 256 colors or more the colors blend; with fewer, whole glyphs vanish in an ordered pattern of sixteen
  /// steps, because a blend of two palette colors is neither of them. At 0 only the color is left, and no
  /// glyph that could be copied or read aloud.
  public func fade(_ rect: CellRect, towards color: Color, alpha: Double) {
    let target = rect.intersection(clip)
    if target.isEmpty || alpha >= 1 { return }
    if alpha <= 0 {
      let empty = Cell(
        glyph: 0x20, foreground: .terminalDefault, background: backdrop(color), attributes: [])
      overwrite(target) { _, _, _ in empty }
    } else if colors >= .ansi256 {
      blend(target, towards: color, share: UInt32((1 - alpha) * 256 + 0.5))
    } else {
      let empty = Cell(
        glyph: 0x20, foreground: .terminalDefault, background: backdrop(color), attributes: [])
      let level = UInt8(alpha * 16 + 0.5)
      overwrite(target) { cell, x, y in
        // Both halves of a wide glyph share a fate.
        let column = cell.isContinuation ? x - 1 : x
        return CellBuffer.bayer[(y & 3) << 2 | (column & 3)] < level ? cell : empty
      }
    }
  }

  /// The terminal's own background where `color` is what it is taken to be.
  private func backdrop(_ color: Color) -> CellColor {
    color == assumedBackground ? .terminalDefault : CellColor(color)
  }

  private func overwrite(_ target: CellRect, _ body: (Cell, _ x: Int, _ y: Int) -> Cell) {
    for y in target.y0..<target.y1 {
      let row = y * columns
      separate(row + target.x0, row: row)
      separate(row + target.x1, row: row)
      for x in target.x0..<target.x1 {
        storage[row + x] = body(storage[row + x], x, y)
      }
    }
  }

  /// Makes two spaces of a wide glyph that lies across the boundary before `place`.
  private func separate(_ place: Int, row: Int) {
    guard place > row && place < row + columns && storage[place].isContinuation else { return }
    storage[place - 1] = storage[place - 1].emptied
    storage[place] = storage[place].emptied
  }

  private func blend(_ target: CellRect, towards color: Color, share: UInt32) {
    let goal = CellColor(color).bits
    let assumedForeground = CellColor(self.assumedForeground)
    let assumedBackground = CellColor(self.assumedBackground)
    // Neighbors look alike: the last answer is nearly always the next one.
    var (lastForeground, newForeground) = (CellColor(bits: .max), CellColor.terminalDefault)
    var (lastBackground, newBackground) = (CellColor(bits: .max), CellColor.terminalDefault)
    for y in target.y0..<target.y1 {
      for place in y * columns + target.x0..<y * columns + target.x1 {
        let cell = storage[place]
        if cell.foreground != lastForeground {
          lastForeground = cell.foreground
          newForeground = CellBuffer.mix(
            lastForeground.isTerminalDefault ? assumedForeground : lastForeground, goal, share)
        }
        if cell.background != lastBackground {
          lastBackground = cell.background
          newBackground = CellBuffer.mix(
            lastBackground.isTerminalDefault ? assumedBackground : lastBackground, goal, share)
          if newBackground == assumedBackground && lastBackground.isTerminalDefault {
            newBackground = .terminalDefault
          }
        }
        storage[place].foreground = newForeground
        storage[place].background = newBackground
      }
    }
  }

  /// `share` of 256 parts of `goal`, the rest of `color`, channel by channel.
  private static func mix(_ color: CellColor, _ goal: UInt32, _ share: UInt32) -> CellColor {
    func channel(_ shift: UInt32) -> UInt32 {
      let from = color.bits >> shift & 0xFF
      let to = goal >> shift & 0xFF
      return ((from * (256 - share) + to * share + 128) >> 8) << shift
    }
    return CellColor(bits: 0x0100_0000 | channel(16) | channel(8) | channel(0))
  }

  /// A 4×4 ordered dither matrix: each level adds one cell, spread as evenly as can be.
  private static let bayer: [UInt8] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
}
