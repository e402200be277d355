import ConstraintAnimation
import Testing

@testable import Terminal

@Suite("Cells are drawn on")
struct CellBufferTests {
  private let buffer = CellBuffer(columns: 10, rows: 3)
  private let red = Color(255, 0, 0)
  private let blue = Color(0, 0, 255)

  @Test("a cell stays small")
  func size() { #expect(MemoryLayout<Cell>.stride == 16) }

  @Test("text goes where it should, in its style, and says its width")
  func write() {
    let style = CellStyle(foreground: red, background: blue, attributes: [.bold, .underline])
    #expect(buffer.write("p50", x: 2, y: 1, style: style) == 3)
    #expect(buffer.lines == ["", "  p50", ""])
    #expect(buffer[2, 1].style == style)
    #expect(buffer[5, 1] == .blank)
  }

  @Test("no background keeps the one that is there; fill and blit set the terminal's own")
  func background() {
    buffer.fill(buffer.bounds, glyph: " ", style: CellStyle(background: blue))
    buffer.write("a", x: 0, y: 0, style: CellStyle(foreground: red))
    #expect(buffer[0, 0].style == CellStyle(foreground: red, background: blue))
    buffer.fill(CellRect(x0: 1, y0: 0, x1: 2, y1: 1), glyph: "b", style: .plain)
    #expect(buffer[1, 0].style == .plain)
    blit([0x63], x: 2)
    #expect(buffer[2, 0].style == .plain)
  }

  private func blit(_ glyphs: [UInt32], x: Int) {
    let styles = Array(repeating: CellStyle.plain, count: glyphs.count)
    glyphs.withUnsafeBufferPointer { glyphs in
      styles.withUnsafeBufferPointer { buffer.blit(glyphs, styles: $0, x: x, y: 0) }
    }
  }

  @Test("what lies outside of the clip is dropped, the width is the same")
  func clipping() {
    buffer.clip = CellRect(x0: 2, y0: 0, x1: 5, y1: 2)
    #expect(buffer.write("abcdefgh", x: 0, y: 0, style: .plain) == 8)
    #expect(buffer.write("abc", x: 0, y: 2, style: .plain) == 3)
    #expect(buffer.write("日本", x: 9, y: 1, style: .plain) == 4)
    buffer.fill(CellRect(x0: -5, y0: 1, x1: 50, y1: 50), glyph: "#", style: .plain)
    #expect(buffer.lines == ["  cde", "  ###", ""])
    blit(Array(repeating: 0x2588, count: 20), x: -3)
    #expect(buffer.lines[0] == "  ███")
    buffer.clip = CellRect(x0: -10, y0: -10, x1: 100, y1: 100)
    #expect(buffer.clip == buffer.bounds)
  }

  @Test("a wide character cut by the clip leaves a space in its style", arguments: [0, 1, 2, 3, 4])
  func wideAtEdges(x: Int) {
    buffer.fill(buffer.bounds, glyph: ".", style: .plain)
    buffer.clip = CellRect(x0: 2, y0: 0, x1: 4, y1: 1)
    #expect(buffer.write("日", x: x, y: 0, style: CellStyle(background: blue)) == 2)
    let expected = ["..........", ".. .......", "..日......", "... ......", ".........."]
    #expect(buffer.lines[0] == expected[x])
    if x == 1 { #expect(buffer[2, 0].background.color == blue) }
    #expect(buffer.isWhole)
  }

  @Test("a wide character at the last column leaves a space")
  func wideAtTheEnd() {
    buffer.write("日", x: 9, y: 0, style: .plain)
    #expect(buffer.lines[0].isEmpty && buffer.isWhole)
  }

  @Test("overwriting half of a wide character blanks the other half", arguments: 0..<6)
  func wideOverwritten(x: Int) {
    buffer.write("a日本b", x: 0, y: 0, style: CellStyle(background: red))
    buffer.write("x", x: x, y: 0, style: .plain)
    let expected = ["x日本b", "ax 本b", "a x本b", "a日x b", "a日 xb", "a日本x"]
    #expect(buffer.lines[0] == expected[x])
    #expect(buffer.isWhole)
  }

  @Test("wide over wide, shifted by one")
  func wideOverWide() {
    buffer.write("日本語", x: 0, y: 0, style: .plain)
    buffer.write("漢", x: 1, y: 0, style: .plain)
    #expect(buffer.lines[0] == " 漢 語" && buffer.isWhole)
    buffer.fill(CellRect(x0: 2, y0: 0, x1: 5, y1: 1), glyph: "-", style: .plain)
    #expect(buffer.lines[0] == "  ---" && buffer.isWhole)
  }

  @Test("marks stay with their letter in one cell")
  func marks() {
    #expect(buffer.write("e\u{301}x\u{308}\u{323}กี่", x: 0, y: 0, style: .plain) == 3)
    #expect(buffer[0, 0].text == "e\u{301}")
    #expect(buffer[1, 0].text == "x\u{308}\u{323}")
    #expect(buffer[2, 0].text == "กี่")
    #expect(buffer.write("\u{301}", x: 4, y: 0, style: .plain) == 1)
    #expect(buffer[4, 0].text == "◌\u{301}")
  }

  @Test("marks without end are cut")
  func zalgo() {
    let text = "a" + String(repeating: "\u{301}", count: 10_000) + "b"
    #expect(buffer.write(text, x: 0, y: 0, style: .plain) == 2)
    #expect(buffer[0, 0].text.unicodeScalars.count == 1 + CellText.mostMarks)
    #expect(buffer[1, 0].text == "b")
  }

  @Test("ready cells: zero leaves what is there, anything odd is replaced")
  func blitting() {
    buffer.write("0123456789", x: 0, y: 0, style: .plain)
    blit([0, 0x28FF, 0, 0x2800, 0x1B, 0x65E5, 0xD800, 0x7FFF_FFFF, 0x301], x: 0)
    #expect(buffer.lines[0] == "0⣿2 \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}9")
  }

  @Test("a resize blanks everything, and the clip is whole again")
  func resizing() {
    buffer.clip = CellRect(x0: 0, y0: 0, x1: 1, y1: 1)
    buffer.write("a", x: 0, y: 0, style: .plain)
    for (columns, rows) in [(3, 10), (200, 60), (0, -5)] {
      buffer.resize(columns: columns, rows: rows)
      #expect(buffer.columns == max(columns, 1) && buffer.rows == max(rows, 1))
      #expect(buffer.clip == buffer.bounds && buffer == CellBuffer(columns: columns, rows: rows))
    }
  }

  @Test("copies are equal, down to the look")
  func copying() {
    buffer.write("日本", x: 1, y: 1, style: CellStyle(foreground: red))
    let copy = CellBuffer(columns: 1, rows: 1)
    copy.copy(from: buffer)
    #expect(copy == buffer)
    copy.write("日本", x: 1, y: 1, style: .plain)
    #expect(copy != buffer)
  }

  @Test("a rectangle that cuts a wide character is drawn again with both halves of it")
  func wholeGlyphs() {
    let buffer = CellBuffer(columns: 12, rows: 3)
    buffer.write("日本語", x: 1, y: 1, style: .plain)
    #expect(buffer.whole(CellRect(x0: 2, y0: 0, x1: 4, y1: 3)) == CellRect(x0: 1, y0: 0, x1: 5, y1: 3))
    #expect(buffer.whole(CellRect(x0: 3, y0: 0, x1: 5, y1: 3)) == CellRect(x0: 3, y0: 0, x1: 5, y1: 3))
    #expect(buffer.whole(CellRect(x0: 2, y0: 0, x1: 4, y1: 1)) == CellRect(x0: 2, y0: 0, x1: 4, y1: 1))
    #expect(buffer.whole(CellRect(x0: -3, y0: 0, x1: 99, y1: 9)) == buffer.bounds)
    #expect(buffer.whole(.zero).isEmpty)
  }
}
