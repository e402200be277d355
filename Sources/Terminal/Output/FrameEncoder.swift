import Measurement

/// Encodes changed cells in few bytes: keeps track of where the cursor is and what the rendition
/// is set to, and chooses moves and renditions by their length.
///
/// Uses only sequences that all VT220-compatible terminals have: CUP, CUU, CUD, CUF, CUB, CHA, ED, EL,
/// ECH, SGR, DECSTBM, IL, DL. It expects autowrap to be off.
struct FrameEncoder: ~Copyable {
  /// Colors and encoding stay as they were at the start.
  var profile: OutputProfile
  var bytes = OutputBytes()
  let colors: ColorReducer
  private(set) var rendition = RenditionState.plain
  private var cursor = TerminalCursor()
  /// The run of equal blanks that was looked at last, in the row being encoded.
  private var blankRun = 0..<0
  private var blankChangedEnd = 0
  /// The cells of a row by their rendition, kept from row to row for its memory.
  private var renditions = RowRenditions()

  init(profile: OutputProfile) {
    self.profile = profile
    colors = ColorReducer(profile: profile.colors)
  }

  /// Blanks the screen in the terminal's default colors, from any previous state.
  mutating func clearScreen() {
    bytes.append("\u{1B}[m\u{1B}[r\u{1B}[H\u{1B}[2J")
    rendition = .plain
    cursor.home()
  }

  /// Moves the rows `region` up (negative distance) or down; rows that are uncovered become blank.
  mutating func moveRows(in region: Range<Int>, by distance: Int) {
    rendition.change(to: .plain, &bytes)
    bytes.append("\u{1B}[")
    bytes.append(decimal: region.lowerBound + 1)
    bytes.append(0x3B)
    bytes.append(decimal: region.upperBound)
    bytes.append(0x72)
    cursor.home()
    cursor.move(x: 0, y: region.lowerBound, &bytes)
    bytes.append("\u{1B}[")
    bytes.append(decimal: abs(distance))
    bytes.append(distance < 0 ? 0x4D : 0x4C)
    bytes.append("\u{1B}[r")
    cursor.home()
  }

  /// Emits what turns the `front` row into the `back` row; both have `count` cells.
  /// - Parameter span: the columns in which they may differ.
  mutating func encodeRow(
    _ y: Int, back: UnsafePointer<Cell>, front: UnsafePointer<Cell>, span: Range<Int>, count: Int
  ) {
    var x = span.lowerBound
    while x < span.upperBound && back[x] == front[x] { x += 1 }
    if x == span.upperBound { return }
    var last = span.upperBound - 1
    while back[last] == front[last] { last -= 1 }
    if profile.synchronizesOutput, encodeByInk(y, row: back, columns: x..<last + 1, count: count) { return }
    blankRun = 0..<0
    while x <= last {
      if looksEqual(back[x], front[x]) {
        x += 1
        continue
      }
      let cell = back[x]
      // Fewer than four blanks are never worth an erase: the fourth is looked at first.
      if cell.isErasable, x + 3 < count, back[x + 3].isErasable,
        let end = erase(from: x, y: y, back: back, front: front, last: last, count: count)
      {
        x = end
        continue
      }
      if !cell.isContinuation {
        approach(x: x, y: y, row: back)
        paint(cell, lastColumn: count - 1)
      }
      x += cell.isWide ? 2 : 1
    }
  }

  /// Moves the cursor to where text is typed, and shows it.
  mutating func showCursor(x: Int, y: Int) {
    cursor.move(x: x, y: y, &bytes)
    bytes.append("\u{1B}[?25h")
  }

  // MARK: - Cells

  private func looksEqual(_ left: Cell, _ right: Cell) -> Bool {
    if left == right { return true }
    if left.glyph != right.glyph || left.isWide != right.isWide { return false }
    if left.isErasable && right.isErasable {
      return colors.reduce(left.background) == colors.reduce(right.background)
    }
    return left.bits == right.bits
      && colors.reduce(left.foreground) == colors.reduce(right.foreground)
      && colors.reduce(left.background) == colors.reduce(right.background)
  }

  /// The rendition for a cell. A blank shows its background only, so the rest may stay as it is.
  @inline(__always)
  private func rendition(for cell: Cell) -> RenditionState {
    if cell.isErasable {
      return RenditionState(
        foreground: rendition.foreground, background: colors.reduce(cell.background),
        attributes: rendition.attributes & ~UInt8(truncatingIfNeeded: Cell.drawnOnBlanks))
    }
    return RenditionState(
      foreground: colors.reduce(cell.foreground), background: colors.reduce(cell.background),
      attributes: UInt8(truncatingIfNeeded: cell.bits))
  }

  mutating func paint(_ cell: Cell, lastColumn: Int) {
    rendition.change(to: rendition(for: cell), &bytes)
    let width = cell.isWide ? 2 : 1
    appendGlyph(cell)
    let next = cursor.x + width
    let agreed = !profile.encodesUTF8 || CharacterWidth.isAgreed(cell.glyph)
    cursor.x = agreed && next <= lastColumn ? next : -1
  }

