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
  /// -1 where unknown: after the last column, and after a glyph whose width terminals disagree on.
  private var cursorX = -1
  private var cursorY = -1
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
    (cursorX, cursorY) = (0, 0)
  }

  /// Moves the rows `region` up (negative distance) or down; rows that are uncovered become blank.
  mutating func moveRows(in region: Range<Int>, by distance: Int) {
    rendition.change(to: .plain, &bytes)
    bytes.append("\u{1B}[")
    bytes.append(decimal: region.lowerBound + 1)
    bytes.append(0x3B)
    bytes.append(decimal: region.upperBound)
    bytes.append(0x72)
    (cursorX, cursorY) = (0, 0)
    moveCursor(x: 0, y: region.lowerBound)
    bytes.append("\u{1B}[")
    bytes.append(decimal: abs(distance))
    bytes.append(distance < 0 ? 0x4D : 0x4C)
    bytes.append("\u{1B}[r")
    (cursorX, cursorY) = (0, 0)
  }

  /// Emits what turns the `front` row into the `back` row; both have `count` cells.
  mutating func encodeRow(
    _ y: Int, back: UnsafePointer<Cell>, front: UnsafePointer<Cell>, count: Int
  ) {
    var x = 0
    while x < count && back[x] == front[x] { x += 1 }
    if x == count { return }
    var last = count - 1
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
    moveCursor(x: x, y: y)
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
    let next = cursorX + width
    let agreed = !profile.encodesUTF8 || CharacterWidth.isAgreed(cell.glyph)
    cursorX = agreed && next <= lastColumn ? next : -1
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
      if x > cursorX { skip(to: x, row: row, fillsGap: fillsGaps) }
      appendGlyph(row[x])
      cursorX = x + 1 < count ? x + 1 : -1
      x = renditions.following(x)
    }
  }

  /// Moves to a later column of the row; over a few blanks by painting them.
  @inline(__always)
  private mutating func skip(to x: Int, row: UnsafePointer<Cell>, fillsGap: Bool) {
    let gap = x - cursorX
    if fillsGap && gap <= 4 {
      var place = cursorX
      while place < x && row[place].isErasable { place += 1 }
      if place == x { return bytes.append(spaces: gap) }
    }
    appendCSI(count: gap, final: 0x43)
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
    if cursorY == y && cursorX == x { return }
    if cursorY == y && cursorX >= 0 && x > cursorX && x - cursorX <= 4 {
      var cost = 0
      var gap = cursorX
      while gap < x {
        let cell = row[gap]
        guard !cell.isWide, !cell.isContinuation, CharacterWidth.isAgreed(cell.glyph),
          rendition(for: cell) == rendition
        else { break }
        cost += !profile.encodesUTF8 || cell.glyph < 0x80 ? 1 : cell.glyph < 0x800 ? 2 : 3
        gap += 1
      }
      if gap == x && cost <= (x - cursorX == 1 ? 3 : 4) {
        while cursorX < x {
          appendGlyph(row[cursorX])
          cursorX += 1
        }
        return
      }
    }
    moveCursor(x: x, y: y)
  }

  private static func digits(_ value: Int) -> Int { value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : 5 }

  /// CSI with a count that is left out when it is 1.
  private static func cost(count: Int) -> Int { count == 1 ? 3 : 3 + digits(count) }

  private mutating func appendCSI(count: Int, final: UInt8) {
    bytes.append("\u{1B}[")
    if count != 1 { bytes.append(decimal: count) }
    bytes.append(final)
  }

  private mutating func moveCursor(x: Int, y: Int) {
    if cursorX == x && cursorY == y { return }
    defer { (cursorX, cursorY) = (x, y) }
    let absolute = 3 + FrameEncoder.digits(y + 1) + (x == 0 ? 0 : 1 + FrameEncoder.digits(x + 1))
    if cursorY >= 0 {
      let vertical = cursorY == y ? 0 : FrameEncoder.cost(count: abs(y - cursorY))
      let ahead = cursorX < 0 ? 0 : x - cursorX
      let fromStart = 1 + (x == 0 ? 0 : FrameEncoder.cost(count: x))
      // Backspaces are a byte each; CUB and CUF say a count.
      let isUnknown = cursorX < 0
      let relative =
        isUnknown
        ? Int.max : ahead == 0 ? 0 : ahead < 0 && ahead >= -3 ? -ahead : FrameEncoder.cost(count: abs(ahead))
      let column = 3 + FrameEncoder.digits(x + 1)
      let horizontal = min(relative, fromStart, column)
      if vertical + horizontal < absolute {
        if cursorY != y { appendCSI(count: abs(y - cursorY), final: y > cursorY ? 0x42 : 0x41) }
        if horizontal == relative {
          if ahead < 0 && ahead >= -3 {
            for _ in 0 ..< -ahead { bytes.append(0x08) }
          } else if ahead != 0 {
            appendCSI(count: abs(ahead), final: ahead > 0 ? 0x43 : 0x44)
          }
        } else if horizontal == fromStart {
          bytes.append(0x0D)
          if x > 0 { appendCSI(count: x, final: 0x43) }
        } else {
          appendCSI(count: x + 1, final: 0x47)
        }
        return
      }
    }
    bytes.append("\u{1B}[")
    bytes.append(decimal: y + 1)
    if x > 0 {
      bytes.append(0x3B)
      bytes.append(decimal: x + 1)
    }
    bytes.append(0x48)
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

/// The cells of one row sorted by rendition, each rendition's cells in a chain from left to right.
///
/// A scatter plot changes its color at nearly every mark. From left to right, the color changes cost three times the
/// marks; painted rendition by rendition, each color is set once.
struct RowRenditions: ~Copyable {
  /// More renditions than these are not worth sorting.
  static let most = 16

  struct Ink {
    var rendition: RenditionState
    var first: Int
    var last: Int
  }

  private(set) var count = 0
  private let renditions: UnsafeMutablePointer<Ink>
  /// Index by hash of a rendition; a hint that is always verified.
  private let slots: UnsafeMutablePointer<UInt8>
  private var next: UnsafeMutablePointer<Int>
  private var capacity = 0

  init() {
    renditions = .allocate(capacity: RowRenditions.most)
    slots = .allocate(capacity: 32)
    slots.initialize(repeating: 0, count: 32)
    next = .allocate(capacity: 0)
  }

  deinit {
    slots.deallocate()
    renditions.deallocate()
    next.deallocate()
  }

  subscript(index: Int) -> Ink { renditions[index] }

  /// The next cell of the same ink; -1 at the end.
  func following(_ x: Int) -> Int { next[x] }

  mutating func removeAll(columns: Int) {
    count = 0
    guard columns > capacity else { return }
    next.deallocate()
    next = .allocate(capacity: columns)
    capacity = columns
  }

  /// The number of a rendition, which may be a new one without cells yet.
  /// - Returns: `nil` when there are too many.
  @inline(__always)
  mutating func index(of rendition: RenditionState) -> Int? {
    let slot = Int(
      ((rendition.foreground ^ (rendition.background << 7) ^ UInt32(rendition.attributes)) &* 0x9E37_79B1)
        >> 27)
    var index = Int(slots[slot])
    if index >= count || renditions[index].rendition != rendition {
      index = 0
      while index < count && renditions[index].rendition != rendition { index += 1 }
      slots[slot] = UInt8(index)
    }
    if index < count { return index }
    guard count < RowRenditions.most else { return nil }
    renditions.advanced(by: count).initialize(to: Ink(rendition: rendition, first: -1, last: -1))
    count += 1
    return index
  }

  /// The cell at `x` is of that rendition; cells come from left to right.
  @inline(__always)
  mutating func append(_ x: Int, to index: Int) {
    next[x] = -1
    if renditions[index].first < 0 { renditions[index].first = x } else { next[renditions[index].last] = x }
    renditions[index].last = x
  }
}

extension CharacterWidth {
  /// Whether all terminals give the character the same width. After any other glyph the writer moves the cursor explicitly,
  /// so that a different width in the terminal does not shift the rest of the row.
  @inline(__always)
  static func isAgreed(_ value: UInt32) -> Bool {
    if value >= 0x20 && value < 0x7F || value >= 0x2500 && value < 0x25FD || value >= 0x2800 && value < 0x2900
    {
      return true
    }
    return isAgreedElsewhere(value)
  }

  private static func isAgreedElsewhere(_ value: UInt32) -> Bool {
    switch value {
    case 0xA0..<0x300, 0x370..<0x483, 0x48A..<0x530: true
    case 0x2010..<0x2028, 0x2030..<0x205F, 0x20A0..<0x20C1, 0x2190..<0x231A: true
    case 0x2400..<0x2427: true
    // Symbols for legacy computing: sextants, octants, eighths.
    case 0x1FB00..<0x1FBFB, 0x1CD00..<0x1CDE6, 0x1CEA0..<0x1CEB0: true
    // Kana, ideographs, Hangul syllables and fullwidth forms are two columns everywhere.
    case 0x3041..<0x3097, 0x30A1..<0x3100, 0x3400..<0x4DC0, 0x4E00..<0xA000, 0xAC00..<0xD7A4: true
    case 0xFF01..<0xFF61: true
    default: false
    }
  }
}
