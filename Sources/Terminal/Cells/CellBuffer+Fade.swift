public import ConstraintAnimation

extension CellBuffer {
  /// Blends every cell of the rectangle towards `color` by `1 - alpha`.
  ///
  /// With 256 colors or more the colors blend; with fewer, whole glyphs vanish in an ordered pattern of sixteen
  /// steps, because a blend of two palette colors is neither of them. At 0 nothing but the color is left, and no
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
