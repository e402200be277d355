import Measurement
import Synchronization

/// Splits text into the glyphs of cells.
///
/// Text may come from outside: a provider's reason, a device's name. Control characters would move the cursor or change the
/// terminal's modes, bidirectional ones would reorder the text beside them, invisible ones would make two different texts
/// look the same. Each is replaced by visible glyphs: U+001B by ␛, U+202E by ‹U+202E›. The rule is stricter than
/// `EscapedText`'s, because each glyph needs a width that all terminals agree on.
public enum CellText {
  /// Combining marks that a character keeps: more than any script needs. Bounds the size of a cell.
  static let mostMarks = 7

  /// The columns that `CellBuffer.write` takes for this text.
  public static func columns(of text: String) -> Int {
    var total = 0
    forEachGlyph(of: text) { _, width in total += width }
    return total
  }

  /// The text of a cell's glyph.
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
        // Selects between two shapes of the same character, which cells do not distinguish.
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
    // The glyphs of plots are too new for some Unicode tables.
    if value >= 0x2500 && value < 0x25FD || value >= 0x1CD00 && value < 0x1CDE6 {
      return .glyph(value, columns: 1)
    }
    // Letters, signs, dashes and dots of most texts need no look at Unicode's tables; U+00AD is invisible.
    if value >= 0xA1 && value <= 0xFF && value != 0xAD || value >= 0x2010 && value <= 0x2027 {
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

/// The characters that need more than one scalar (a letter with combining marks), each once.
///
/// A cell has room for one number. Where a scalar is not enough the number is an index into this table, marked by
/// its highest bit. The table is one for the process, so that cells can be copied between buffers; it is bounded,
/// and a character that finds it full is shown without its marks.
final class GraphemeTable: Sendable {
  static let shared = GraphemeTable()

  /// Distinguishes an index from a scalar value.
  static let indexFlag: UInt32 = 0x8000_0000

  private struct Contents {
    var indices: [[UInt32]: UInt32] = [:]
    var texts: [String] = []
  }

  private let capacity: Int
  private let contents = Mutex(Contents())

  init(capacity: Int = 16_384) { self.capacity = capacity }

  /// The glyph for a base and its marks; the base alone when the table is full.
  func glyph(for scalars: [UInt32]) -> UInt32 {
    guard let base = scalars.first else { return 0x20 }
    return contents.withLock { contents in
      if let index = contents.indices[scalars] { return GraphemeTable.indexFlag | index }
      guard contents.texts.count < capacity else { return base }
      let index = UInt32(contents.texts.count)
      var text = ""
      for scalar in scalars.compactMap(Unicode.Scalar.init) { text.unicodeScalars.append(scalar) }
      contents.texts.append(text)
      contents.indices[scalars] = index
      return GraphemeTable.indexFlag | index
    }
  }

  /// The text of a glyph that this table gave out; a replacement character for any other.
  func text(of glyph: UInt32) -> String {
    let index = Int(glyph & ~GraphemeTable.indexFlag)
    return contents.withLock { index < $0.texts.count ? $0.texts[index] : "\u{FFFD}" }
  }
}
