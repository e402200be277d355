extension FrameEncoder {
  /// Paints a stretch of a row color by color on erased ground, where that is shorter than from left to right.
  ///
  /// Only inside of a synchronized frame: elsewhere the ground might be seen without what belongs on it.
  ///
  /// - Returns: false when nothing was done.
  mutating func encodeByInk(
    _ y: Int, row: UnsafePointer<Cell>, columns: Range<Int>, count: Int
  ) -> Bool {
    guard columns.count >= 24, let ground = gather(row, columns: columns, count: count) else { return false }
    let first = columns.lowerBound
    approach(x: first, y: y, row: row)
    eraseCharacters(columns.count, like: row[ground])
    let groundColor = colors.reduce(row[ground].background)
    for index in 0..<inks.count { paint(inks[index], y: y, row: row, count: count, ground: groundColor) }
    return true
  }

  /// Sorts the cells by rendition.
  /// - Returns: the place of a blank, `nil` when painting from left to right is as good or the row is not of the
  ///   simple kind: one ground, single glyphs.
  private mutating func gather(_ row: UnsafePointer<Cell>, columns: Range<Int>, count: Int) -> Int? {
    guard let ground = columns.first(where: { row[$0].isErasable }) else { return nil }
    let background = row[ground].background
    if colors.reduce(background) != 0 && !profile.erasesWithBackground { return nil }
    var changes = 0
    var inked = 0
    var jumps = 0
    var previous = ground
    // The rendition of the cell before; none while there was none.
    var ink = -1
    inks.removeAll(columns: count)
    for x in columns {
      let cell = row[x]
      if cell.isErasable {
        if cell.background != background { return nil }
        continue
      }
      if cell.isWide || cell.isContinuation || !CharacterWidth.isAgreed(cell.glyph) { return nil }
      let before = row[previous]
      if cell.foreground != before.foreground || cell.background != before.background
        || cell.bits != before.bits
      {
        changes += 1
        jumps += 1
        ink = -1
      } else if x - previous > 4 {
        jumps += 1
      }
      if ink < 0 {
        let pen = RenditionState(
          foreground: colors.reduce(cell.foreground), background: colors.reduce(cell.background),
          attributes: UInt8(truncatingIfNeeded: cell.bits))
        guard let index = inks.index(of: pen) else { return nil }
        ink = index
      }
      inks.append(x, to: ink)
      inked += 1
      previous = x
    }
    guard changes > 8 else { return nil }
    // Jumping to a mark takes about four bytes. From left to right the blanks in between are painted instead.
    let rendition = colors.profile == .trueColor ? 14 : colors.profile == .ansi256 ? 10 : 5
    let sorted = inks.count * (rendition + 4) + 4 * min(inked, jumps + inks.count)
    let straight = changes * rendition + (columns.count - inked) / 2
    return sorted < straight ? ground : nil
  }
}
