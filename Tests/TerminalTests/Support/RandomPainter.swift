import ConstraintAnimation
import Measurement

@testable import Terminal

/// Paints at random, with everything that is hard: wide characters at edges, marks, hostile text, rows that move.
struct RandomPainter {
  var random: SeededGenerator

  private static let texts = [
    "latency 812 ms", "日本語のテキスト", "a한b글c", "e\u{301}a\u{308}o\u{323}\u{302}", "กำลัง ที่", "x\u{1B}[2Jy",
    "\u{202E}abc\u{202C}", "👩‍🚀 🚀", "┌──┤ ├──┐", "⠁⠂⠄⡀⢀⠠⠐⠈", "▁▂▃▄▅▆▇█", "   ", "tab\tnew\nline", "Ａｂ",
  ]

  mutating func color() -> Color? {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: nil
    case 1: Color(0, 0, 0)
    case 2: Color(30, 30, 46)
    case 3:
      [Color(95, 135, 255), Color(0, 0, 95), Color(8, 8, 8), Color(238, 238, 238)].randomElement(
        using: &random)
    default:
      Color(
        UInt8.random(in: 0...255, using: &random), UInt8.random(in: 0...255, using: &random),
        UInt8.random(in: 0...255, using: &random))
    }
  }

  mutating func style() -> CellStyle {
    let attributes = CellAttributes(
      rawValue: Bool.random(using: &random) ? 0 : UInt8.random(in: 0..<32, using: &random))
    return CellStyle(foreground: color(), background: color(), attributes: attributes)
  }

  mutating func rect(in bounds: CellRect) -> CellRect {
    let x = Int.random(in: -2..<bounds.x1 + 1, using: &random)
    let y = Int.random(in: -2..<bounds.y1 + 1, using: &random)
    return CellRect(
      x0: x, y0: y, x1: x + Int.random(in: 0..<bounds.x1 + 3, using: &random),
      y1: y + Int.random(in: 0..<bounds.y1 + 3, using: &random))
  }

  /// One step of many kinds; afterwards the clip is whole again.
  mutating func paint(_ buffer: CellBuffer) {
    if Int.random(in: 0..<4, using: &random) == 0 { buffer.clip = rect(in: buffer.bounds) }
    let x = Int.random(in: -4..<buffer.columns + 1, using: &random)
    let y = Int.random(in: 0..<buffer.rows, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      buffer.fill(rect(in: buffer.bounds), glyph: Bool.random(using: &random) ? " " : "█", style: style())
    case 1, 2, 3:
      buffer.write(RandomPainter.texts.randomElement(using: &random) ?? "", x: x, y: y, style: style())
    case 4: blit(buffer, x: x, y: y)
    case 5:
      buffer.fade(
        rect(in: buffer.bounds), towards: Color(0, 0, 0), alpha: Double.random(in: -0.1...1.1, using: &random)
      )
    case 6: moveRows(buffer)
    case 7: scatter(buffer)
    default: buffer.write(String(Int.random(in: 0..<100_000, using: &random)), x: x, y: y, style: .plain)
    }
    buffer.clip = buffer.bounds
  }

  private mutating func blit(_ buffer: CellBuffer, x: Int, y: Int) {
    var glyphs: [UInt32] = []
    var styles: [CellStyle] = []
    for _ in 0..<Int.random(in: 1..<12, using: &random) {
      glyphs.append(
        [0, 0x20, 0x2801, 0x28FF, 0x2588, 0x41, 0x2800, 0x65E5, 7].randomElement(using: &random) ?? 0)
      styles.append(style())
    }
    glyphs.withUnsafeBufferPointer { glyphs in
      styles.withUnsafeBufferPointer { buffer.blit(glyphs, styles: $0, x: x, y: y) }
    }
  }

  /// Marks in a few colors on one ground, as plots have them.
  private mutating func scatter(_ buffer: CellBuffer) {
    let styles = (0..<Int.random(in: 1..<20, using: &random)).map { _ in style() }
    let grounds = [CellStyle(background: color()), CellStyle(background: color())]
    // Mostly one ground, sometimes two.
    let border =
      Bool.random(using: &random) ? buffer.columns : Int.random(in: 0...buffer.columns, using: &random)
    for y in 0..<buffer.rows where Int.random(in: 0..<3, using: &random) > 0 {
      buffer.fill(CellRect(x0: 0, y0: y, x1: border, y1: y + 1), glyph: " ", style: grounds[0])
      buffer.fill(CellRect(x0: border, y0: y, x1: buffer.columns, y1: y + 1), glyph: " ", style: grounds[1])
      for x in 0..<buffer.columns where Int.random(in: 0..<3, using: &random) == 0 {
        let glyph: Unicode.Scalar = ["⠁", "⣿", "x", "×"].randomElement(using: &random) ?? "x"
        let mark = CellRect(x0: x, y0: y, x1: x + 1, y1: y + 1)
        buffer.fill(mark, glyph: glyph, style: styles.randomElement(using: &random) ?? .plain)
      }
    }
  }

  private mutating func moveRows(_ buffer: CellBuffer) {
    let distance = Int.random(in: -3...3, using: &random)
    let copy = CellBuffer(columns: buffer.columns, rows: buffer.rows)
    copy.copy(from: buffer)
    buffer.clear()
    for y in 0..<buffer.rows where y - distance >= 0 && y - distance < buffer.rows {
      for x in 0..<buffer.columns {
        buffer.storage[y * buffer.columns + x] = copy.storage[(y - distance) * buffer.columns + x]
      }
    }
  }
}
