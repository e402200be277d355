import ConstraintAnimation
import Measurement
import Testing

@testable import Terminal

@Suite("Text from outside becomes visible glyphs")
struct CellTextTests {
  @Test(
    "what cannot be seen is shown",
    arguments: [
      ("a\u{1B}[2Jb", "a␛[2Jb"), ("line\r\nnext\t.", "line␍␊next␉."), ("\u{0}\u{7}\u{7F}", "␀␇␡"),
      ("\u{9B}31m", "‹U+009B›31m"), ("x\u{202E}y\u{2066}z", "x‹U+202E›y‹U+2066›z"),
      ("\u{200B}\u{FEFF}", "‹U+200B›‹U+FEFF›"),
      ("so\u{AD}ft", "so‹U+00AD›ft"), ("\u{2028}\u{2029}", "‹U+2028›‹U+2029›"), ("\u{E0041}", "‹U+E0041›"),
      ("\u{E000}", "‹U+E000›"), ("\u{3164}\u{115F}", "‹U+3164›‹U+115F›"), ("\u{FFFF}", "‹U+FFFF›"),
      ("a\u{A0}b\u{2003}c", "a b c"),
      ("\u{2800}.", " ."), ("👩‍🚀", "👩‹U+200D›🚀"), ("❤\u{FE0F}!", "❤!"), ("\u{FE0F}", "‹U+FE0F›"),
      ("a\u{E0100}\u{E0101}", "a‹U+E0101›"), ("\u{34F}", "‹U+034F›"), ("日本語", "日本語"),
      ("é e\u{301}", "é e\u{301}"),
    ])
  func visible(text: String, expected: String) {
    let buffer = CellBuffer(columns: 40, rows: 1)
    let width = buffer.write(text, x: 0, y: 0, style: .plain)
    #expect((0..<width).map { buffer[$0, 0].text }.joined() == expected)
  }

  @Test("no scalar at all gets through to the terminal as anything but a glyph")
  func everyScalar() {
    for value in UInt32(0)...0x10_FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let properties = scalar.properties
      let isSafe =
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: false
        default: !properties.isDefaultIgnorableCodePoint && !properties.isBidiControl
        }
      if isSafe { continue }
      var columns = 0
      CellText.forEachGlyph(of: String(Character(scalar))) { glyph, width in
        columns += width
        #expect(glyph != value)
      }
      #expect(columns > 0, "U+\(String(value, radix: 16)) would be invisible")
    }
  }

  @Test(
    "the width said is the width written",
    arguments: ["", "abc", "日本", "e\u{301}", "\u{202E}", "a\u{1B}b", "\u{3000}"])
  func columns(text: String) {
    let buffer = CellBuffer(columns: 40, rows: 1)
    let width = buffer.write(text + "|", x: 0, y: 0, style: .plain)
    #expect(CellText.columns(of: text) == width - 1)
    #expect(buffer[width - 1, 0].text == "|")
  }

  @Test("the table of marked letters is bounded")
  func graphemes() {
    let table = GraphemeTable(capacity: 2)
    let first = table.glyph(for: [0x65, 0x301])
    let second = table.glyph(for: [0x65, 0x300])
    #expect(first != second && table.glyph(for: [0x65, 0x301]) == first)
    #expect(table.text(of: first) == "e\u{301}")
    #expect(table.glyph(for: [0x61, 0x300]) == 0x61, "full: shown without its marks")
    #expect(table.text(of: GraphemeTable.indexFlag | 99) == "\u{FFFD}")
  }

  @Test("where all terminals agree, the width is one or two")
  func agreement() {
    for value in UInt32(0)...0x10_FFFF where CharacterWidth.isAgreed(value) {
      #expect((1...2).contains(CharacterWidth.columns(of: value)), "U+\(String(value, radix: 16))")
    }
  }

  @Test("every character has a stand-in of ASCII, as many columns wide")
  func ascii() {
    for value in UInt32(0x20)...0x2FFFF {
      let byte = ASCIIFallback.byte(for: value)
      #expect(byte >= 0x20 && byte < 0x7F)
    }
    let text = "Änderung ñ Ž ß · ─│┌ █ ⣿⠁ → ✓ “x” – …"
    #expect(
      String(decoding: text.unicodeScalars.map { ASCIIFallback.byte(for: $0.value) }, as: UTF8.self)
        == "Anderung n Z s . -|+ # #. > + \"x\" - .")
  }
}
