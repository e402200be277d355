/// Turns text into glyphs that can only ever be looked at.
///
/// Text comes from far away: a provider's reason, a device's name. Control characters would move the cursor or
/// change the terminal's modes, bidirectional ones would reorder what stands beside them, invisible ones would
/// make two different texts look the same. Each becomes something to see: U+001B is ␛, U+202E is ‹U+202E›.
public enum VisibleText {
  /// Marks that one character keeps; more than any script needs, few enough to bound a cell.
  static let mostMarks = 7

  /// The columns that `CellBuffer.write` takes for this text.
  public static func columns(of text: String) -> Int {
    var total = 0
    forEachGlyph(of: text) { _, width in total += width }
    return total
  }

  /// The same text with everything made visible, for sinks that are not cells: pipes, lines, titles.
  public static func visible(_ text: String) -> String {
    var result = ""
    forEachGlyph(of: text) { glyph, _ in result += VisibleText.text(of: glyph) }
    return result
  }

  /// The text of one glyph as cells keep it.
  static func text(of glyph: UInt32) -> String {
    if glyph == Cell.continuationGlyph { return "" }
    if glyph & GraphemeTable.indexFlag != 0 { return GraphemeTable.shared.text(of: glyph) }
    return Unicode.Scalar(glyph).map { String(Character($0)) } ?? "\u{FFFD}"
  }

  /// Calls `body` with each glyph and its columns (1 or 2), left to right.
  @inline(__always)
  static func forEachGlyph(of text: String, _ body: (_ glyph: UInt32, _ columns: Int) -> Void) {
    var base: UInt32 = 0
    var columns = 0
    var marks: [UInt32] = []
    var selected = false
    func flush() {
      guard columns > 0 else { return }
      body(marks.isEmpty ? base : GraphemeTable.shared.glyph(for: [base] + marks), columns)
      marks.removeAll(keepingCapacity: true)
      columns = 0
    }
    for scalar in text.unicodeScalars {
      let value = scalar.value
      if value >= 0x20 && value < 0x7F {
        flush()
        base = value
        columns = 1
        selected = false
        continue
      }
      switch kind(of: scalar) {
      case .glyph(let glyph, let width):
        flush()
        base = glyph
        columns = width
        selected = false
      case .mark:
        if columns == 0 {
          base = 0x25CC
          columns = 1
        }
        if marks.count < mostMarks { marks.append(value) }
      case .variationSelector where columns > 0 && !selected:
        // It chooses between two shapes of the same character; cells do not tell them apart.
        selected = true
      case .variationSelector, .hidden:
        flush()
        escape(value, body)
      }
    }
    flush()
  }

  private enum Kind {
    case glyph(UInt32, columns: Int)
    case mark
    case variationSelector
    case hidden
  }

  private static func kind(of scalar: Unicode.Scalar) -> Kind {
    let value = scalar.value
    // Plots' own glyphs are too new for some Unicode tables.
    if value >= 0x2500 && value < 0x25FD || value >= 0x1CD00 && value < 0x1CDE6 {
      return .glyph(value, columns: 1)
    }
    // An empty braille cell is wider than a space in some fonts.
    if value == 0x2800 { return .glyph(0x20, columns: 1) }
    if value < 0x20 { return .glyph(0x2400 + value, columns: 1) }
    if value == 0x7F { return .glyph(0x2421, columns: 1) }
    let properties = scalar.properties
    if properties.isVariationSelector { return .variationSelector }
    if properties.isDefaultIgnorableCodePoint { return .hidden }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate:
      return .hidden
    case .spaceSeparator where value != 0x3000:
      return .glyph(0x20, columns: 1)
    default:
      let columns = CharacterWidth.columns(of: value)
      return columns == 0 ? .mark : .glyph(value, columns: columns)
    }
  }

  /// ‹U+202E›: four digits at least, in capitals.
  private static func escape(_ value: UInt32, _ body: (UInt32, Int) -> Void) {
    body(0x2039, 1)
    body(0x55, 1)
    body(0x2B, 1)
    var digits = 4
    while digits < 6 && value >> (4 * UInt32(digits)) != 0 { digits += 1 }
    for place in (0..<UInt32(digits)).reversed() {
      let digit = value >> (4 * place) & 0xF
      body(digit < 10 ? 0x30 + digit : 0x37 + digit, 1)
    }
    body(0x203A, 1)
  }
}