  /// Paints the cells of one rendition on erased background. They are single glyphs of unambiguous width.
  /// - Parameter ground: the color of all blanks between them.
  mutating func paint(
    _ ink: RowRenditions.Ink, y: Int, row: UnsafePointer<Cell>, count: Int, ground: ColorReducer.Reduced
  ) {
    approach(x: ink.first, y: y, row: row)
    rendition.change(to: ink.rendition, &bytes)
    // In this rendition a blank looks like the ground.
    let fillsGaps =
      rendition.background == ground
      && rendition.attributes & UInt8(truncatingIfNeeded: Cell.drawnOnBlanks) == 0
    var x = ink.first
    while x >= 0 {
      if x > cursor.x { skip(to: x, row: row, fillsGap: fillsGaps) }
      appendGlyph(row[x])
      cursor.x = x + 1 < count ? x + 1 : -1
      x = renditions.following(x)
    }
  }

  /// Moves to a later column of the row; over a few blanks by painting them.
  @inline(__always)
  private mutating func skip(to x: Int, row: UnsafePointer<Cell>, fillsGap: Bool) {
    let gap = x - cursor.x
    if fillsGap && gap <= 4 {
      var place = cursor.x
      while place < x && row[place].isErasable { place += 1 }
      if place == x { return bytes.append(spaces: gap) }
    }
    bytes.append(controlSequence: gap, final: 0x43)
  }

  @inline(__always)
  private mutating func appendGlyph(_ cell: Cell) {
    if profile.encodesUTF8 {
      if cell.glyph & GraphemeTable.indexFlag == 0 {
        bytes.append(scalar: cell.glyph)
      } else {
        bytes.append(utf8: GraphemeTable.shared.text(of: cell.glyph))
      }
    } else {
      bytes.append(ASCIIFallback.byte(for: cell.glyph))
      if cell.isWide { bytes.append(0x20) }
    }
  }

  /// Erases a run of blanks when that is shorter than painting them.
  /// - Returns: the first column after the run, `nil` when the cell has to be painted.
  private mutating func erase(
    from x: Int, y: Int, back: UnsafePointer<Cell>, front: UnsafePointer<Cell>, last: Int, count: Int
  ) -> Int? {
    let background = colors.reduce(back[x].background)
    guard background == 0 || profile.erasesWithBackground else { return nil }
    if !blankRun.contains(x) {
      var end = x
      blankChangedEnd = x
      while end < count && back[end].isErasable && colors.reduce(back[end].background) == background {
        if !looksEqual(back[end], front[end]) { blankChangedEnd = end + 1 }
        end += 1
      }
      blankRun = x..<end
    }
    let changed = blankChangedEnd - x
    let reachesEnd = blankRun.upperBound == count
    // EL is 3 bytes. ECH is 4 or 5 and leaves the cursor, which then often needs as many again.
    let isLast = blankChangedEnd > last
    guard reachesEnd && changed > 3 || changed > 9 || isLast && changed > 5 else { return nil }
    approach(x: x, y: y, row: back)
    if reachesEnd && changed > 3 {
      rendition.change(to: rendition(for: back[x]), &bytes)
      bytes.append("\u{1B}[K")
      return count
    }
    eraseCharacters(changed, like: back[x])
    return blankChangedEnd
  }

  /// Erases `count` cells from the cursor on, with the background of one of them; the cursor stays.
  mutating func eraseCharacters(_ count: Int, like cell: Cell) {
    rendition.change(to: rendition(for: cell), &bytes)
    bytes.append("\u{1B}[")
    bytes.append(decimal: count)
    bytes.append(0x58)
  }

  // MARK: - The cursor

  /// Moves to a cell, over a short gap by painting again what is there.
  mutating func approach(x: Int, y: Int, row: UnsafePointer<Cell>) {
    if cursor.y == y && cursor.x == x { return }
    if cursor.y == y && cursor.x >= 0 && x > cursor.x && x - cursor.x <= 4 {
      var cost = 0
      var gap = cursor.x
      while gap < x {
        let cell = row[gap]
        guard !cell.isWide, !cell.isContinuation, CharacterWidth.isAgreed(cell.glyph),
          rendition(for: cell) == rendition
        else { break }
        cost += !profile.encodesUTF8 || cell.glyph < 0x80 ? 1 : cell.glyph < 0x800 ? 2 : 3
        gap += 1
      }
      if gap == x && cost <= (x - cursor.x == 1 ? 3 : 4) {
        while cursor.x < x {
          appendGlyph(row[cursor.x])
          cursor.x += 1
        }
        return
      }
    }
    cursor.move(x: x, y: y, &bytes)
  }
}

extension FrameEncoder {
  /// Paints part of a row rendition by rendition on erased background, where that is shorter than from left to right.
  ///
  /// Only inside a synchronized frame: otherwise the erased background could become visible.
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
    for index in 0..<renditions.count {
      paint(renditions[index], y: y, row: row, count: count, ground: groundColor)
    }
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
    renditions.removeAll(columns: count)
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
        let rendition = RenditionState(
          foreground: colors.reduce(cell.foreground), background: colors.reduce(cell.background),
          attributes: UInt8(truncatingIfNeeded: cell.bits))
        guard let index = renditions.index(of: rendition) else { return nil }
        ink = index
      }
      renditions.append(x, to: ink)
      inked += 1
      previous = x
    }
    guard changes > 8 else { return nil }
    // Jumping to a mark takes about four bytes. From left to right the blanks in between are painted instead.
    let renditionCost = colors.profile == .trueColor ? 14 : colors.profile == .ansi256 ? 10 : 5
    let sorted = renditions.count * (renditionCost + 4) + 4 * min(inked, jumps + renditions.count)
    let straight = changes * renditionCost + (columns.count - inked) / 2
    return sorted < straight ? ground : nil
  }
}
