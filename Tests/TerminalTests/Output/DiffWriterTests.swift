import ConstraintAnimation
import Foundation
import Testing

@testable import Terminal

@Suite("The bytes are few")
struct DiffWriterTests {
  private let buffer = CellBuffer(columns: 80, rows: 24)

  private func writer(_ change: (inout OutputProfile) -> Void = { _ in }) -> DiffWriter {
    var profile = OutputProfile(colors: .trueColor)
    change(&profile)
    let writer = DiffWriter(columns: 80, rows: 24, profile: profile)
    _ = writer.encode(buffer)
    return writer
  }

  private func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self).replacing("\u{1B}", with: "␛")
  }

  @Test("the first frame says where it starts from")
  func first() {
    buffer.write("x", x: 0, y: 0, style: .plain)
    let writer = DiffWriter(columns: 80, rows: 24, profile: OutputProfile(colors: .trueColor))
    #expect(text(writer.encode(buffer)) == "␛[m␛[r␛[H␛[2J␛[?25lx")
  }

  @Test("one cell")
  func oneCell() {
    let writer = writer()
    buffer.write("x", x: 0, y: 0, style: CellStyle(attributes: .bold))
    #expect(text(writer.encode(buffer)) == "␛[1mx")
    buffer.write("y", x: 9, y: 4, style: CellStyle(attributes: .bold))
    #expect(text(writer.encode(buffer)) == "␛[5;10Hy")
    buffer.write("z", x: 0, y: 5, style: .plain)
    #expect(text(writer.encode(buffer)) == "␛[6H␛[mz")
    #expect(writer.encode(buffer).isEmpty)
  }

  @Test(
    "short moves are relative",
    arguments: [
      (13, 4, "   "), (15, 4, "␛[5C"), (10, 5, "␛[B"), (9, 4, "\u{8}"), (7, 4, "\u{8}\u{8}\u{8}"),
      (0, 4, "\r"), (40, 4, "␛[30C"), (10, 0, "␛[4A"), (1, 4, "␛[9D"), (2, 10, "␛[11;3H"),
    ])
  func moves(x: Int, y: Int, expected: String) {
    let writer = writer()
    buffer.write("a", x: 9, y: 4, style: .plain)
    _ = writer.encode(buffer)
    buffer.fill(CellRect(x0: x, y0: y, x1: x + 1, y1: y + 1), glyph: "b", style: .plain)
    #expect(text(writer.encode(buffer)) == expected + "b")
  }

  @Test("a short gap is painted again instead of jumped over")
  func gap() {
    buffer.write("latency", x: 0, y: 0, style: .plain)
    let writer = writer()
    buffer.write("LatencY", x: 0, y: 0, style: .plain)
    #expect(text(writer.encode(buffer)) == "\rL␛[5CY")
    buffer.write("lateNcY", x: 0, y: 0, style: .plain)
    #expect(text(writer.encode(buffer)) == "\rlateN")
  }

  @Test("blanks are erased, not painted")
  func erasing() {
    buffer.write(String(repeating: "x", count: 80), x: 0, y: 0, style: .plain)
    let writer = writer()
    buffer.fill(CellRect(x0: 20, y0: 0, x1: 80, y1: 1), glyph: " ", style: .plain)
    #expect(text(writer.encode(buffer)) == "␛[21G␛[K")
    buffer.fill(CellRect(x0: 2, y0: 0, x1: 18, y1: 1), glyph: " ", style: .plain)
    #expect(text(writer.encode(buffer)) == "␛[3G␛[16X")
  }

  @Test("only what changes in the rendition is said")
  func rendition() {
    let writer = writer()
    let base = CellStyle(foreground: Color(1, 2, 3), background: Color(4, 5, 6), attributes: .bold)
    var other = base
    buffer.write("a", x: 0, y: 0, style: base)
    other.background = Color(7, 8, 9)
    buffer.write("b", x: 1, y: 0, style: other)
    other.attributes = [.bold, .underline]
    buffer.write("c", x: 2, y: 0, style: other)
    other.attributes = .dim
    buffer.write("d", x: 3, y: 0, style: other)
    buffer.write("e", x: 4, y: 0, style: CellStyle(foreground: Color(1, 2, 3)))
    buffer.fill(CellRect(x0: 5, y0: 0, x1: 6, y1: 1), glyph: "f", style: .plain)
    #expect(
      text(writer.encode(buffer))
        == "␛[1;38;2;1;2;3;48;2;4;5;6ma␛[48;2;7;8;9mb␛[4mc␛[22;24;2md␛[22;49me" + "␛[mf")
  }

  @Test("colors of the 256 are said shorter, also with true color")
  func shortColors() {
    let writer = writer()
    buffer.write(
      "a", x: 0, y: 0, style: CellStyle(foreground: Color(95, 135, 255), background: Color(48, 48, 48)))
    #expect(text(writer.encode(buffer)) == "␛[38;5;69;48;5;236ma")
  }

  @Test("a change that the terminal's palette cannot show costs nothing")
  func invisible() {
    let writer = writer { $0.colors = .ansi16 }
    buffer.write("abc", x: 0, y: 0, style: CellStyle(foreground: Color(250, 10, 10)))
    _ = writer.encode(buffer)
    buffer.write("abc", x: 0, y: 0, style: CellStyle(foreground: Color(249, 12, 9)))
    #expect(writer.encode(buffer).isEmpty)
    buffer.write(" ", x: 20, y: 0, style: CellStyle(foreground: Color(0, 0, 250)))
    #expect(writer.encode(buffer).isEmpty)
  }

  @Test("a scatter of colors says each color once, but only where nobody sees the ground first")
  func scatter() {
    func bytes(synchronized: Bool) -> [UInt8] {
      let buffer = CellBuffer(columns: 80, rows: 24)
      let writer = DiffWriter(
        columns: 80, rows: 24, profile: OutputProfile(colors: .trueColor, synchronizesOutput: synchronized))
      _ = writer.encode(buffer)
      for x in stride(from: 0, to: 80, by: 2) {
        buffer.write("•", x: x, y: 3, style: CellStyle(foreground: Color(UInt8(x % 3) * 50 + 1, 0, 0)))
      }
      return Array(writer.encode(buffer))
    }
    let sorted = String(decoding: bytes(synchronized: true), as: UTF8.self)
    #expect(sorted.components(separatedBy: "38;2;").count - 1 == 3)
    #expect(bytes(synchronized: true).count * 2 < bytes(synchronized: false).count)
    #expect(!String(decoding: bytes(synchronized: false), as: UTF8.self).contains("X"))
  }

  @Test("rows that move are moved by the terminal")
  func rowMoves() {
    for y in 4..<20 { buffer.write("line \(y * 7919) of the log, and it is long", x: 0, y: y, style: .plain) }
    let writer = writer()
    buffer.fill(CellRect(x0: 0, y0: 4, x1: 80, y1: 20), glyph: " ", style: .plain)
    for y in 4..<20 {
      buffer.write("line \((y + 1) * 7919) of the log, and it is long", x: 0, y: y, style: .plain)
    }
    let bytes = text(writer.encode(buffer))
    #expect(bytes.hasPrefix("␛[5;20r␛[5H␛[1M␛[r␛[20Hline"))
    #expect(bytes.utf8.count < 80)
  }

  @Test("a frame stands in a synchronized bracket, nothing does not")
  func synchronized() {
    let writer = writer { $0.synchronizesOutput = true }
    #expect(writer.encode(buffer).isEmpty)
    buffer.write("x", x: 0, y: 0, style: .plain)
    let bytes = text(writer.encode(buffer))
    #expect(bytes.hasPrefix("␛[?2026h") && bytes.hasSuffix("x␛[?2026l"))
  }

  @Test("learning about synchronized output paints nothing again, learning about colors does")
  func profileChange() {
    let writer = writer()
    writer.profile.synchronizesOutput = true
    #expect(writer.encode(buffer).isEmpty)
    writer.profile.colors = .ansi256
    #expect(!writer.encode(buffer).isEmpty)
  }

  @Test("the cursor is shown where it is wanted, and only said when it moves")
  func cursor() {
    let writer = writer()
    #expect(text(writer.encode(buffer, cursor: CursorPosition(column: 4, row: 0))) == "␛[4C␛[?25h")
    #expect(writer.encode(buffer, cursor: CursorPosition(column: 4, row: 0)).isEmpty)
    buffer.write("x", x: 0, y: 3, style: .plain)
    let bytes = text(writer.encode(buffer, cursor: CursorPosition(column: 4, row: 0)))
    #expect(bytes.hasSuffix("␛[?25h"))
    #expect(text(writer.encode(buffer)) == "␛[?25l")
  }

  @Test("a frame allocates nothing once the largest has been seen")
  func memory() {
    let writer = writer()
    var base: UnsafeRawPointer?
    for round in 0..<6 {
      buffer.fill(
        buffer.bounds, glyph: round % 2 == 0 ? "a" : "b",
        style: CellStyle(foreground: Color(UInt8(round), 0, 0)))
      let bytes = writer.encode(buffer)
      if round > 1 { #expect(bytes.baseAddress == base) }
      base = bytes.baseAddress
    }
  }
}
